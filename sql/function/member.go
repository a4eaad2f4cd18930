package function

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Member is the kernel of x IN (list): list is a vector without NULLs of the type of x, hasNull says that the written list also held a
// NULL, and negate makes it NOT IN. Like Resolve it is meant to be called once and its kernel often.
func Member(list *vec.Vector, hasNull, negate bool) *Scalar {
	t := traits{maybeNull: hasNull, infallible: true, cost: costTextual}
	test := memberTest(vec.Flatten(list))
	core := func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		out := make([]bool, n)
		test(flatten(args[0]), out)
		valid := validity(args, n)
		if hasNull {
			known := vec.NewBitmap(n)
			for i, found := range out {
				if found && valid.Get(i) {
					known.Set(i)
				}
			}
			valid = known
		}
		if negate {
			vec.Map1(out, out, func(b bool) bool { return !b })
		}
		return booleans(out, valid), nil
	}
	boolean := types.Of(types.Boolean)
	return &Scalar{Name: "IN", Args: []types.Type{list.Type}, Ret: boolean, traits: t, NotNull: !hasNull, Kernel: adapt(core, boolean, t)}
}

// fewMembers is the length up to which a list of numbers is searched in line.
const fewMembers = 8

// memberTest returns a function that sets out[i] where row i of a flat vector is in the list.
func memberTest(list *vec.Vector) func(v *vec.Vector, out []bool) {
	switch d := list.Data.(type) {
	case []int8:
		return numberTest(d)
	case []int16:
		return numberTest(d)
	case []int32:
		return numberTest(d)
	case []int64:
		return numberTest(d)
	case []uint32:
		return numberTest(d)
	case []types.Int128:
		return numberTest(d)
	case []types.Int256:
		return numberTest(d)
	case []types.Uint128:
		return numberTest(d)
	case []vec.View:
		set := map[string]struct{}{}
		for i := range list.Len {
			set[string(list.Bytes(i))] = struct{}{}
		}
		return func(v *vec.Vector, out []bool) {
			views := vec.Slice[vec.View](v)
			for i := range out {
				_, out[i] = set[string(views[i].Bytes(v.Bufs))]
			}
		}
	}
	return func(v *vec.Vector, out []bool) {
		for i := range out {
			for j := 0; j < list.Len && !out[i] && !v.IsNull(i); j++ {
				out[i] = vec.Compare(v, i, list, j) == 0
			}
		}
	}
}

// numberTest searches short lists in line and long ones by hashing.
func numberTest[T comparable](list []T) func(v *vec.Vector, out []bool) {
	if len(list) <= fewMembers {
		return func(v *vec.Vector, out []bool) {
			d := vec.Slice[T](v)
			for _, y := range list {
				for i := range out {
					out[i] = out[i] || d[i] == y
				}
			}
		}
	}
	set := make(map[T]struct{}, len(list))
	for _, y := range list {
		set[y] = struct{}{}
	}
	return func(v *vec.Vector, out []bool) {
		d := vec.Slice[T](v)
		for i := range out {
			_, out[i] = set[d[i]]
		}
	}
}
