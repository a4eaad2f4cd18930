package vexec

import (
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/vec"
)

// aggPart is a table with the states of its groups, by number.
type aggPart struct {
	table *table // nil without keys
	accs  []function.Accumulator
}

// newPart makes a part without groups for the worker with the given interners.
func (s *aggState) newPart(interners []*interner) *aggPart {
	p := &aggPart{}
	if s.layout != nil {
		p.table = newTable(s.layout)
		p.table.interners = interners
	}
	for _, call := range s.a.inputs.calls {
		p.accs = append(p.accs, call.fn.New(s.r.env.Fn))
	}
	return p
}

// groups returns the number of groups of p.
func (p *aggPart) groups() int {
	if p.table == nil {
		return 1
	}
	return p.table.count
}

// SizeBytes estimates the memory held.
func (p *aggPart) SizeBytes() int64 {
	if p == nil {
		return 0
	}
	n := int64(0)
	if p.table != nil {
		n = p.table.SizeBytes()
	}
	for _, a := range p.accs {
		n += a.SizeBytes()
	}
	return n
}

// partAdder adds to parts; it holds scratch memory of one worker.
type partAdder struct {
	// last says that no more rows are stored, so that parts may take over their texts.
	last     bool
	args     []*vec.Vector
	ids      []uint32
	from, to []uint32
}

// update adds n rows to the states of p: row i to group ids[i], or all to the only one if ids is nil.
func (x *partAdder) update(in *aggInputs, p *aggPart, ids []uint32, inputs []*vec.Vector, n int) error {
	count := p.groups()
	for i, acc := range p.accs {
		call := &in.calls[i]
		x.args = x.args[:0]
		for _, a := range call.args {
			x.args = append(x.args, inputs[a])
		}
		groups, m := ids, n
		if call.filter >= 0 {
			sel := vec.SelectTrue(inputs[call.filter])
			if m = len(sel); m == 0 {
				continue
			}
			for k, v := range x.args {
				x.args[k] = vec.GatherSel(plain(v), sel)
			}
			if ids != nil {
				x.to = sized(x.to, m)
				for k, r := range sel {
					x.to[k] = ids[r]
				}
				groups = x.to
			}
		}
		if err := acc.Update(groups, count, x.args, m); err != nil {
			return err
		}
	}
	return nil
}

// take adds the given groups of from, whose keys in the layout of p are given, to p.
func (x *partAdder) take(p, from *aggPart, rows []int32, keys *keyBatch) error {
	if len(rows) == 0 {
		return nil
	}
	x.ids = sized(x.ids, keys.n)
	if err := p.table.assign(keys, rows, x.ids); err != nil {
		return err
	}
	x.from, x.to = sized(x.from, len(rows)), sized(x.to, len(rows))
	for i, r := range rows {
		x.from[i], x.to[i] = uint32(r), x.ids[r]
	}
	return p.merge(from, x.from, x.to)
}

// takeAll is take for all groups.
func (x *partAdder) takeAll(p, from *aggPart, keys *keyBatch) error {
	if p.table != nil {
		return x.take(p, from, p.table.allRows(keys.n), keys)
	}
	return p.merge(from, []uint32{0}, []uint32{0})
}

// rows adds the rows of partition n that l has stored to p, and forgets them. mapping translates text numbers, nil where they are those
// of p.
func (x *partAdder) rows(p *aggPart, l *aggLocal, n int, mapping [][]uint32) error {
	if l.rows == nil {
		return nil
	}
	var kb keyBatch
	adopted := x.last && l.rows.views != nil && p.table.adopt(&l.rows.views.arenas[n])
	for k := range l.rows.chunks[n] {
		inputs := l.rows.read(n, k, &kb)
		kb.stored = adopted
		if mapping != nil {
			kb.words = l.s.layout.translate(kb.words, mapping)
		}
		x.ids = sized(x.ids, kb.n)
		if err := p.table.assign(&kb, nil, x.ids); err != nil {
			return err
		}
		if err := x.update(l.s.a.inputs, p, x.ids, inputs, kb.n); err != nil {
			return err
		}
	}
	l.rows.free(n)
	return nil
}

// merge adds groups of another part.
func (p *aggPart) merge(from *aggPart, groups, to []uint32) error {
	for i, acc := range p.accs {
		if err := acc.Merge(from.accs[i], groups, to, p.groups()); err != nil {
			return err
		}
	}
	return nil
}
