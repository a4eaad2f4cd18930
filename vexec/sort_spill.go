package vexec

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// sortSpill is the part of a sort that lies on disk: sorted runs of rows, each row with its columns, its keys and its place in the input,
// so that rows with equal keys stay in their order.
type sortSpill struct {
	file *spillFile
	runs []*spillRows
}

// placeBits is the number of bits for the rows of one worker in a place; the bits above number the morsel.
const placeBits = 36

// spillRun sorts what the worker holds and writes it as a run.
func (s *sortStep) spillRun() error {
	t := s.t
	if s.store.rows == 0 {
		return nil
	}
	batches, rows := gatherStores([]*rowStore{s.store})
	places := make([]int64, 0, rows)
	for _, b := range batches {
		for i := range b.n {
			places = append(places, b.seq<<placeBits|(b.before+int64(i)))
		}
	}
	cols := make([]*vec.Vector, len(t.stored))
	for c, typ := range t.stored {
		cols[c] = concatColumn(typ, batches, c)
	}
	o, err := t.sort(cols, rows)
	if err != nil {
		return err
	}
	out, err := t.newRun()
	if err != nil {
		return err
	}
	cols = append(cols, vec.NewFlat(types.Of(types.BigInt), places, nil))
	size := max(s.store.charge.used()-int64(rows)*sortRowBytes, 1)
	step := t.r.blockRows(rows, size)
	for from := 0; from < rows; from += step {
		if err := t.r.check(); err != nil {
			return err
		}
		order := o.rows(from, min(from+step, rows))
		b := vec.NewBatch(len(order))
		for _, c := range cols {
			b.Cols = append(b.Cols, vec.GatherRows(c, order))
		}
		if err := out.add(&s.enc, b); err != nil {
			return err
		}
	}
	t.mu.Lock()
	t.spill.runs = append(t.spill.runs, out)
	t.mu.Unlock()
	s.store.clear()
	return nil
}

// blockRows returns how many of rows, which take size bytes, make a block.
func (r *run) blockRows(rows int, size int64) int {
	n := r.memory.blockBytes() * int64(rows) / size
	return int(min(max(n, 1), maxBlockRows))
}

// maxBlockRows bounds the rows of a block.
const maxBlockRows = 16 << 10

// concatColumn joins column c of the batches, which lose it.
func concatColumn(t types.Type, batches []storedBatch, c int) *vec.Vector {
	parts := make([]*vec.Vector, len(batches))
	for i, b := range batches {
		parts[i] = b.cols[c]
		b.cols[c] = nil
	}
	return vec.Concat(t, parts...)
}

// newRun starts a run in the file of the sort.
func (t *sortState) newRun() (*spillRows, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.spill.file == nil {
		f, err := t.r.newSpillFile(t.s)
		if err != nil {
			return nil, err
		}
		t.spill.file = f
	}
	return &spillRows{file: t.spill.file}, nil
}

// finishRuns writes what is still in memory and merges runs until the rest can be merged at once.
func (t *sortState) finishRuns() error {
	r := t.r
	if err := r.parallel(len(t.locals), func(i int) error { return t.locals[i].spillRun() }); err != nil {
		return err
	}
	fan := r.fanIn(t.spill.runs)
	for len(t.spill.runs) > fan {
		f, err := r.newSpillFile(t.s)
		if err != nil {
			return err
		}
		merged, err := t.mergePass(f, fan)
		if err != nil {
			return err
		}
		r.closeFile(t.spill.file)
		t.spill.file, t.spill.runs = f, merged
	}
	return t.charge.force(int64(len(t.spill.runs)) * r.runBytes(t.spill.runs))
}

// mergePass merges groups of fan runs to runs in f.
func (t *sortState) mergePass(f *spillFile, fan int) ([]*spillRows, error) {
	var merged []*spillRows
	var enc spillEncoder
	for from := 0; from < len(t.spill.runs); from += fan {
		group := t.spill.runs[from:min(from+fan, len(t.spill.runs))]
		out := &spillRows{file: f}
		var size, rows int64
		for _, g := range group {
			size, rows = size+g.bytes, rows+int64(g.rows)
		}
		m, err := t.newMerger(group)
		if err != nil {
			return nil, err
		}
		step := t.r.blockRows(int(rows), size)
		for {
			if err := t.r.check(); err != nil {
				return nil, err
			}
			b, err := m.next(step)
			if err != nil {
				return nil, err
			}
			if b == nil {
				break
			}
			if err := out.add(&enc, b); err != nil {
				return nil, err
			}
		}
		merged = append(merged, out)
	}
	return merged, nil
}

