package vexec

import (
	"math"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/vec"
)

// evaluate returns the results of a call, one for each row.
func (p *partitions) evaluate(c *windowCall) (*vec.Vector, error) {
	if c.Agg != nil {
		return p.aggregate(c)
	}
	switch c.Fn.Kind {
	case function.Lag, function.Lead:
		return p.shifted(c), nil
	case function.FirstValue, function.LastValue, function.NthValue:
		return p.picked(c)
	case function.PercentRank, function.CumeDist:
		return p.shares(c), nil
	case function.Ntile:
		return p.ntile(c)
	}
	out := make([]int64, p.n)
	p.each(func(at *place) {
		switch c.Fn.Kind {
		case function.RowNumber:
			out[at.row] = int64(at.row-at.from) + 1
		case function.Rank:
			out[at.row] = int64(at.peerFrom-at.from) + 1
		case function.DenseRank:
			out[at.row] = int64(at.run-at.firstRun) + 1
		}
	})
	return vec.NewFlat(c.Ret(), out, nil), nil
}

// shares are percent_rank and cume_dist.
func (p *partitions) shares(c *windowCall) *vec.Vector {
	out := make([]float64, p.n)
	p.each(func(at *place) {
		size := float64(at.to - at.from)
		switch {
		case c.Fn.Kind == function.CumeDist:
			out[at.row] = float64(at.peerTo-at.from) / size
		case size > 1:
			out[at.row] = float64(at.peerFrom-at.from) / (size - 1)
		}
	})
	return vec.NewFlat(c.Ret(), out, nil)
}

// ntile cuts partitions into parts whose sizes differ by one at most, the larger ones first.
func (p *partitions) ntile(c *windowCall) (*vec.Vector, error) {
	arg := p.exprs[c.args[0]]
	parts := vec.Slice[int64](arg)
	values := make([]int64, p.n)
	valid := vec.NewBitmap(p.n)
	bad, found := int64(0), false
	p.each(func(at *place) {
		if arg.IsNull(int(at.from)) {
			return
		}
		k := parts[at.from]
		if k < 1 {
			bad, found = k, true
			return
		}
		size, row := int64(at.to-at.from), int64(at.row-at.from)
		small, large := size/k, size%k
		if border := large * (small + 1); row < border {
			values[at.row] = row/(small+1) + 1
		} else {
			values[at.row] = large + (row-border)/max(small, 1) + 1
		}
		valid.Set(int(at.row))
	})
	if found {
		return nil, sqlerr.New(sqlerr.OutOfRange, "ntile needs a number of parts of at least 1, not %d", bad)
	}
	return vec.NewFlat(c.Ret(), values, valid), nil
}

// valueRows returns the rows whose values count for a call: all, or with IGNORE NULLS those with a value.
func (p *partitions) valueRows(c *windowCall) kept {
	arg := p.exprs[c.args[0]]
	if !c.IgnoreNulls {
		return kept{}
	}
	return keep(p.n, func(i int) bool { return !arg.IsNull(i) })
}

// shifted are lag and lead.
func (p *partitions) shifted(c *windowCall) *vec.Vector {
	arg := p.exprs[c.args[0]]
	var distance, instead *vec.Vector
	if len(c.args) > 1 {
		distance = p.exprs[c.args[1]]
	}
	if len(c.args) > 2 {
		instead = p.exprs[c.args[2]]
		arg = vec.Concat(c.Ret(), arg, instead)
	}
	k := p.valueRows(c)
	rows := make([]int32, p.n)
	p.each(func(at *place) {
		i := int(at.row)
		d := int64(1)
		if distance != nil {
			if distance.IsNull(i) {
				rows[i] = -1
				return
			}
			d = min(max(vec.Slice[int64](distance)[i], -math.MaxInt32), math.MaxInt32)
		}
		if c.Fn.Kind == function.Lag {
			d = -d
		}
		switch to := k.shift(at, d); {
		case to >= 0:
			rows[i] = to
		case instead != nil:
			rows[i] = int32(p.n + i)
		default:
			rows[i] = -1
		}
	})
	return vec.GatherRows(arg, rows)
}

// shift returns the d-th row behind a row (before it if d is negative), of those that count, -1 if the partition has none.
func (k *kept) shift(at *place, d int64) int32 {
	if d == 0 {
		return at.row
	}
	all := k.span(span{at.from, at.to})
	before := k.span(span{at.from, at.row})
	to := int64(before.to) + d
	if d > 0 {
		behind := k.span(span{at.row + 1, at.to})
		to = int64(behind.from) + d - 1
	}
	if to < int64(all.from) || to >= int64(all.to) {
		return -1
	}
	return k.row(int32(to))
}

// picked are first_value, last_value and nth_value.
func (p *partitions) picked(c *windowCall) (*vec.Vector, error) {
	f, k := p.frames(c), p.valueRows(c)
	var which *vec.Vector
	if c.Fn.Kind == function.NthValue {
		which = p.exprs[c.args[1]]
	}
	rows := make([]int32, p.n)
	var spans []span
	for i := range p.n {
		spans = f.spans(spans[:0], i)
		for s := range spans {
			spans[s] = k.span(spans[s])
		}
		nth := int64(1)
		if which != nil {
			if nth = 0; !which.IsNull(i) {
				if nth = vec.Slice[int64](which)[i]; nth < 1 {
					return nil, sqlerr.New(sqlerr.OutOfRange, "nth_value counts from 1, not %d", nth)
				}
			}
		}
		at := int32(-1)
		if nth > 0 {
			at = pick(spans, nth, c.Fn.Kind == function.LastValue)
		}
		if rows[i] = at; at >= 0 {
			rows[i] = k.row(at)
		}
	}
	return vec.GatherRows(p.exprs[c.args[0]], rows), nil
}

// pick returns the nth number in the spans, or the last one; -1 if there is none.
func pick(spans []span, nth int64, last bool) int32 {
	at := int32(-1)
	for _, s := range spans {
		size := int64(s.to - s.from)
		switch {
		case size <= 0:
		case last:
			at = s.to - 1
		case nth <= size:
			return s.from + int32(nth) - 1
		default:
			nth -= size
		}
	}
	return at
}
