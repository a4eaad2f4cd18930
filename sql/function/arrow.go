package function

import (
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// arrowSignatures are the overloads of -> and ->>, whose results are cast to a type if one is given.
func arrowSignatures(ret string, to *types.Type) []*signature {
	m := func(*Scalar, []Arg) (Kernel, error) {
		return func(_ *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
			found, err := arrow(args, n)
			if err != nil || to == nil {
				return found, err
			}
			return variant.Cast(found, *to)
		}, nil
	}
	t := traits{maybeNull: true}
	var out []*signature
	for _, which := range []string{"text", "bigint"} {
		out = append(out, sig("(variant, "+which+") -> "+ret, m, t), sig("(text, "+which+") -> "+ret, overText(m), t))
	}
	return out
}

func arrow(args []*vec.Vector, n int) (*vec.Vector, error) {
	return readPaths(flatten(args[0]), n, validity(args, n), func(i int) ([]variant.Step, error) {
		return ArrowSteps(args[1].Slice(i, i+1))
	})
}

// ArrowSteps is the path that the right side of -> stands for: a path if it is a text that begins with $, else one name or position.
func ArrowSteps(which *vec.Vector) ([]variant.Step, error) {
	which = vec.Flatten(which)
	if which.Type.Kind == types.Varchar {
		s := string(which.Bytes(0))
		if len(s) > 0 && s[0] == '$' {
			return ParsePath(s)
		}
		return []variant.Step{{Key: s}}, nil
	}
	v, err := Cast(&Ctx{}, which, types.Of(types.BigInt), false)
	if err != nil {
		return nil, err
	}
	i := vec.Slice[int64](vec.Flatten(v))[0]
	if int64(int32(i)) != i || i < 0 {
		return nil, sqlerr.New(sqlerr.OutOfRange, "%d is no position in an array, which count from 0", i)
	}
	return []variant.Step{{Index: int(i), IsIndex: true}}, nil
}
