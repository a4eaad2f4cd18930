package vexec

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/vec"
)

// joinBuild is the sink of a join's right side.
type joinBuild struct {
	label
	j *joinPlan
	// wanted says for which keys some source of the left side takes a filter.
	wanted []bool
}

// parallelBuildRows is the number of rows from which a hash table is built in partitions.
const parallelBuildRows = 64 << 10

// joinTable is a join's right side: all rows, and per distinct key the rows that have it. Until a pipeline through the probe begins the
// rows are only collected; what does not fit into memory then is on disk, see joinDisk.
type joinTable struct {
	b *joinBuild
	r *run

	mu     sync.Mutex
	locals []*joinBuildStep
	disk   joinDisk

	// allRows and anyNulls speak of all rows of the right side: how many there are, and whether one has a NULL in its key.
	allRows  int
	anyNulls atomic.Bool

	// What follows is about the rows in memory.
	charge charge
	rows   int
	cols   []*vec.Vector
	// tables number the keys by partition; base is what is added to the numbers of each.
	partBits uint
	tables   []*table
	base     []uint32
	// The rows with key g are order[start[g]:start[g+1]]; start is nil if every key has one row: order[g].
	start, order []int32

	// For three-valued joins: the rows with a NULL in their key, and the key columns if they are needed.
	nullRows []int32
	keyCols  []*vec.Vector

	// sets are what the sources of the left side may know of each key; nil where they do not ask.
	sets []*keySet
}

func (b *joinBuild) keySets(r *run) []*keySet {
	if t, ok := r.sinks[b].(*joinTable); ok {
		return t.sets
	}
	return nil
}

func (b *joinBuild) open(r *run) (sinkState, error) {
	return &joinTable{b: b, r: r, charge: r.charge()}, nil
}

func (t *joinTable) local(w *worker) (step, error) {
	return localStep(&t.mu, &t.locals, w, func() *joinBuildStep { return &joinBuildStep{t: t, store: newRowStore(t.r)} }), nil
}

// joinBuildStep stores what the join needs of its batches.
type joinBuildStep struct {
	ofWorker
	t     *joinTable
	store *rowStore
	// cutter is there once rows were spilled; spilled counts them.
	cutter  *cutter
	spilled int
}

func (s *joinBuildStep) push(b *vec.Batch) (status, error) {
	cols, err := s.t.b.j.stored.columns(s.t.r.env.Fn, b)
	if err != nil {
		return done, err
	}
	return more, s.store.addOrSpill(s.w.seq, b.Len, cols, s.spill)
}

func (s *joinBuildStep) endMorsel() error { return nil }
func (s *joinBuildStep) finish() error    { return nil }

// finalize leaves the rows where they are: the memory for the hash table is better spent when it is used. Only the sources of the left
// side learn of the keys, if all of them are in memory.
func (t *joinTable) finalize(context.Context) error {
	var batches []storedBatch
	for _, l := range t.locals {
		t.allRows += l.store.rows + l.spilled
		batches = append(batches, l.store.batches...)
	}
	if t.disk.file != nil {
		return t.spillAll()
	}
	if t.b.j.layout != nil {
		t.sets = newKeySets(t.b.wanted, len(batches), func(b, k int) *vec.Vector { return t.b.j.stored.keys(batches[b].cols)[k] })
	}
	t.r.wait(t)
	return nil
}

// used is the memory of the rows that wait.
func (t *joinTable) used() int64 {
	n := int64(0)
	for _, l := range t.locals {
		n += l.store.charge.used()
	}
	return n
}

// begin makes the hash table, of as many rows as there is room for. The first pipeline through the probe is about to begin.
func (t *joinTable) begin() error {
	t.r.resume(t)
	if t.disk.file == nil {
		roomy, err := t.makeRoom(int64(t.allRows)*t.rowBytes(), t.used())
		if err != nil {
			return err
		}
		if !roomy && t.r.env.Spill == nil {
			return t.charge.grow(int64(t.allRows) * t.rowBytes())
		}
		if !roomy {
			if err := t.spillAll(); err != nil {
				return err
			}
		}
	}
	if t.disk.file != nil {
		batches, err := t.resident()
		if err != nil {
			return err
		}
		return t.build(batches)
	}
	stores := make([]*rowStore, len(t.locals))
	for i, l := range t.locals {
		stores[i] = l.store
	}
	batches, _ := gatherStores(stores)
	return t.build(batches)
}

// build makes the hash table of rows that are charged for.
func (t *joinTable) build(batches []storedBatch) error {
	j := t.b.j
	t.rows = 0
	for _, b := range batches {
		t.rows += b.n
	}
	if j.layout == nil {
		t.start, t.order = []int32{0, int32(t.rows)}, identity(t.rows)
	} else if err := t.index(batches); err != nil {
		return err
	}
	if j.stored.width == 0 && !j.keepKeys {
		return nil
	}
	stored, err := joinBatches(t.r, batches, j.stored.types(j.right))
	if err != nil {
		return err
	}
	t.cols, t.keyCols = stored[:j.stored.width], j.stored.keys(stored)
	return nil
}

