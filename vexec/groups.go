package vexec

import (
	"context"
	"slices"

	"github.com/ebira-db/ebira/vec"
)

// finalize merges the parts of all workers.
func (s *aggState) finalize(context.Context) error {
	s.locals = slices.DeleteFunc(s.locals, func(l *aggLocal) bool { return l.parts == nil })
	if len(s.locals) == 0 {
		if s.a.layout == nil {
			s.parts = []*aggPart{s.newPart(0, nil)}
		}
		return nil
	}
	cut, total := false, 0
	for _, l := range s.locals {
		cut = cut || len(l.parts) > 1
		total += l.parts[0].groups()
	}
	cut = cut || s.layout != nil && len(s.locals) > 1 && total > s.r.env.partitionGroups() && !s.locals[0].tooHeavy()
	if cut {
		err := s.r.parallel(len(s.locals), func(i int) error {
			if l := s.locals[i]; len(l.parts) == 1 {
				return l.cut()
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := s.unifyTexts(); err != nil {
		return err
	}
	s.parts = s.locals[0].parts
	return s.r.parallel(len(s.parts), func(i int) error {
		return s.merge(s.parts[i], i)
	})
}

// unifyTexts adds the texts of all workers to the interners of the first, columns in parallel.
func (s *aggState) unifyTexts() error {
	if s.layout == nil || s.layout.texts == nil {
		return nil
	}
	for _, l := range s.locals {
		l.mapping = make([][]uint32, len(s.layout.texts))
	}
	return s.r.parallel(len(s.layout.texts), func(c int) error {
		if !s.layout.texts[c] {
			return nil
		}
		for _, l := range s.locals[1:] {
			m, err := s.locals[0].keys.interners[c].absorb(l.keys.interners[c])
			if err != nil {
				return err
			}
			l.mapping[c] = m
		}
		return nil
	})
}

// merge adds the groups of one part of the other workers to into.
func (s *aggState) merge(into *aggPart, part int) error {
	account := s.r.account()
	before := into.SizeBytes()
	for _, l := range s.locals[1:] {
		o := l.parts[part]
		if err := s.r.check(); err != nil {
			return err
		}
		mapping := []uint32{0}
		if o.table != nil {
			keys := o.table.keys()
			if s.layout.texts != nil {
				keys.words = s.layout.translate(keys.words, l.mapping)
			}
			mapping = make([]uint32, o.base+keys.n)
			ids := mapping[o.base:]
			if err := into.table.assign(keys, nil, ids); err != nil {
				return err
			}
			for i := range ids {
				ids[i] += uint32(into.base)
			}
		}
		for i, acc := range into.accs {
			if err := acc.Merge(o.accs[i], mapping, into.groups()+into.base); err != nil {
				return err
			}
		}
		if err := account.Resize(max(into.SizeBytes()-before, 0)); err != nil {
			return err
		}
	}
	return nil
}

// groups is the source of an aggregate's result: one part a morsel.
type groups struct {
	label
	of *aggregate
}

type groupsState struct {
	s     *aggState
	parts []*aggPart
}

func (g *groups) open(r *run) (sourceState, error) {
	s := r.sinks[g.of].(*aggState)
	st := &groupsState{s: s}
	for _, p := range s.parts {
		if p.groups() > 0 {
			st.parts = append(st.parts, p)
		}
	}
	return st, nil
}

func (g *groupsState) morsels() int { return len(g.parts) }

func (g *groupsState) reader(*worker) (reader, error) {
	return &groupsReader{rows: g.s.r.env.batchRows(), parts: g.parts}, nil
}

type groupsReader struct {
	rows  int
	parts []*aggPart
	part  *aggPart
	from  int
}

func (g *groupsReader) start(m int) error {
	g.part, g.from = g.parts[m], 0
	return nil
}

func (g *groupsReader) next() (*vec.Batch, error) {
	p := g.part
	n := p.groups()
	if g.from == n {
		return nil, nil
	}
	from, to := g.from, min(g.from+g.rows, n)
	g.from = to
	b := vec.NewBatch(to - from)
	if p.table != nil {
		b.Cols = p.table.columns(from, to)
	}
	for _, acc := range p.accs {
		v, err := acc.Finish(from+p.base, to+p.base)
		if err != nil {
			return nil, err
		}
		b.Cols = append(b.Cols, v)
	}
	return b, nil
}

func (g *groupsReader) close() {}
