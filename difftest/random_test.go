package difftest

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ebira-db/ebira/session"
)

var (
	diffTime = flag.Duration("difftime", 20*time.Second, "how long random queries are compared; EBIRA_DIFFTIME sets it too")
	diffSeed = flag.Uint64("diffseed", 1, "seed of the first data set, 0 for a new one at each run")
)

// dataQueries is the number of queries for one data set.
const dataQueries = 400

// side is one way to run the queries of a data set in Ebira.
type side struct {
	name    string
	sess    *session.Session
	variant bool
}

// arena holds a data set in both engines.
type arena struct {
	e     *ebira
	d     *duck
	sides []side
	// refused counts the messages of queries that Ebira does not support or that both engines refuse.
	refused map[string]int
	// filled counts the queries with rows.
	filled int
}

// TestRandom runs random queries over typed tables, over the same data in a VARIANT column, and with everything off that must not matter.
func TestRandom(t *testing.T) {
	budget := *diffTime
	if s := os.Getenv("EBIRA_DIFFTIME"); s != "" {
		var err error
		if budget, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	seed := *diffSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	end, count, filled, failures := time.Now().Add(budget), 0, 0, 0
	refused := map[string]int{}
	for time.Now().Before(end) && failures < 5 {
		t.Logf("seed %d", seed)
		r := rand.New(rand.NewPCG(seed, 1))
		wide := seed%4 == 0
		a := newArena(t, r, wide)
		a.refused = refused
		g := &generator{Rand: r, wide: wide}
		for n := 0; n < dataQueries && time.Now().Before(end) && failures < 5; n++ {
			if n%100 == 99 {
				a.change(t, g)
			}
			q := g.statement()
			count++
			if first := a.compare(q); first != "" {
				failures++
				_, reduced := a.reduce(q, time.Now().Add(20*time.Second))
				t.Errorf("seed %d, query %d:\n%s\nreduced:\n%s", seed, n, first, cmp.Or(reduced, "it did not fail again"))
			}
		}
		seed++
		filled += a.filled
	}
	t.Logf("%d queries compared, %d with rows", count, filled)
	for message, n := range refused {
		t.Logf("%d queries refused: %s", n, message)
	}
}

// newArena makes tables of random rows: in both engines, typed and as documents, in several writes with flushes in between.
func newArena(t *testing.T, r *rand.Rand, wide bool) *arena {
	t.Helper()
	a := &arena{e: openEbira(t, nil), d: openDuck(t)}
	for _, table := range tableRows(wide) {
		a.e.must(t, "%s", ddl(table.name))
		a.e.must(t, "CREATE TABLE v%s (v VARIANT)", table.name)
		a.d.must(t, "%s", ddl(table.name))
		for done := 0; done < table.rows; {
			var rows, docs []string
			for range min(1+r.IntN(min(table.rows, 4000)), table.rows-done) {
				row := makeRow(r, done)
				done++
				rows = append(rows, "("+strings.Join(row.literals, ", ")+")")
				docs = append(docs, "("+quote(row.document)+")")
			}
			insert := fmt.Sprintf("INSERT INTO %s VALUES %s", table.name, strings.Join(rows, ", "))
			a.e.must(t, "%s", insert)
			a.d.must(t, "%s", insert)
			a.e.must(t, "INSERT INTO v%s VALUES %s", table.name, strings.Join(docs, ", "))
			if r.IntN(3) == 0 && (!wide || r.IntN(3) == 0) {
				a.e.settle(t)
			}
		}
	}
	plain := a.e.sess
	bare := a.e.eng.NewSession("")
	t.Cleanup(bare.Close)
	for _, s := range []string{"SET batch_rows = 3", "SET disabled_optimizer_rules = 'all'", "SET enable_pruning = false"} {
		if _, err := a.e.queryIn(bare, s); err != nil {
			t.Fatal(err)
		}
	}
	a.sides = []side{{"typed", plain, false}, {"typed, bare", bare, false}, {"variant", plain, true}, {"variant, bare", bare, true}}
	return a
}

// change deletes or updates the same rows everywhere.
func (a *arena) change(t *testing.T, g *generator) {
	t.Helper()
	table := pick(g, "t", "u")
	if g.IntN(2) == 0 {
		g.scope, g.aliases, g.queries, g.crosses = nil, 0, 0, 0
		from := strings.TrimSuffix(g.source(table), " AS a1")
		where := g.cond(1).String()
		text := fmt.Sprintf("DELETE FROM %s AS a1 WHERE (%s) AND %s <= %d", from, where, "{a1.id} % 10", g.IntN(4))
		a.d.must(t, "%s", render(text, true, false))
		a.e.must(t, "%s", render(text, false, false))
		a.e.must(t, "%s", render(text, false, true))
		return
	}
	for range 3 {
		id := g.IntN(25)
		row := makeRow(g.Rand, id)
		var sets []string
		for i, f := range fields {
			sets = append(sets, f.name+" = "+row.literals[i])
		}
		text := fmt.Sprintf("UPDATE %s SET %s WHERE id = %d", table, strings.Join(sets, ", "), id)
		a.d.must(t, "%s", text)
		a.e.must(t, "%s", text)
		a.e.must(t, "UPDATE v%s SET v = %s WHERE v['id'] = %d", table, quote(row.document), id)
	}
}

// TestRandomFindsDifferences changes one row in DuckDB only: queries must see that.
func TestRandomFindsDifferences(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	a := newArena(t, r, false)
	a.refused = map[string]int{}
	a.d.must(t, "UPDATE u SET i = coalesce(i, 0) + 1, s = 'other', d = 77, f = 55, dt = '2001-01-01', o = NOT coalesce(o, FALSE) WHERE id = 3")
	g, found := &generator{Rand: r}, 0
	for range 60 {
		if a.compare(g.statement()) != "" {
			found++
		}
	}
	if found < 10 {
		t.Errorf("%d of 60 queries saw the changed row, want at least 10", found)
	}
}

// compare runs a query everywhere and describes what differs, or returns "".
func (a *arena) compare(q *query) string {
	text := q.String()
	inDuck := render(text, true, false)
	// The driver holds whole results in memory, whatever their size.
	want, duckErr := a.d.query(fmt.Sprintf("SELECT * FROM (%s) LIMIT %d", inDuck, maxResultRows+1))
	if errors.Is(duckErr, errTooManyRows) || duckErr != nil && duckGaveUp.MatchString(duckErr.Error()) {
		a.refused[firstLine(duckErr)]++
		return ""
	}
	if len(want.rows) > 0 {
		a.filled++
	}
	for _, s := range a.sides {
		mine := render(text, false, s.variant)
		got, err := a.e.queryIn(s.sess, mine)
		if err != nil && (strings.Contains(err.Error(), "BUG") || strings.Contains(err.Error(), "internal")) {
			return fmt.Sprintf("%s: %v\n%s", s.name, err, mine)
		}
		if err != nil && notAnswered.MatchString(err.Error()) {
			a.refused[firstLine(err)]++
			return ""
		}
		if err != nil || duckErr != nil {
			if (err == nil) != (duckErr == nil) {
				return fmt.Sprintf("%s: error %v\nDuckDB: error %v\n%s\n%s", s.name, err, duckErr, mine, inDuck)
			}
			a.refused["both: "+firstLine(err)+"; "+firstLine(duckErr)]++
			continue
		}
		if diff := sameRows(got, want); diff != "" {
			return fmt.Sprintf("%s, then DuckDB: %s\n%s\n%s", s.name, diff, mine, inDuck)
		}
		if len(q.order) > 0 {
			if diff := sameOrder(got, want); diff != "" {
				return fmt.Sprintf("%s, then DuckDB: %s\n%s\n%s", s.name, diff, mine, inDuck)
			}
		}
	}
	return ""
}

// notAnswered matches the messages of queries that say nothing about answers: not built yet, or too much for a minute or the memory, as
// joins without optimizer rules may be.
var notAnswered = regexp.MustCompile(`^(unsupported|canceled|resource limit)`)

// duckGaveUp is the same for DuckDB.
var duckGaveUp = regexp.MustCompile(`^(INTERRUPT Error|Out of Memory Error|context deadline exceeded)`)

var position = regexp.MustCompile(`\(line \d+, column \d+\)`)

// firstLine is an error message without what follows and without its place.
func firstLine(err error) string {
	return position.ReplaceAllString(strings.SplitN(err.Error(), "\n", 2)[0], "")
}

// sameOrder compares two results row by row.
func sameOrder(a, b result) string {
	for i := range a.rows {
		for c := range a.rows[i] {
			if plainNumber(a.rows[i][c]) != plainNumber(b.rows[i][c]) {
				return fmt.Sprintf("row %d is %q against %q", i, a.rows[i], b.rows[i])
			}
		}
	}
	return ""
}

// reduce leaves out parts of a failing query as long as it fails, and returns what is left with what differs.
func (a *arena) reduce(q *query, end time.Time) (*query, string) {
	diff := ""
	for again := true; again; {
		again = false
		for _, s := range append(q.smaller(), q) {
			if time.Now().After(end) {
				break
			}
			if d := a.compare(s); d != "" {
				again, q, diff = s != q, s, d
				break
			}
		}
	}
	return q, diff
}
