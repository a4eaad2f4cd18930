package function

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// traits say how a core kernel wants its arguments.
type traits struct {
	// nullsIn cores decide about NULL arguments themselves; all others never see a Constant NULL, and their result is NULL wherever an
	// argument is.
	nullsIn bool
	// volatile cores are called for every row even if all arguments are constant.
	volatile bool
	// shreddedIn cores read Shredded variants themselves.
	shreddedIn bool
	// maybeNull results can be NULL although no argument is.
	maybeNull bool
	// infallible cores never return an error.
	infallible bool
	// cost is the rough number of nanoseconds per row, 0 for usualCost.
	cost int
}

// Rough costs in nanoseconds per row, as BenchmarkScalars shows them.
const (
	costCompare = 1
	costTextual = 3
	usualCost   = 10
	costLike    = 30
	costRegexp  = 150
	costParsing = 300
)

// adapt turns a core kernel, which knows only Flat and Constant arguments, into one for arguments of every form: it settles constant
// NULLs, computes over all-constant arguments once, and computes over the entries of a dictionary instead of the rows where that is
// less work.
func adapt(core Kernel, ret types.Type, t traits) Kernel {
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		if n == 0 {
			return vec.NewBuilder(ret, 0).Finish(), nil
		}
		constants, dict := 0, -1
		for i, a := range args {
			if a.Form == vec.Constant {
				if !t.nullsIn && a.IsNull(0) {
					return vec.NewNull(ret, n), nil
				}
				constants++
			} else if a.Form == vec.Dictionary {
				dict = i
			}
		}
		switch {
		case t.volatile:
		case constants == len(args) && len(args) > 0:
			return callOnce(core, c, args, n)
		case dict >= 0 && constants == len(args)-1 && args[dict].Dict.Len <= n && !(t.nullsIn && args[dict].Valid != nil):
			// An entry that no row refers to may have no result; then the rows decide.
			if r, err := callEntries(core, c, args, dict); err == nil {
				return r, nil
			}
		}
		return core(c, plain(args, t.shreddedIn), n)
	}
}

// callOnce computes over constant arguments.
func callOnce(core Kernel, c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
	one := make([]*vec.Vector, len(args))
	for i, a := range args {
		one[i] = oneRow(a)
	}
	r, err := core(c, one, 1)
	if err != nil {
		return nil, err
	}
	return constant(r, n), nil
}

// oneRow returns the single value of a Constant as a Flat vector of one row.
func oneRow(v *vec.Vector) *vec.Vector {
	if v.Type.Kind == types.Null {
		return v.Slice(0, 1)
	}
	one := *v.Slice(0, 1)
	one.Form = vec.Flat
	return &one
}

// constant spreads the single row of v.
func constant(v *vec.Vector, n int) *vec.Vector {
	if v.Form == vec.Shredded {
		v = variant.Flatten(v)
	}
	return vec.NewConstant(vec.Flatten(v), n)
}

// callEntries computes over the entries of the dictionary args[d]; the other arguments are constant.
func callEntries(core Kernel, c *Ctx, args []*vec.Vector, d int) (*vec.Vector, error) {
	entries := make([]*vec.Vector, len(args))
	copy(entries, args)
	for i, a := range args {
		if i != d {
			entries[i] = a.Slice(0, min(a.Len, args[d].Dict.Len))
			entries[i].Len = args[d].Dict.Len
		}
	}
	entries[d] = args[d].Dict
	r, err := core(c, entries, args[d].Dict.Len)
	if err != nil {
		return nil, err
	}
	if r.Form == vec.Shredded {
		r = variant.Flatten(r)
	}
	out := *vec.GatherCodes(vec.Flatten(r), args[d].Codes)
	out.Valid = vec.And(out.Valid, args[d].Valid, out.Len)
	return &out, nil
}

// plain returns the arguments in Flat or Constant form.
func plain(args []*vec.Vector, shreddedIn bool) []*vec.Vector {
	var out []*vec.Vector
	for i, a := range args {
		if a.Form == vec.Flat || a.Form == vec.Constant || a.Form == vec.Shredded && shreddedIn {
			continue
		}
		if out == nil {
			out = append(out, args...)
		}
		if a.Form == vec.Shredded {
			out[i] = variant.Flatten(a)
		} else {
			out[i] = vec.Flatten(a)
		}
	}
	if out == nil {
		return args
	}
	return out
}

// validity returns the rows where no argument is NULL; arguments are Flat or Constant, and constants are not NULL.
func validity(args []*vec.Vector, n int) vec.Bitmap {
	var valid vec.Bitmap
	for _, a := range args {
		switch {
		case a.Form == vec.Flat && a.Valid != nil:
			valid = vec.And(valid, a.Valid, n)
		case a.Form == vec.Constant && a.IsNull(0), a.Type.Kind == types.Null:
			return vec.NewBitmap(n)
		case a.Form == vec.Shredded && a.HasNulls():
			b := vec.NewBitmap(n)
			for i := range n {
				if !a.IsNull(i) {
					b.Set(i)
				}
			}
			valid = vec.And(valid, b, n)
		}
	}
	return valid
}
