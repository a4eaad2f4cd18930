package vexec

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// sorter is the sink of ORDER BY. Workers store their rows; in the end ranges of all rows are sorted in parallel and merged. With a
// small limit each worker keeps only the rows that can still be among the first. A worker that runs out of memory sorts what it has and
// writes it to disk; then all rows go there, and the source merges them.
type sorter struct {
	label
	keys   storedKeys
	orders []vec.Order
	types  []types.Type
	// variants says that some key is a VARIANT, whose order is known only once all rows are.
	variants bool
	// offset rows are skipped, then limit rows kept; limit is below zero for all.
	limit, offset int64
}

// topRows is the most rows for which workers forget what cannot be among the first.
const topRows = 1 << 16

func (b *builder) sort(n *plan.Sort) (heads, error) {
	if early, f, ok := lateColumns(n, b.env); ok {
		h, err := b.sort(early)
		if err != nil {
			return nil, err
		}
		return h.then(f), nil
	}
	s := &sorter{label: label{"sort", n}, types: schemaTypes(n.Input.Schema()), limit: n.Limit, offset: n.Offset}
	var keys []expr.Expr
	for _, k := range n.Keys {
		if k.Expr.Type().IsVariant() && !b.env.Fn.VariantTotalOrder {
			return nil, sqlerr.New(sqlerr.Type, "a VARIANT cannot be ordered; CAST it to a type or SET variant_total_order = true")
		}
		s.variants = s.variants || k.Expr.Type().IsVariant()
		keys = append(keys, k.Expr)
		s.orders = append(s.orders, vec.Order{Desc: k.Desc, NullsFirst: k.NullsFirst})
	}
	s.keys = newStoredKeys(len(s.types), keys)
	if s.limit >= 0 && s.limit+s.offset <= topRows {
		s.text = "top-n"
		if !s.variants {
			b.offer(n.Input, keys[0], &topFilter{s, s.orders[0]})
		}
	}
	h, err := b.build(n.Input)
	if err != nil {
		return nil, err
	}
	b.end(h, s, false)
	out := b.start(&sorted{label{"sorted", n}, s})
	out[0].serial = true
	return out, nil
}

// keep returns how many rows the result needs before the offset is skipped, below zero for all.
func (s *sorter) keep() int64 {
	if s.limit < 0 {
		return -1
	}
	return s.limit + s.offset
}

// sortState is what the workers share.
type sortState struct {
	s *sorter
	r *run

	// stored are the types of the columns with the keys, storedPlaced with the places too.
	stored, storedPlaced []types.Type

	mu     sync.Mutex
	locals []*sortStep
	spill  sortSpill

	// first is the tightest bound of the first key that a worker has found: what sorts behind it is not in the result (top-n).
	first atomic.Pointer[vec.Vector]

	// charge is that of the merge.
	charge charge

	// The result, unless runs are on disk: rows of cols in this order.
	cols  []*vec.Vector
	order []int32
}

// sortRowBytes is what sorting needs for a row: two items and a number.
const sortRowBytes = 36

func (s *sorter) open(r *run) (sinkState, error) {
	t := &sortState{s: s, r: r, stored: s.keys.types(s.types), charge: r.charge()}
	t.storedPlaced = append(slices.Clone(t.stored), types.Of(types.BigInt))
	return t, nil
}

func (t *sortState) local(w *worker) (step, error) {
	return localStep(&t.mu, &t.locals, w, func() *sortStep {
		s := &sortStep{t: t, store: newRowStore(t.r), buffer: minTopBuffer}
		s.store.perRow = sortRowBytes
		return s
	}), nil
}

// release gives the rows up.
func (t *sortState) release() {
	for _, l := range t.locals {
		l.store.clear()
	}
	t.charge.clear()
	t.cols, t.order, t.locals = nil, nil, nil
	if t.spill.file != nil {
		t.r.closeFile(t.spill.file)
	}
	t.spill = sortSpill{}
}

// sortStep stores the columns of its batches, and the keys.
type sortStep struct {
	ofWorker
	t     *sortState
	store *rowStore
	enc   spillEncoder
	// bound are the keys of the last row that can be in the result, once more rows than that were seen (top-n).
	bound []*vec.Vector
	// buffer is how many rows top-n collects beyond twice the limit before it looks for those that it can forget.
	buffer int64
}

func (s *sortStep) push(b *vec.Batch) (status, error) {
	sorter := s.t.s
	if sorter.keep() == 0 {
		return done, nil
	}
	cols, err := sorter.keys.columns(s.t.r.env.Fn, b)
	if err != nil {
		return done, err
	}
	if s.bound != nil {
		keys := sorter.keys.keys(cols)
		for i, k := range keys {
			keys[i] = plain(k)
		}
		sel := withinBound(keys, b.Len, s.bound, sorter.orders)
		if len(sel) == 0 {
			return more, nil
		}
		b = vec.NewBatch(b.Len, cols...).Gather(sel)
		cols = b.Cols
	}
	if err := s.store.addOrSpill(s.w.seq, b.Len, cols, s.spillRun); err != nil {
		return done, err
	}
	if keep := sorter.keep(); keep >= 0 && keep <= topRows && !sorter.variants && int64(s.store.rows) > 2*keep+s.buffer {
		s.buffer = min(2*s.buffer, maxTopBuffer)
		return more, s.forget(int(keep))
	}
	return more, nil
}

