package vexec

import (
	"context"
	"slices"
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
	if err := s.finishDisk(); err != nil {
		return err
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
