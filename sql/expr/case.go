package expr

import (
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Type returns the common type of the results.
func (e *Case) Type() types.Type { return e.T }

// Eval evaluates each branch on the rows that it decides and puts the results together.
func (e *Case) Eval(c *function.Ctx, b *vec.Batch) (*vec.Vector, error) {
	rows := vec.SelectAll(b.Len)
	p := pieces{t: e.T, at: make([]int32, b.Len)}
	for _, w := range e.Whens {
		if len(rows) == 0 {
			break
		}
		hits, err := selectOn(c, w.Cond, b, rows)
		if err != nil {
			return nil, err
		}
		if len(hits) == 0 {
			continue
		}
		if err := p.branch(c, w.Then, b, hits); err != nil {
			return nil, err
		}
		rows = without(rows, hits)
	}
	if len(rows) > 0 {
		other := e.Else
		if other == nil {
			other = &Const{Value: flatten(vec.NewNull(e.T, 1))}
		}
		if err := p.branch(c, other, b, rows); err != nil {
			return nil, err
		}
	}
	return p.vector(b.Len), nil
}

// pieces collects the results of branches: parts one behind the other, and for each row its place in them.
type pieces struct {
	t     types.Type
	parts []*vec.Vector
	len   int32
	at    []int32
	// whole is set if one branch decided all rows.
	whole *vec.Vector
}

// branch evaluates e for some rows. A constant result takes one entry only.
func (p *pieces) branch(c *function.Ctx, e Expr, b *vec.Batch, rows vec.Sel) error {
	if len(rows) == b.Len {
		v, err := e.Eval(c, b)
		p.whole = v
		return err
	}
	v, all, err := evalOn(c, b, e, rows)
	if err != nil {
		return err
	}
	for i, r := range rows {
		switch {
		case v.Form == vec.Constant:
			p.at[r] = p.len
		case all:
			p.at[r] = p.len + int32(r)
		default:
			p.at[r] = p.len + int32(i)
		}
	}
	if v.Form == vec.Constant {
		v = v.Slice(0, 1)
	}
	v = flatten(typed(v, p.t))
	p.parts = append(p.parts, v)
	p.len += int32(v.Len)
	return nil
}

func (p *pieces) vector(n int) *vec.Vector {
	if p.whole != nil {
		return typed(p.whole, p.t)
	}
	if n == 0 {
		return vec.NewBuilder(p.t, 0).Finish()
	}
	return vec.GatherRows(vec.Concat(p.t, p.parts...), p.at)
}

// typed gives a bare NULL the type of the expression.
func typed(v *vec.Vector, t types.Type) *vec.Vector {
	if v.Type.Kind == types.Null && t.Kind != types.Null {
		return vec.NewNull(t, v.Len)
	}
	return v
}
