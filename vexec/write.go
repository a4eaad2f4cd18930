package vexec

import (
	"context"
	"sync"
	"unicode/utf8"

	"github.com/ebira-db/ebira/cache"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// Effects is what a statement wants to be committed.
type Effects struct {
	// Segments are new files, written and complete but not yet part of a table.
	Segments []*segment.Meta
	// Batches are rows, in table column order, that are too few for a segment: they ride inside the Edit.
	Batches []*vec.Batch
	// Deleted are the ordinals of deleted rows, ascending, by segment or batch.
	Deleted map[segment.ID][]uint32
	// WrittenRows and DeletedRows count rows. An UPDATE counts in both. AddedRows are the rows of a MERGE that replace none.
	WrittenRows, DeletedRows, AddedRows int64
	// Losses is what VARIANT values lost on their way into the table.
	Losses segment.Losses
}

// Effects returns what the last run changed; it is empty if that failed.
func (q *Query) Effects() Effects {
	if q.last == nil {
		return Effects{}
	}
	return q.last.effects
}

// writer is the sink of INSERT, CREATE TABLE AS and COPY.
type writer struct {
	label
	table *catalog.Table
}

func newWriter(n plan.Node, t *catalog.Table) *writer { return &writer{label{"write", n}, t} }

func (b *builder) write(n *plan.Write) (heads, error) {
	h, err := b.build(n.Input)
	if err != nil {
		return nil, err
	}
	w := newWriter(n, n.Table)
	if !b.env.Options.NoDirectVariants {
		if d := directWriteOf(n, w); d != nil {
			h[0].src.(*stageSource).direct = d
		}
	}
	b.end(h, w, false)
	return b.start(&rowCount{label{"row count", n}, w}), nil
}

// writeState is what the workers share.
type writeState struct {
	w *writer
	r *run

	mu       sync.Mutex
	locals   []*writeStep
	segments []*segment.Meta
	losses   segment.Losses
	written  int64
}

func (w *writer) open(r *run) (sinkState, error) {
	if r.env.NewSegment == nil {
		return nil, sqlerr.New(sqlerr.Unsupported, "tables cannot be written here")
	}
	s := &writeState{w: w, r: r}
	r.atEnd(s.abandon)
	return s, nil
}

func (s *writeState) local(w *worker) (step, error) {
	return localStep(&s.mu, &s.locals, w, func() *writeStep { return &writeStep{s: s, store: newRowStore(s.r), account: s.r.account()} }), nil
}

// writeStep holds the rows of one worker back until they are enough for a segment, and writes them from then on.
type writeStep struct {
	ofWorker
	s     *writeState
	store *rowStore
	// account is for what the open segment holds in memory.
	account *cache.Account
	out     *segment.Writer
	outRows int64
}

func (l *writeStep) push(b *vec.Batch) (status, error) {
	if err := l.s.w.verify(b); err != nil {
		return done, err
	}
	l.s.mu.Lock()
	l.s.written += int64(b.Len)
	l.s.mu.Unlock()
	if l.out != nil {
		return more, l.append(b)
	}
	if err := l.store.add(own(l.w.seq, b.Len, b.Cols), l.store.charge.grow); err != nil {
		return done, err
	}
	rows, bytes := l.s.r.env.deltaLimits()
	if int64(l.store.rows) > rows || l.store.charge.used() > bytes {
		return more, l.spill()
	}
	return more, nil
}

// spill writes the rows held back to a segment.
func (l *writeStep) spill() error {
	batches, _ := gatherStores([]*rowStore{l.store})
	for _, b := range batches {
		if err := l.append(vec.NewBatch(b.n, b.cols...)); err != nil {
			return err
		}
	}
	l.store.clear()
	return nil
}

// append writes b to the open segment, and begins a new one where that is full.
func (l *writeStep) append(b *vec.Batch) error {
	for b.Len > 0 {
		if l.out == nil {
			out, err := l.s.r.env.NewSegment(l.s.w.table)
			if err != nil {
				return err
			}
			l.out, l.outRows = out, 0
		}
		n := int(min(int64(b.Len), segment.MaxRows-l.outRows))
		if err := l.out.Append(b.Slice(0, n)); err != nil {
			return err
		}
		l.outRows += int64(n)
		if err := l.account.Resize(l.out.SizeBytes()); err != nil {
			return err
		}
		b = b.Slice(n, b.Len)
		if l.outRows == segment.MaxRows {
			if err := l.endSegment(); err != nil {
				return err
			}
		}
	}
	return nil
}

// endSegment completes the open segment.
func (l *writeStep) endSegment() error {
	if l.out == nil {
		return nil
	}
	out := l.out
	meta, err := out.Finish()
	l.out = nil
	l.account.Close()
	if err != nil {
		return err
	}
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	l.s.segments = append(l.s.segments, meta)
	l.s.losses.Add(out.Losses())
	return nil
}

func (l *writeStep) endMorsel() error { return nil }
func (l *writeStep) finish() error    { return nil }

// finalize ends the open segments. The rows still held back become a batch of the Edit, or go to a segment if there are many.
func (s *writeState) finalize(context.Context) error {
	var stores []*rowStore
	var rows, bytes int64
	opened := len(s.segments) > 0
	for _, l := range s.locals {
		stores = append(stores, l.store)
		rows += int64(l.store.rows)
		bytes += l.store.charge.used()
		opened = opened || l.out != nil
	}
	maxRows, maxBytes := s.r.env.deltaLimits()
	switch {
	case rows == 0:
	case !opened && rows <= maxRows && bytes <= maxBytes:
		if err := s.deliver(stores); err != nil {
			return err
		}
	default:
		if err := s.spillRest(); err != nil {
			return err
		}
	}
	err := s.r.parallel(len(s.locals), func(i int) error { return s.locals[i].endSegment() })
	s.r.effects.Segments, s.r.effects.Losses = s.segments, s.losses
	s.r.effects.WrittenRows = s.written
	return err
}

// spillRest writes the rows held back to the segment that some worker has open, or to a new one.
func (s *writeState) spillRest() error {
	into := s.locals[0]
	for _, l := range s.locals {
		if l.out != nil {
			into = l
			break
		}
	}
	for _, l := range s.locals {
		batches, _ := gatherStores([]*rowStore{l.store})
		for _, b := range batches {
			if err := into.append(vec.NewBatch(b.n, b.cols...)); err != nil {
				return err
			}
		}
	}
	return nil
}

// deliver makes a batch of the Edit of the rows held back.
func (s *writeState) deliver(stores []*rowStore) error {
	batches, rows := gatherStores(stores)
	ts := make([]types.Type, len(s.w.table.Columns))
	for i, c := range s.w.table.Columns {
		ts[i] = c.Type
	}
	cols, err := joinBatches(s.r, batches, ts)
	if err != nil {
		return err
	}
	for i, c := range cols {
		c, removed := conform(vec.Flatten(c), ts[i])
		s.losses.Removed += int64(removed)
		cols[i] = detach(c)
	}
	s.r.effects.Batches = []*vec.Batch{vec.NewBatch(rows, cols...)}
	return nil
}

func (s *writeState) rowCount() int64 { return s.written }

// abandon drops the segments that a failed run left open.
func (s *writeState) abandon() {
	for _, l := range s.locals {
		if l.out != nil {
			l.out.Abort()
			l.out = nil
		}
	}
}

// verify checks what a table asks of its rows: NOT NULL, and the length of VARCHAR(n).
func (w *writer) verify(b *vec.Batch) error {
	if len(b.Cols) != len(w.table.Columns) {
		return sqlerr.New(sqlerr.Internal, "BUG: %d columns for the %d of table %s", len(b.Cols), len(w.table.Columns), w.table.Name)
	}
	for i, v := range b.Cols {
		c := &w.table.Columns[i]
		if v == nil {
			continue // the shredder has the values
		}
		if c.NotNull && v.HasNulls() {
			for r := range b.Len {
				if v.IsNull(r) {
					return sqlerr.New(sqlerr.Constraint, "column %s of table %s is NOT NULL, but a row has NULL for it", types.QuoteName(c.Name), types.QuoteName(w.table.Name))
				}
			}
		}
		if c.Type.Kind == types.Varchar && c.Type.Length > 0 {
			if err := checkLength(v, b.Len, c, w.table.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkLength looks for a text with more characters than its column allows.
func checkLength(v *vec.Vector, n int, c *catalog.Column, table string) error {
	limit := int(c.Type.Length)
	v = flat(v)
	if v.Data == nil {
		return nil
	}
	for i := range vec.Slice[vec.View](v)[:n] {
		x := &vec.Slice[vec.View](v)[i]
		if x.Len() <= limit || !v.Valid.Get(i) {
			continue
		}
		if chars := utf8.RuneCount(x.Bytes(v.Bufs)); chars > limit {
			return sqlerr.New(sqlerr.OutOfRange, "a text of %d characters is too long for column %s %s of table %s",
				chars, types.QuoteName(c.Name), c.Type, types.QuoteName(table))
		}
	}
	return nil
}

// rowCount is the source of the single row that says how many rows a statement changed.
type rowCount struct {
	label
	of sink
}

func (c *rowCount) open(r *run) (sourceState, error) {
	n := r.sinks[c.of].(interface{ rowCount() int64 }).rowCount()
	one := vec.NewFlat(types.Of(types.BigInt), []int64{n}, nil)
	return &batchList{groups: [][]*vec.Batch{{vec.NewBatch(1, one)}}}, nil
}

// conform applies the Schema Template of a VARIANT column to rows that go into the Edit; those of segments meet it in the shredder. It
// counts the values that it removed.
func conform(v *vec.Vector, t types.Type) (*vec.Vector, int) {
	if t.Kind != types.Variant || t.Variant == nil || len(t.Variant.Template) == 0 {
		return v, 0
	}
	return variant.NewTemplate(t.Variant).Apply(v)
}