// rowBytes is what the hash table takes per row beyond the row: hash, key words, group, place in the order; and a table with up to one
// slot and a half, rounded up.
func (t *joinTable) rowBytes() int64 {
	if t.b.j.layout == nil {
		return 4
	}
	return int64(8 + 8*max(t.b.j.layout.words, 2) + 4 + 4 + 24)
}

// release gives the right side up.
func (t *joinTable) release() {
	t.r.resume(t)
	for _, l := range t.locals {
		l.store.clear()
	}
	t.drop()
	t.locals = nil
	for _, f := range []*spillFile{t.disk.file, t.disk.leftFile} {
		if f != nil {
			t.r.closeFile(f)
		}
	}
	t.disk = joinDisk{}
}

// drop gives up what is in memory.
func (t *joinTable) drop() {
	t.charge.clear()
	t.rows, t.cols, t.tables, t.base, t.start, t.order, t.nullRows, t.keyCols = 0, nil, nil, nil, nil, nil, nil, nil
}

func identity(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// keyedBatch is a stored batch with its keys.
type keyedBatch struct {
	first int // number of its first row
	keys  keyBatch
	parts [][]int32
}

// index numbers the keys and orders the rows by them.
func (t *joinTable) index(batches []storedBatch) error {
	j := t.b.j
	if t.rows >= parallelBuildRows && t.r.env.Workers > 1 {
		t.partBits = t.r.env.partBits()
	}
	keyed := make([]keyedBatch, len(batches))
	first := 0
	for i, b := range batches {
		keyed[i].first = first
		first += b.n
	}
	err := t.r.parallel(len(batches), func(i int) error {
		k, b := &keyed[i], batches[i]
		if err := j.layout.fill(&k.keys, j.stored.keys(b.cols), b.n, true); err != nil {
			return err
		}
		k.keys.settle()
		var p partitioner
		k.parts = p.splitValid(&k.keys, t.partBits)
		return nil
	})
	if err != nil {
		return err
	}
	if j.threeValued {
		t.collectNulls(keyed)
		if len(t.nullRows) > 0 {
			t.anyNulls.Store(true)
		}
	}
	for i := range keyed {
		keyed[i].keys.valid = nil // parts have only rows with a key
	}
	return t.number(keyed)
}

// collectNulls sets nullRows.
func (t *joinTable) collectNulls(keyed []keyedBatch) {
	for i := range keyed {
		k := &keyed[i]
		if k.keys.valid == nil {
			continue
		}
		for r := range k.keys.n {
			if !k.keys.valid.Get(r) {
				t.nullRows = append(t.nullRows, int32(k.first+r))
			}
		}
	}
}

// number fills the tables and orders the rows, partitions in parallel.
func (t *joinTable) number(keyed []keyedBatch) error {
	parts := 1 << t.partBits
	t.tables, t.base = make([]*table, parts), make([]uint32, parts)
	groupOf := make([]uint32, t.rows)
	partRows := make([]int, parts)
	err := t.r.parallel(parts, func(p int) error {
		tab := newTable(t.b.j.layout)
		t.tables[p] = tab
		for i := range keyed {
			partRows[p] += len(keyed[i].parts[p])
		}
		if err := tab.reserve(partRows[p]); err != nil {
			return err
		}
		for i := range keyed {
			k := &keyed[i]
			if err := tab.assign(&k.keys, k.parts[p], groupOf[k.first:k.first+k.keys.n]); err != nil {
				return err
			}
			if err := t.r.check(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	groups, total := 0, 0
	firstRow := make([]int, parts)
	for p, tab := range t.tables {
		t.base[p] = uint32(groups)
		firstRow[p] = total
		groups += tab.count
		total += partRows[p]
	}
	t.order = make([]int32, total)
	if groups < total {
		t.start = make([]int32, groups+1)
		t.start[groups] = int32(total)
	}
	return t.r.parallel(parts, func(p int) error {
		t.arrange(p, keyed, groupOf, firstRow[p])
		return nil
	})
}

// arrange writes the part of order, and of start, that belongs to partition p, whose rows begin at first.
func (t *joinTable) arrange(p int, keyed []keyedBatch, groupOf []uint32, first int) {
	base := int(t.base[p])
	if t.start == nil {
		for i := range keyed {
			k := &keyed[i]
			for _, r := range k.parts[p] {
				row := k.first + int(r)
				t.order[base+int(groupOf[row])] = int32(row)
			}
		}
		return
	}
	at := make([]int32, t.tables[p].count+1)
	for i := range keyed {
		k := &keyed[i]
		for _, r := range k.parts[p] {
			at[groupOf[k.first+int(r)]+1]++
		}
	}
	at[0] = int32(first)
	for g := 1; g < len(at); g++ {
		at[g] += at[g-1]
	}
	copy(t.start[base:], at[:len(at)-1])
	for i := range keyed {
		k := &keyed[i]
		for _, r := range k.parts[p] {
			row := k.first + int(r)
			g := groupOf[row]
			t.order[at[g]] = int32(row)
			at[g]++
		}
	}
}

// needsRight tells whether a join of this kind yields nothing if the right side is empty.
func needsRight(k plan.JoinKind) bool {
	return k == plan.Inner || k == plan.Cross || k == plan.Right || k == plan.Semi
}
