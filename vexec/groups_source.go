package vexec

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/vec"
)

// groups is the source of an aggregate's result: one partition a morsel.
type groups struct {
	label
	of *aggregate
	// filters are what operators behind it find out while the query runs; a top-n needs the results of few groups.
	filters []filterSite
}

type groupsState struct {
	g *groups
	s *aggState
}

func (g *groups) uses() sink { return g.of }

func (g *groups) open(r *run) (sourceState, error) {
	return &groupsState{g, r.sinks[g.of].(*aggState)}, nil
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
	return &groupsReader{g: g.g, s: g.s, charge: g.s.r.charge(), adder: partAdder{last: true}}, nil
}

type groupsReader struct {
	g      *groups
	s      *aggState
	charge charge
	part   *aggPart
	from   int
	adder  partAdder
	spare  []uint64
	// rests are the pieces of partition n that are still to come, where rows are on disk; again adds to them.
	n     int
	rests []aggRest
	again partAdder
}

func (g *groupsReader) start(m int) (err error) {
	g.from = 0
	if g.s.whole != nil {
		g.part = g.s.whole
		return nil
	}
	if g.s.file != nil {
		g.n, g.rests = m, []aggRest{{0, 1}}
		if g.s.r.env.Options.ForceSpill {
			g.rests = []aggRest{{0, 2}, {1, 2}}
		}
		_, err := g.nextPiece()
		return err
	}
	if g.part != nil && cap(g.part.table.slots) > cap(g.spare) {
		g.spare = g.part.table.slots
	}
	if g.part, err = g.s.partition(&g.adder, m, g.spare); err != nil {
		return err
	}
	g.charge.clear()
	if size := g.part.SizeBytes(); g.charge.grow(size) != nil {
		return g.charge.force(size)
	}
	return nil
}

func (g *groupsReader) next() (*vec.Batch, error) {
	for {
		b, err := g.nextOfPart()
		if b != nil || err != nil {
			return b, err
		}
		if more, err := g.nextPiece(); err != nil || !more {
			return nil, err
		}
	}
}

// nextOfPart returns the next groups of the part, nil at its end.
func (g *groupsReader) nextOfPart() (*vec.Batch, error) {
	for n := g.part.groups(); g.from < n; {
		from, to := g.from, min(g.from+g.s.r.env.batchRows(), n)
		g.from = to
		sel, all, err := g.matter(from, to)
		if err != nil {
			return nil, err
		}
		switch {
		case all:
			return g.rows(from, to)
		case len(sel) > (to-from)/16:
			b, err := g.rows(from, to)
			if err != nil {
				return nil, err
			}
			return b.Gather(sel), nil
		case len(sel) > 0:
			return g.scattered(from, sel)
		}
	}
	return nil, nil
}

// matter returns which of the groups [from, to) the filters leave.
func (g *groupsReader) matter(from, to int) (sel vec.Sel, all bool, err error) {
	all = true
	for _, f := range g.g.filters {
		if !f.f.known(g.s.r) {
			continue
		}
		b, err := g.columns(from, to, expr.Columns(f.key))
		if err != nil {
			return nil, false, err
		}
		v, err := f.key.Eval(g.s.r.env.Fn, b)
		if err != nil {
			return nil, false, err
		}
		if sel, all = f.f.keep(g.s.r, v, to-from); !all {
			return sel, false, nil
		}
	}
	return nil, true, nil
}

// columns returns a batch of the groups [from, to) with the given columns of the result, the others nil.
func (g *groupsReader) columns(from, to int, wanted []int) (*vec.Batch, error) {
	p, keys := g.part, len(g.g.of.keys)
	b := vec.NewBatch(to - from)
	b.Cols = make([]*vec.Vector, keys+len(p.accs))
	if len(wanted) > 0 && wanted[0] < keys {
		copy(b.Cols, p.table.columns(from, to))
	}
	for _, c := range wanted {
		if c < keys {
			continue
		}
		v, err := p.accs[c-keys].Finish(from, to)
		if err != nil {
			return nil, err
		}
		b.Cols[c] = v
	}
	return b, nil
}

// rows returns the groups [from, to).
func (g *groupsReader) rows(from, to int) (*vec.Batch, error) {
	all := make([]int, len(g.g.of.keys)+len(g.part.accs))
	for i := range all {
		all[i] = i
	}
	return g.columns(from, to, all)
}

// scattered returns a few groups, numbered from from on.
func (g *groupsReader) scattered(from int, sel vec.Sel) (*vec.Batch, error) {
	parts := make([]*vec.Batch, len(sel))
	for i, r := range sel {
		b, err := g.rows(from+int(r), from+int(r)+1)
		if err != nil {
			return nil, err
		}
		parts[i] = b
	}
	out := vec.NewBatch(len(sel))
	for c, v := range parts[0].Cols {
		one := make([]*vec.Vector, len(parts))
		for i, p := range parts {
			one[i] = flat(p.Cols[c])
		}
		out.Cols = append(out.Cols, vec.Concat(v.Type, one...))
	}
	return out, nil
}

func (g *groupsReader) close() { g.charge.clear() }
