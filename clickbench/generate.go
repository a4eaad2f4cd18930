package clickbench

import (
	"math"

	"github.com/ebira-db/ebira/vec"
)

// BlockRows is the number of rows of a block; the last may have less.
const BlockRows = 1 << 14

// Generator makes rows. The same rows and seed give the same table, block by block.
type Generator struct {
	rows, seed uint64

	counters []counter
	bounds   []float64 // cumulative shares of the counters
	pages    []skew    // of each counter
	users    skew
	phrases  skew
	// addresses are those of users, referers those of each site, sites those that are not published.
	addresses, referers, sites skew

	topUsers  choices[int64]
	topUser   float64 // share of visits of topUsers
	topPhrase float64 // share of searches with one of searchPhrases
}

// Shares that no source publishes; they are guesses in keeping with the real sample.
const (
	visitRows       = 3.6   // rows of a visit, of the sample
	pagesAgain      = 0.12  // of the rows of a visit that show the page before once more
	addressesOfRows = 0.1   // different addresses, of all rows
	refererPool     = 0.25  // different Referers of other sites, of all rows
	refererKnown    = 0.645 // of Referers of other sites that come from one of refererSites
	partRows        = 12_500_000
)

// New returns the generator of a table of so many rows.
func New(rows, seed uint64) *Generator {
	n := float64(rows)
	g := &Generator{rows: rows, seed: mix(seed + 1), counters: makeCounters()}
	sum := 0.0
	for i := range g.counters {
		c := &g.counters[i]
		sum += c.share
		g.bounds = append(g.bounds, sum)
		draws := float64(c.share*n) * (1 - c.homePart) * (1 - pagesAgain)
		g.pages = append(g.pages, newSkew(float64(draws*poolURLs), 0.02))
	}
	visits := n / visitRows
	g.users = newSkew(float64(visits*poolUsers), 4.5e-5)
	g.phrases = newSkew(float64(n/fullRows*searchRows/searchRun)*poolPhrases, 4e-4)
	g.addresses = newSkew(float64(n*addressesOfRows), 2e-4)
	g.referers, g.sites = newSkew(float64(n*refererPool), 0.001), newSkew(40_000, 0.004)
	g.topUsers = choose(topUsers...)
	for _, u := range topUsers {
		g.topUser += u.share / fullRows
	}
	for _, p := range searchPhrases {
		g.topPhrase += p.share / searchRows
	}
	return g
}

// Rows returns the number of rows.
func (g *Generator) Rows() uint64 { return g.rows }

// Blocks returns the number of blocks.
func (g *Generator) Blocks() int { return int((g.rows + BlockRows - 1) / BlockRows) }

// place is where a row of the table lies: the table is a few parts, each sorted by counter and day, as its origin was.
func (g *Generator) place(row uint64) (counterAt int, day int32) {
	parts := max(uint64(math.Round(float64(g.rows)/partRows)), 1)
	part := row * parts / g.rows
	from, to := (part*g.rows+parts-1)/parts, ((part+1)*g.rows+parts-1)/parts
	x := (float64(row-from) + 0.5) / float64(to-from)
	lo, hi := 0, len(g.bounds)-1
	for lo < hi {
		if mid := (lo + hi) / 2; x < g.bounds[mid] {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	c := &g.counters[lo]
	within := 1 - (g.bounds[lo]-x)/c.share
	at := 0
	for at < 2 && within >= c.upTo[at] {
		at++
	}
	return lo, c.days[at]
}

// rareAt is the first of the rows of rareUser; the rows before belong to somebody else's visit.
func (g *Generator) rareAt() uint64 { return g.rows * 37 / 100 / BlockRows * BlockRows }

// repeats tells whether a row has the WatchID and address of the row before: a handful in the table do.
func (g *Generator) repeats(row uint64) bool {
	const times = 5
	for k := range uint64(times) {
		if row == g.rows*(k+1)/(times+1)|1 {
			return true
		}
	}
	return false
}

// Block makes the rows of block i, [i*BlockRows, (i+1)*BlockRows).
func (g *Generator) Block(i int) *vec.Batch {
	from := uint64(i) * BlockRows
	n := int(min(g.rows-from, BlockRows))
	b := newBlock(g, from, n)
	var u user
	for at := 0; at < n; {
		counterAt, day := g.place(from + uint64(at))
		end := at + 1
		for end < n && b.r.chance(1-1/visitRows) {
			if c, d := g.place(from + uint64(end)); c != counterAt || d != day { // a visit is to one counter on one day
				break
			}
			end++
		}
		if start := g.rareAt(); from+uint64(at) == start && uint64(n) >= rareUserRows {
			g.user(&u, 1<<30)
			u.id, u.silent, end = rareUser, true, rareUserRows
		} else {
			g.visitor(&u, &b.r)
		}
		b.visit(&u, counterAt, day, at, end)
		at = end
	}
	return b.batch()
}

// visitor draws who makes a visit.
func (g *Generator) visitor(u *user, r *random) {
	if !r.chance(g.topUser) {
		g.user(u, g.users.draw(r))
		return
	}
	id := g.topUsers.draw(r)
	g.user(u, 1<<31+int(uint64(id)>>40))
	u.id, u.silent = id, true
	for i, t := range topUsers {
		if t.value == id {
			u.ip = topAddresses[i].value
		}
	}
}
