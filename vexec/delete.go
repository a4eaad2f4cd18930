package vexec

import (
	"context"
	"math/bits"
	"sync"

	"github.com/ebira-db/ebira/cache"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/vec"
)

// remover is the sink of DELETE, UPDATE and MERGE: it collects the ids of rows, and sends the new rows of an UPDATE to a writer. A row that
// comes several times counts once; of an UPDATE its first version is written.
type remover struct {
	label
	n *plan.Delete
	// writer is nil for DELETE.
	writer *writer
}

func (b *builder) delete(n *plan.Delete) (heads, error) {
	h, err := b.build(n.Input)
	if err != nil {
		return nil, err
	}
	d := &remover{label: label{"delete", n}, n: n}
	if n.Merge {
		d.text = "merge"
		d.writer = newWriter(n, n.Table)
	} else if n.Update {
		d.text = "update"
		d.writer = newWriter(n, n.Table)
	}
	b.end(h, d, false)
	return b.start(&rowCount{label{"row count", n}, d}), nil
}

type removeState struct {
	d      *remover
	r      *run
	writes *writeState

	mu      sync.Mutex
	account *cache.Account
	rows    map[segment.ID]vec.Bitmap // by ordinal, as long as need be
	count   int64
	added   int64 // rows of a merge that replace none
}

func (d *remover) open(r *run) (sinkState, error) {
	s := &removeState{d: d, r: r, account: r.account(), rows: map[segment.ID]vec.Bitmap{}}
	if d.writer != nil {
		w, err := d.writer.open(r)
		if err != nil {
			return nil, err
		}
		s.writes = w.(*writeState)
	}
	return s, nil
}

func (s *removeState) local(w *worker) (step, error) {
	step := &removeStep{s: s}
	if s.writes != nil {
		next, err := s.writes.local(w)
		if err != nil {
			return nil, err
		}
		step.next = next
	}
	return step, nil
}

type removeStep struct {
	s    *removeState
	next step // nil for DELETE
}

func (p *removeStep) push(b *vec.Batch) (status, error) {
	k := len(b.Cols) - 2
	if p.s.d.n.Merge {
		return p.merge(b, k)
	}
	ids, ordinals := flat(b.Cols[k]), flat(b.Cols[k+1])
	fresh, err := p.s.add(vec.Slice[int64](ids), vec.Slice[int64](ordinals))
	if err != nil {
		return done, err
	}
	if p.next == nil || len(fresh) == 0 {
		return more, nil
	}
	rows := vec.NewBatch(b.Len, b.Cols[:k]...).Gather(fresh)
	return p.next.push(rows)
}

// merge takes rows of which some delete, some write and some do both; k is the column of the segment ids.
func (p *removeStep) merge(b *vec.Batch, k int) (status, error) {
	ids, ordinals, written := flat(b.Cols[k]), flat(b.Cols[k+1]), flat(b.Cols[k-1])
	var oldIDs, oldOrdinals []int64
	var rows vec.Sel
	for i := range b.Len {
		if !ids.IsNull(i) {
			oldIDs, oldOrdinals = append(oldIDs, vec.Slice[int64](ids)[i]), append(oldOrdinals, vec.Slice[int64](ordinals)[i])
		}
		if vec.Slice[bool](written)[i] {
			rows = append(rows, uint16(i))
		}
	}
	if _, err := p.s.add(oldIDs, oldOrdinals); err != nil {
		return done, err
	}
	p.s.mu.Lock()
	p.s.added += int64(b.Len - len(oldIDs))
	p.s.mu.Unlock()
	if len(rows) == 0 {
		return more, nil
	}
	return p.next.push(vec.NewBatch(b.Len, b.Cols[:k-1]...).Gather(rows))
}

// add notes rows and returns which of them were not known.
func (s *removeState) add(ids, ordinals []int64) (vec.Sel, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh := make(vec.Sel, 0, len(ids))
	for i, x := range ids {
		id, o := segment.ID(x), int(ordinals[i])
		set := s.rows[id]
		if word := o >> 6; word >= len(set) {
			grown := make(vec.Bitmap, max(word+1, 2*len(set)))
			if err := s.account.Grow(int64(len(grown)-len(set)) * 8); err != nil {
				return nil, err
			}
			copy(grown, set)
			set = grown
			s.rows[id] = set
		} else if set.Get(o) {
			if s.d.n.Once {
				return nil, sqlerr.New(sqlerr.Constraint, "a row of table %s.%s matches several source rows; make the source rows unique, for example with GROUP BY or QUALIFY row_number() OVER (...) = 1", s.d.n.Table.Database, s.d.n.Table.Name)
			}
			continue
		}
		set.Set(o)
		fresh = append(fresh, uint16(i))
	}
	s.count += int64(len(fresh))
	return fresh, nil
}

func (p *removeStep) endMorsel() error {
	if p.next == nil {
		return nil
	}
	return p.next.endMorsel()
}

func (p *removeStep) finish() error {
	if p.next == nil {
		return nil
	}
	return p.next.finish()
}

func (s *removeState) finalize(ctx context.Context) error {
	if s.writes != nil {
		if err := s.writes.finalize(ctx); err != nil {
			return err
		}
	}
	e := &s.r.effects
	e.Deleted = map[segment.ID][]uint32{}
	for id, set := range s.rows {
		var rows []uint32
		for w, word := range set {
			for ; word != 0; word &= word - 1 {
				rows = append(rows, uint32(w<<6+bits.TrailingZeros64(word)))
			}
		}
		e.Deleted[id] = rows
	}
	e.DeletedRows, e.AddedRows = s.count, s.added
	return nil
}

// rowCount is what the statement reports.
func (s *removeState) rowCount() int64 { return s.count + s.added }