// runBytes is the memory that a run needs while it is merged: the block at hand, and the one before, of which batches are on their way.
func (r *run) runBytes(runs []*spillRows) int64 {
	largest := int64(1)
	for _, s := range runs {
		for _, b := range s.blocks {
			largest = max(largest, int64(b.bytes))
		}
	}
	return 2 * largest
}

// maxFanIn is the most runs that are merged at once; more would make blocks small and comparisons many.
const maxFanIn = 256

// fanIn returns how many of the runs the reserve has room for.
func (r *run) fanIn(runs []*spillRows) int {
	switch {
	case r.env.Options.ForceSpill:
		return 3
	case r.memory.limit == 0:
		return maxFanIn
	}
	n := r.memory.limit / 16 / r.runBytes(runs)
	return int(min(max(n, 2), maxFanIn))
}

// merger merges sorted runs with a loser tree: node 0 has the run whose next row is first, the others that which lost there.
type merger struct {
	t    *sortState
	runs []*mergeRun
	tree []int32
	// The rows of the batch being made: number of the source and row within it.
	sources []mergeSource
	from    []int32
}

// mergeRun is a run with the block at hand.
type mergeRun struct {
	rows   *spillRows
	block  int
	b      *vec.Batch
	keys   []*vec.Vector
	prefix []uint64
	exact  bool
	places []int64
	at     int
	source int32 // of b in the batch being made, -1 for none
}

// mergeSource is a block of which rows go into the batch being made.
type mergeSource struct {
	b    *vec.Batch
	rows []int32
}

func (t *sortState) newMerger(runs []*spillRows) (*merger, error) {
	m := &merger{t: t, tree: make([]int32, max(len(runs), 1))}
	for i := range m.tree {
		m.tree[i] = -1
	}
	for _, s := range runs {
		run := &mergeRun{rows: s}
		m.runs = append(m.runs, run)
		if err := m.load(run); err != nil {
			return nil, err
		}
	}
	for i := range m.runs {
		m.replay(int32(i))
	}
	return m, nil
}

// load goes to the next block of a run; b is nil behind the last.
func (m *merger) load(run *mergeRun) error {
	run.b, run.at, run.source = nil, 0, -1
	if run.block == len(run.rows.blocks) {
		return nil
	}
	b, err := run.rows.file.read(&run.rows.blocks[run.block])
	if err != nil {
		return err
	}
	run.block++
	run.b = b
	run.places = vec.Slice[int64](b.Cols[len(b.Cols)-1])
	run.keys = m.t.s.keys.keys(b.Cols)
	run.prefix = sized(run.prefix, b.Len)
	run.exact = false
	if len(run.keys) > 0 {
		run.exact = mergePrefix(run.keys[0], m.t.s.orders[0], run.prefix)
	} else {
		clear(run.prefix)
	}
	return nil
}

// mergePrefix is vec.SortPrefix with numbers that can be compared with those of other blocks.
func mergePrefix(v *vec.Vector, o vec.Order, out []uint64) (exact bool) {
	if v.Type.IsVariant() {
		clear(out)
		return false
	}
	v = flat(v)
	if v.Valid == nil && v.Type.Kind != types.Null {
		c := *v
		c.Valid = vec.NewBitmapSet(v.Len)
		v = &c
	}
	return vec.SortPrefix(v, o, out)
}

// less tells whether the next row of run a comes before that of run b; -1, of a tree that is being built, comes first.
func (m *merger) less(a, b int32) bool {
	switch {
	case a < 0 || b < 0:
		return a < 0
	case m.runs[a].b == nil:
		return false
	case m.runs[b].b == nil:
		return true
	}
	x, y := m.runs[a], m.runs[b]
	if p, q := x.prefix[x.at], y.prefix[y.at]; p != q {
		return p < q
	}
	if c := m.compare(x, y); c != 0 {
		return c < 0
	}
	return x.places[x.at] < y.places[y.at]
}

