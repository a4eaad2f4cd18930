package expr

import (
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Type returns the argument's type.
func (e *Try) Type() types.Type { return e.Arg.Type() }

// Eval evaluates all rows at once, and where that fails halves of them, down to single rows.
func (e *Try) Eval(c *function.Ctx, b *vec.Batch) (*vec.Vector, error) {
	v, err := e.Arg.Eval(c, b)
	if err == nil || !ofValues(err) {
		return v, err
	}
	if b.Len <= 1 {
		return vec.NewNull(e.Type(), b.Len), nil
	}
	parts := make([]*vec.Vector, 2)
	mid := b.Len / 2
	for i, half := range []*vec.Batch{b.Slice(0, mid), b.Slice(mid, b.Len)} {
		if v, err = e.Eval(c, half); err != nil {
			return nil, err
		}
		parts[i] = flatten(typed(v, e.Type()))
	}
	return vec.Concat(e.Type(), parts...), nil
}

// ofValues tells whether an error is the fault of a row's values.
func ofValues(err error) bool {
	k := sqlerr.KindOf(err)
	return k == sqlerr.Conversion || k == sqlerr.OutOfRange
}
