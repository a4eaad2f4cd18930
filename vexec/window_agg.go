package vexec

import (
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// aggregate computes an aggregate over the frame of each row. Neighbouring rows with the same frame share a result.
func (p *partitions) aggregate(c *windowCall) (*vec.Vector, error) {
	var k kept
	if c.filter >= 0 {
		cond := p.exprs[c.filter]
		k = keep(p.n, func(i int) bool { return !cond.IsNull(i) && vec.Slice[bool](cond)[i] })
	}
	a := &frameSums{p: p, c: c, n: p.n}
	for _, arg := range c.args {
		v := p.exprs[arg]
		if k.rows != nil {
			v = vec.GatherRows(v, k.rows)
		}
		a.args = append(a.args, v)
	}
	if k.rows != nil {
		a.n = len(k.rows)
	}
	f := p.frames(c)
	of := make([]int32, p.n)
	var spans, last []span
	for i := range p.n {
		spans = f.spans(spans[:0], i)
		if i == 0 || !sameSpans(spans, last) {
			for _, s := range spans {
				a.spans = addSpan(a.spans, k.span(s))
			}
			a.ends = append(a.ends, len(a.spans))
			last = append(last[:0], spans...)
		}
		of[i] = int32(len(a.ends) - 1)
	}
	sums, err := a.results()
	if err != nil {
		return nil, err
	}
	return vec.GatherRows(sums, of), nil
}

func sameSpans(a, b []span) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// frameSums computes an aggregate over many frames.
type frameSums struct {
	p    *partitions
	c    *windowCall
	args []*vec.Vector
	n    int // rows of args
	// spans are the parts of all frames, one frame after the other; ends says where those of a frame end.
	spans []span
	ends  []int
	tree  [][]function.Accumulator
}

// frame returns the parts of frame i.
func (a *frameSums) frame(i int) []span {
	from := 0
	if i > 0 {
		from = a.ends[i-1]
	}
	return a.spans[from:a.ends[i]]
}

func (a *frameSums) fresh() function.Accumulator { return a.c.Agg.New(a.p.w.run.env.Fn) }

// results returns the results of all frames.
func (a *frameSums) results() (*vec.Vector, error) {
	if a.apart() {
		return a.grouped()
	}
	out := vec.NewBuilder(a.c.Ret(), len(a.ends))
	var acc function.Accumulator
	var done span // what acc has seen
	for i := range a.ends {
		if i&1023 == 0 {
			if err := a.p.w.check(); err != nil {
				return nil, err
			}
		}
		parts := a.frame(i)
		grows := acc != nil && len(parts) == 1 && parts[0].from == done.from && parts[0].to >= done.to
		if grows {
			if err := a.add(acc, span{done.to, parts[0].to}); err != nil {
				return nil, err
			}
		} else {
			acc = a.fresh()
			if err := a.add(acc, span{}); err != nil {
				return nil, err
			}
			for _, s := range parts {
				if err := a.cover(acc, s); err != nil {
					return nil, err
				}
			}
		}
		if done = (span{}); len(parts) == 1 {
			done = parts[0]
		} else if len(parts) > 1 {
			done = span{-1, -1}
		}
		v, err := acc.Finish(0, 1)
		if err != nil {
			return nil, err
		}
		if err := a.p.account.Grow(resultBytes(v)); err != nil {
			return nil, err
		}
		out.AppendFrom(v, 0)
	}
	return out.Finish(), nil
}

// resultBytes is what the result of one frame takes beyond its place in a column. Texts may share their buffers with other results, which
// are not copied with them.
func resultBytes(v *vec.Vector) int64 {
	switch v.Type.Phys() {
	case types.PhysString:
		if v.IsNull(0) {
			return 0
		}
		return int64(len(v.Bytes(0)))
	case types.PhysList, types.PhysStruct, types.PhysVariant:
		return v.SizeBytes()
	}
	return 0
}

// apart tells whether each frame is one part and begins behind the one before: then frames are groups.
func (a *frameSums) apart() bool {
	end := int32(0)
	for i := range a.ends {
		parts := a.frame(i)
		if len(parts) > 1 {
			return false
		}
		if len(parts) == 1 {
			if parts[0].from < end {
				return false
			}
			end = parts[0].to
		}
	}
	return true
}

// grouped computes frames that do not overlap as groups of one accumulator.
func (a *frameSums) grouped() (*vec.Vector, error) {
	acc := a.fresh()
	groups := make([]uint32, 0, vec.Size)
	for i := range a.ends {
		for _, s := range a.frame(i) {
			for from := s.from; from < s.to; from += vec.Size {
				if err := a.p.w.check(); err != nil {
					return nil, err
				}
				n := min(vec.Size, s.to-from)
				groups = groups[:0]
				for range n {
					groups = append(groups, uint32(i))
				}
				if err := acc.Update(groups, len(a.ends), a.slice(from, from+n), int(n)); err != nil {
					return nil, err
				}
			}
		}
	}
	return acc.Finish(0, len(a.ends))
}

func (a *frameSums) slice(from, to int32) []*vec.Vector {
	out := make([]*vec.Vector, len(a.args))
	for i, v := range a.args {
		out[i] = v.Slice(int(from), int(to))
	}
	return out
}

// add adds rows to group 0 of acc, and makes the group if there are none.
func (a *frameSums) add(acc function.Accumulator, s span) error {
	for {
		n := min(s.to-s.from, vec.Size)
		if err := acc.Update(nil, 1, a.slice(s.from, s.from+n), int(n)); err != nil {
			return err
		}
		if s.from += n; s.from >= s.to {
			return nil
		}
	}
}

// fanOut is the number of rows, or of nodes of the level below, that a node of the tree stands for.
const fanOut = 32

// cover adds the rows of a span to acc by as few nodes of the tree as cover it, in order.
func (a *frameSums) cover(acc function.Accumulator, s span) error {
	if s.to-s.from < 2*fanOut {
		return a.add(acc, s)
	}
	if err := a.grow(); err != nil {
		return err
	}
	first, behind := (s.from+fanOut-1)/fanOut, s.to/fanOut
	if err := a.add(acc, span{s.from, first * fanOut}); err != nil {
		return err
	}
	if err := a.coverNodes(acc, 0, first, behind); err != nil {
		return err
	}
	return a.add(acc, span{behind * fanOut, s.to})
}

// coverNodes adds nodes [from, to) of a level.
func (a *frameSums) coverNodes(acc function.Accumulator, level int, from, to int32) error {
	merge := func(from, to int32) error {
		for _, n := range a.tree[level][from:to] {
			if err := acc.Merge(n, []uint32{0}, []uint32{0}, 1); err != nil {
				return err
			}
		}
		return nil
	}
	first, behind := (from+fanOut-1)/fanOut, to/fanOut
	if level+1 == len(a.tree) || first >= behind {
		return merge(from, to)
	}
	if err := merge(from, first*fanOut); err != nil {
		return err
	}
	if err := a.coverNodes(acc, level+1, first, behind); err != nil {
		return err
	}
	return merge(behind*fanOut, to)
}

// grow builds the tree: nodes for full runs of rows, then for full runs of nodes.
func (a *frameSums) grow() error {
	if a.tree != nil {
		return nil
	}
	a.tree = [][]function.Accumulator{}
	for below := a.n / fanOut; below > 0; below /= fanOut {
		level := len(a.tree)
		nodes := make([]function.Accumulator, below)
		for i := range nodes {
			if err := a.p.w.check(); err != nil {
				return err
			}
			nodes[i] = a.fresh()
			from := int32(i * fanOut)
			if level == 0 {
				if err := a.add(nodes[i], span{from, from + fanOut}); err != nil {
					return err
				}
				continue
			}
			for _, n := range a.tree[level-1][from : from+fanOut] {
				if err := nodes[i].Merge(n, []uint32{0}, []uint32{0}, 1); err != nil {
					return err
				}
			}
		}
		if err := a.p.account.Grow(int64(len(nodes)) * nodes[0].SizeBytes()); err != nil {
			return err
		}
		a.tree = append(a.tree, nodes)
	}
	return nil
}