// compare orders the next rows of two runs, whose prefixes are equal, by their keys.
func (m *merger) compare(x, y *mergeRun) int {
	first := 0
	if x.exact && y.exact {
		first = 1
	}
	orders := m.t.s.orders
	if !m.t.s.variants {
		if first >= len(orders) {
			return 0
		}
		return vec.CompareRows(x.keys[first:], x.at, y.keys[first:], y.at, orders[first:])
	}
	for k := range orders {
		c := 0
		if x.keys[k].Type.IsVariant() {
			c = compareVariants(x.keys[k], x.at, y.keys[k], y.at, orders[k])
		} else {
			c = vec.CompareRows(x.keys[k:k+1], x.at, y.keys[k:k+1], y.at, orders[k:k+1])
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// replay finds the winner after run i has gone to another row.
func (m *merger) replay(i int32) {
	w := i
	for n := (int(i) + len(m.runs)) / 2; n > 0; n /= 2 {
		if m.less(m.tree[n], w) {
			m.tree[n], w = w, m.tree[n]
		}
	}
	m.tree[0] = w
}

// next returns the next rows, at most n, with all stored columns, or nil at the end.
func (m *merger) next(n int) (*vec.Batch, error) {
	m.sources, m.from = m.sources[:0], m.from[:0]
	for _, run := range m.runs {
		run.source = -1
	}
	for len(m.from) < n && len(m.runs) > 0 {
		run := m.runs[m.tree[0]]
		if run.b == nil {
			break
		}
		if run.source < 0 {
			run.source = int32(len(m.sources))
			m.sources = append(m.sources, mergeSource{b: run.b})
		}
		s := &m.sources[run.source]
		s.rows = append(s.rows, int32(run.at))
		m.from = append(m.from, run.source)
		if run.at++; run.at == run.b.Len {
			if err := m.load(run); err != nil {
				return nil, err
			}
		}
		m.replay(m.tree[0])
	}
	if len(m.from) == 0 {
		return nil, nil
	}
	return m.gather(), nil
}

// gather makes the batch of the chosen rows.
func (m *merger) gather() *vec.Batch {
	at := make([]int32, len(m.sources))
	next := int32(0)
	for i, s := range m.sources {
		at[i] = next
		next += int32(len(s.rows))
	}
	place := make([]int32, len(m.from))
	for i, s := range m.from {
		place[i] = at[s]
		at[s]++
	}
	b := vec.NewBatch(len(place))
	parts := make([]*vec.Vector, len(m.sources))
	for c, typ := range m.t.storedPlaced {
		for i, s := range m.sources {
			parts[i] = vec.GatherRows(s.b.Cols[c], s.rows)
		}
		v := vec.Concat(typ, parts...)
		if len(parts) > 1 {
			v = vec.GatherRows(v, place)
		}
		b.Cols = append(b.Cols, v)
	}
	return b
}

// mergedReader yields the rows of a sort from its runs.
type mergedReader struct {
	t    *sortState
	rows int
	m    *merger
	// skip rows come before the first, left rows are wanted; left is below zero for all.
	skip, left int64
}

func (r *mergedReader) start(int) (err error) {
	r.skip, r.left = r.t.s.offset, r.t.s.limit
	r.m, err = r.t.newMerger(r.t.spill.runs)
	return err
}

func (r *mergedReader) next() (*vec.Batch, error) {
	for {
		if r.left == 0 {
			return nil, nil
		}
		n := int64(r.rows)
		if r.skip == 0 && r.left > 0 {
			n = min(n, r.left)
		}
		b, err := r.m.next(int(n))
		if b == nil || err != nil {
			return nil, err
		}
		from := min(r.skip, int64(b.Len))
		r.skip -= from
		if from == int64(b.Len) {
			if err := r.t.r.check(); err != nil {
				return nil, err
			}
			continue
		}
		b = b.Slice(int(from), b.Len)
		if r.left >= 0 {
			b = b.Slice(0, int(min(int64(b.Len), r.left)))
			r.left -= int64(b.Len)
		}
		b.Cols = b.Cols[:len(r.t.s.types)]
		return b, nil
	}
}

func (r *mergedReader) close() {}
