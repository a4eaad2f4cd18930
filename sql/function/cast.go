package function

import (
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// status is what became of one value in a cast.
type status uint8

const (
	fits     status = iota
	badValue        // no meaning in the target type
	tooBig          // out of range, or too long
	lossy           // would lose digits; an error for Assign only
)

// maxShownBytes bounds a value quoted in an error message.
const maxShownBytes = 80

// Cast converts v to another type. A value that does not convert is an error that names value and types, or NULL with try; values of
// variants that do not convert are always NULL. Fractions become integers by rounding half away from zero; text is read with spaces
// around it ignored; DATETIME and TIMESTAMPTZ meet in the session's time zone; text becomes a VARIANT by being parsed as JSON.
func Cast(c *Ctx, v *vec.Vector, to types.Type, try bool) (*vec.Vector, error) {
	return castWith(c, v, to, castMode{try: try})
}

// Assign converts v for writing into a column: like Cast, but a number that would lose digits is an error (or NULL with try) unless
// Ctx.Rounding allows rounding. A load never changes a value to make it fit (decision D5).
func Assign(c *Ctx, v *vec.Vector, to types.Type, try bool) (*vec.Vector, error) {
	return castWith(c, v, to, castMode{try: try, exact: !c.Rounding})
}

type castMode struct{ try, exact bool }

func castWith(c *Ctx, v *vec.Vector, to types.Type, mode castMode) (*vec.Vector, error) {
	from := v.Type
	switch {
	case from.Equal(to):
		return v, nil
	case from.Kind == types.Null:
		return vec.NewNull(to, v.Len), nil
	case CanCast(from, to) == No:
		return nil, CastError(from, to)
	case from.IsVariant():
		return variant.Cast(v, to)
	case from.Kind == to.Kind && sameValues(from, to):
		return v.Retype(to), nil
	}
	core := func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		valid := validity(args, n)
		if args[0].Form == vec.Constant {
			args = []*vec.Vector{vec.Flatten(args[0])}
		}
		k := &castJob{c: c, src: args[0], to: to, castMode: mode, valid: valid}
		return k.run()
	}
	return adapt(core, to, traits{maybeNull: true})(c, []*vec.Vector{v}, v.Len)
}

// CastError is the error for a pair of types without a cast.
func CastError(from, to types.Type) error {
	return sqlerr.New(sqlerr.Type, "there is no cast from %s to %s", from, to)
}

// sameValues tells whether every value of one type is, unchanged, a value of another type of the same kind.
func sameValues(from, to types.Type) bool {
	switch from.Kind {
	case types.Varchar:
		return to.Length == 0 || from.Length > 0 && from.Length <= to.Length
	case types.Time, types.DateTime, types.TimestampTZ:
		return from.Precision <= to.Precision
	case types.Decimal:
		return from.Scale == to.Scale && from.Precision <= to.Precision && from.Phys() == to.Phys()
	}
	return false
}

// castJob is the cast of one Flat vector.
type castJob struct {
	castMode
	c   *Ctx
	src *vec.Vector
	to  types.Type
	// final is the target that messages name, where to is only a step on the way.
	final *types.Type
	// valid are the rows that have a result; owned says that it is no longer shared with the source.
	valid vec.Bitmap
	owned bool
}

// failed settles a row that does not convert: NULL with try, else an error.
func (k *castJob) failed(i int, s status) error {
	if k.try {
		if !k.owned {
			own := vec.NewBitmapSet(k.src.Len)
			if k.valid != nil {
				copy(own, k.valid)
			}
			k.valid, k.owned = own, true
		}
		k.valid.Clear(i)
		return nil
	}
	return k.failure(i, s, "")
}

// failure describes a row that does not convert.
func (k *castJob) failure(i int, s status, why string) error {
	shown := showValue(k.c, k.src, i)
	to := k.to
	if k.final != nil {
		to = *k.final
	}
	if why != "" {
		why = ": " + why
	}
	switch s {
	case tooBig:
		if to.Kind == types.Varchar {
			return sqlerr.New(sqlerr.OutOfRange, "value %s is longer than %d characters (%s to %s)", shown, to.Length, k.src.Type, to)
		}
		return sqlerr.New(sqlerr.OutOfRange, "value %s (%s) is out of range for %s%s", shown, k.src.Type, to, why)
	case lossy:
		return sqlerr.New(sqlerr.Conversion, "value %s (%s) would lose digits as %s", shown, k.src.Type, to)
	}
	return sqlerr.New(sqlerr.Conversion, "cannot convert %s (%s) to %s%s", shown, k.src.Type, to, why)
}

// showValue quotes a value for a message.
func showValue(c *Ctx, v *vec.Vector, i int) string {
	s := string(appendValue(nil, c, v, i))
	if len(s) > maxShownBytes {
		s = strings.ToValidUTF8(s[:maxShownBytes], "") + "..."
	}
	if v.Type.IsNumeric() || v.Type.Kind == types.Boolean {
		return s
	}
	return "'" + s + "'"
}

// castRows converts the rows of k that are not NULL.
func castRows[A, B any](k *castJob, in []A, f func(A) (B, status)) (*vec.Vector, error) {
	out := make([]B, k.src.Len)
	for i, x := range in[:k.src.Len] {
		if !k.valid.Get(i) {
			continue
		}
		y, s := f(x)
		if s != fits && (s != lossy || k.exact) {
			if err := k.failed(i, s); err != nil {
				return nil, err
			}
			continue
		}
		out[i] = y
	}
	return vec.NewFlat(k.to, out, k.valid), nil
}

// castViews is castRows for text sources.
func castViews[B any](k *castJob, f func(s []byte) (B, status)) (*vec.Vector, error) {
	out := make([]B, k.src.Len)
	views := vec.Slice[vec.View](k.src)
	for i := range out {
		if !k.valid.Get(i) {
			continue
		}
		y, s := f(views[i].Bytes(k.src.Bufs))
		if s != fits && (s != lossy || k.exact) {
			if err := k.failed(i, s); err != nil {
				return nil, err
			}
			continue
		}
		out[i] = y
	}
	return vec.NewFlat(k.to, out, k.valid), nil
}

// run casts by the kinds of source and target.
func (k *castJob) run() (*vec.Vector, error) {
	from, to := k.src.Type, k.to
	switch {
	case to.IsVariant():
		return k.toVariant()
	case to.Kind == types.Varchar:
		return k.toText()
	case from.Kind == types.Varchar && to.Kind == types.Binary:
		return k.src.Retype(to), nil
	case from.Kind == types.Varchar:
		return k.fromText()
	case from.Kind == types.Array, from.Kind == types.Struct, from.Kind == types.Map:
		return k.nested()
	case from.IsTemporal() && to.IsTemporal():
		return k.temporal()
	case from.Kind == types.IPv4 || from.Kind == types.IPv6 || to.Kind == types.IPv4:
		return k.address()
	}
	return k.number()
}