// The first bound comes soon, since it may save reading most of a table; the later ones, if they are needed at all, come less often.
const (
	minTopBuffer = 64
	maxTopBuffer = 4096
)

// publish tells the sources of a bound.
func (t *sortState) publish(bound *vec.Vector) {
	t.mu.Lock()
	defer t.mu.Unlock()
	old := t.first.Load()
	if old == nil || vec.CompareRows([]*vec.Vector{bound}, 0, []*vec.Vector{old}, 0, t.s.orders[:1]) < 0 {
		t.first.Store(bound)
	}
}

// forget drops all rows but the first keep.
func (s *sortStep) forget(keep int) error {
	t := s.t
	batches, rows := gatherStores([]*rowStore{s.store})
	ts := t.s.keys.types(t.s.types)
	cols := make([]*vec.Vector, len(ts))
	for c := range ts {
		parts := make([]*vec.Vector, len(batches))
		for i, b := range batches {
			parts[i] = b.cols[c]
		}
		cols[c] = vec.Concat(ts[c], parts...)
	}
	keys := t.s.keys.keys(cols)
	o := newOrdering(keys, t.s.orders, rows)
	o.sort(0, rows)
	order := o.rows(0, keep)
	s.bound = make([]*vec.Vector, len(keys))
	for i, k := range keys {
		s.bound[i] = detach(vec.GatherRows(k, order[keep-1:]))
	}
	t.publish(s.bound[0])
	// The rows that stay go back in the order of the input, so that equal ones keep it.
	stay := keepOrder(order, rows)
	seqs := seqRuns(batches, stay)
	s.store.clear()
	from := 0
	for _, run := range seqs {
		part := make([]*vec.Vector, len(cols))
		for c, v := range cols {
			part[c] = vec.GatherRows(v, stay[from:from+run.n])
		}
		if err := s.store.addOrSpill(run.seq, run.n, part, s.spillRun); err != nil {
			return err
		}
		from += run.n
	}
	return nil
}

// keepOrder returns the rows of order in ascending order.
func keepOrder(order []int32, n int) []int32 {
	in := vec.NewBitmap(n)
	for _, r := range order {
		in.Set(int(r))
	}
	out := make([]int32, 0, len(order))
	for i := range n {
		if in.Get(i) {
			out = append(out, int32(i))
		}
	}
	return out
}

// seqRuns cuts ascending rows of the joined batches into runs of one morsel each; only seq and n are set.
func seqRuns(batches []storedBatch, rows []int32) []storedBatch {
	var out []storedBatch
	end, k := 0, 0
	for _, b := range batches {
		end += b.n
		n := 0
		for k < len(rows) && int(rows[k]) < end {
			k++
			n++
		}
		switch last := len(out) - 1; {
		case n == 0:
		case last >= 0 && out[last].seq == b.seq:
			out[last].n += n
		default:
			out = append(out, storedBatch{seq: b.seq, n: n})
		}
	}
	return out
}

func (s *sortStep) endMorsel() error { return nil }
func (s *sortStep) finish() error    { return nil }

// finalize sorts the rows of all workers.
func (t *sortState) finalize(context.Context) error {
	if len(t.spill.runs) > 0 {
		return t.finishRuns()
	}
	stores := make([]*rowStore, len(t.locals))
	for i, l := range t.locals {
		stores[i] = l.store
	}
	batches, rows := gatherStores(stores)
	stored, err := joinBatches(t.r, batches, t.stored)
	if err != nil {
		return err
	}
	t.cols = stored[:len(t.s.types)]
	o, err := t.sort(stored, rows)
	if err != nil {
		return err
	}
	from, to := min(int(t.s.offset), rows), rows
	if keep := t.s.keep(); keep >= 0 {
		to = int(min(int64(rows), keep))
	}
	t.order = o.rows(from, max(from, to))
	return nil
}

// sort orders rows of stored columns.
func (t *sortState) sort(stored []*vec.Vector, rows int) (*ordering, error) {
	keys := t.s.keys.keys(stored)
	for i, k := range keys {
		if k.Type.IsVariant() {
			keys[i] = variantRanks(k)
		}
	}
	o := newOrdering(keys, t.s.orders, rows)
	return o, o.sortParallel(t.r)
}

// sorted is the source of the rows of a sorter, in order: one morsel, for one worker.
type sorted struct {
	label
	of *sorter
}

func (s *sorted) uses() sink { return s.of }

func (s *sorted) open(r *run) (sourceState, error) {
	return &sortedState{t: r.sinks[s.of].(*sortState), rows: r.env.batchRows()}, nil
}

type sortedState struct {
	t    *sortState
	rows int
}

func (s *sortedState) morsels() int { return 1 }

func (s *sortedState) reader(*worker) (reader, error) {
	if s.t.spill.file != nil {
		return &mergedReader{t: s.t, rows: s.rows}, nil
	}
	return &sortedReader{s: s}, nil
}

type sortedReader struct {
	s    *sortedState
	rest []int32
}

func (r *sortedReader) start(int) error {
	r.rest = r.s.t.order
	return nil
}

func (r *sortedReader) next() (*vec.Batch, error) {
	if len(r.rest) == 0 {
		return nil, nil
	}
	rows := r.rest[:min(len(r.rest), r.s.rows)]
	r.rest = r.rest[len(rows):]
	b := vec.NewBatch(len(rows))
	for _, c := range r.s.t.cols {
		b.Cols = append(b.Cols, vec.GatherRows(c, rows))
	}
	return b, nil
}

func (r *sortedReader) close() {}
