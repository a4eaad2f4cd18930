package vexec

import (
	"context"
	"slices"

	"github.com/ebira-db/ebira/cache"
	"github.com/ebira-db/ebira/vec"
)

// finalize joins the parts of all workers, if they are few groups; otherwise it only prepares what the partitions need.
func (s *aggState) finalize(context.Context) error {
	s.locals = slices.DeleteFunc(s.locals, func(l *aggLocal) bool { return l.part == nil && l.rows == nil })
	if len(s.locals) == 0 {
		if s.a.layout == nil {
			s.whole = s.newPart(nil)
		}
		return nil
	}
	total, stored := 0, false
	for _, l := range s.locals {
		stored = stored || l.rows != nil
		if l.part != nil {
			total += l.part.groups()
		}
	}
	if err := s.unifyTexts(); err != nil {
		return err
	}
	first := s.locals[0]
	if stored || s.layout != nil && len(s.locals) > 1 && total > s.r.env.partitionGroups() {
		for _, l := range s.locals {
			if l.part != nil {
				l.split(s.keysOf(l, l.part))
			}
		}
		return nil
	}
	s.whole = first.part
	var x partAdder
	for _, l := range s.locals[1:] {
		if err := s.r.check(); err != nil {
			return err
		}
		if err := x.takeAll(s.whole, l.part, s.keysOf(l, l.part)); err != nil {
			return err
		}
	}
	return first.charge()
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

// keysOf returns the keys of a part of l with the text numbers of the first worker; nil without keys.
func (s *aggState) keysOf(l *aggLocal, p *aggPart) *keyBatch {
	if p.table == nil {
		return nil
	}
	keys := p.table.keys()
	if s.layout.texts != nil && l != s.locals[0] {
		keys.words = s.layout.translate(keys.words, l.mapping)
	}
	return keys
}

// partition aggregates one partition. spare is memory for the slots of its table.
func (s *aggState) partition(x *partAdder, n int, spare []uint64) (p *aggPart, err error) {
	for i, l := range s.locals {
		if err := s.r.check(); err != nil {
			return nil, err
		}
		mapping := l.mapping
		if i == 0 {
			mapping = nil
		}
		if i == 0 && l.flushed != nil {
			p, l.flushed[n] = l.flushed[n], nil
		}
		if p == nil {
			p = s.newPart(s.locals[0].keys.interners)
			p.table.spare = spare
		}
		if l.part != nil {
			err = x.take(p, l.part, l.byPart[n], l.partKeys)
		} else if i > 0 {
			from := l.flushed[n]
			err = x.takeAll(p, from, s.keysOf(l, from))
			l.flushed[n] = nil
		}
		if err != nil {
			return nil, err
		}
		if err := x.rows(p, l, n, mapping); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// groups is the source of an aggregate's result: one partition a morsel.
type groups struct {
	label
	of *aggregate
}

type groupsState struct{ s *aggState }

func (g *groups) open(r *run) (sourceState, error) {
	return &groupsState{s: r.sinks[g.of].(*aggState)}, nil
}

func (g *groupsState) morsels() int {
	switch {
	case g.s.whole != nil:
		return 1
	case len(g.s.locals) == 0:
		return 0
	}
	return rowPartCount
}

func (g *groupsState) reader(*worker) (reader, error) {
	return &groupsReader{s: g.s, account: g.s.r.account()}, nil
}

type groupsReader struct {
	s       *aggState
	account *cache.Account
	part    *aggPart
	from    int
	adder   partAdder
	spare   []uint64
}

func (g *groupsReader) start(m int) (err error) {
	g.from = 0
	if g.s.whole != nil {
		g.part = g.s.whole
		return nil
	}
	if g.part != nil && cap(g.part.table.slots) > cap(g.spare) {
		g.spare = g.part.table.slots
	}
	if g.part, err = g.s.partition(&g.adder, m, g.spare); err != nil {
		return err
	}
	return g.account.Resize(g.part.SizeBytes())
}

func (g *groupsReader) next() (*vec.Batch, error) {
	p := g.part
	n := p.groups()
	if g.from == n {
		return nil, nil
	}
	from, to := g.from, min(g.from+g.s.r.env.batchRows(), n)
	g.from = to
	b := vec.NewBatch(to - from)
	if p.table != nil {
		b.Cols = p.table.columns(from, to)
	}
	for _, acc := range p.accs {
		v, err := acc.Finish(from, to)
		if err != nil {
			return nil, err
		}
		b.Cols = append(b.Cols, v)
	}
	return b, nil
}

func (g *groupsReader) close() {}
