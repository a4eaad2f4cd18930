package function

import (
	"math"
	"math/big"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// roundMode is how digits are dropped.
type roundMode uint8

const (
	roundHalf roundMode = iota
	roundUp
	roundDown
	roundToZero
)

// maxRoundPlaces bounds the second argument of round and its like.
const maxRoundPlaces = 400

// rounding resolves round, ceil, floor and truncate. Integers and FLOAT stay what they are; a DECIMAL gets the constant number of places
// as its scale.
func rounding(mode roundMode) func(string, []Arg, Option) (*Scalar, error) {
	return func(name string, args []Arg, _ Option) (*Scalar, error) {
		if len(args) == 0 || len(args) > 2 {
			return nil, nil
		}
		t := numericArg(args[0])
		if !t.IsNumeric() {
			return nil, nil
		}
		in := []types.Type{t}
		if len(args) == 2 {
			if !args[1].Type.IsInteger() && args[1].Type.Kind != types.Null {
				return nil, nil
			}
			in = append(in, types.Of(types.BigInt))
		}
		switch {
		case t.IsInteger() && len(args) == 1:
			return newScalar(name, in, t, false, func(_ *Ctx, a []*vec.Vector, _ int) (*vec.Vector, error) { return a[0], nil }), nil
		case t.IsInteger(), t.Kind == types.Decimal:
			return roundExact(name, mode, args, in), nil
		}
		in[0] = types.Of(types.Double)
		core := strictRows(types.Of(types.Double), func(r *row) float64 {
			places := int64(0)
			if r.has(1) {
				places = min(max(r.int(1), -maxRoundPlaces), maxRoundPlaces)
			}
			return roundDouble(r.float(0), int(places), mode)
		})
		return newScalar(name, in, types.Of(types.Double), false, core), nil
	}
}

// roundDouble rounds the shortest decimal text of x, so that round(2.675, 2) is 2.68.
func roundDouble(x float64, places int, mode roundMode) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	if places == 0 {
		return [...]func(float64) float64{roundHalf: math.Round, roundUp: math.Ceil, roundDown: math.Floor, roundToZero: math.Trunc}[mode](x)
	}
	if math.Abs(x) >= maxExact && places > 0 {
		return x
	}
	d, ok := new(big.Rat).SetString(string(types.AppendDouble(nil, x)))
	if !ok {
		return x
	}
	scale := new(big.Rat).SetInt(bigPow10(max(places, -places)))
	if places < 0 {
		scale.Inv(scale)
	}
	d.Mul(d, scale)
	whole := roundRat(d, mode)
	f, _ := new(big.Rat).Quo(new(big.Rat).SetInt(whole), scale).Float64()
	return f
}

func roundRat(x *big.Rat, mode roundMode) *big.Int {
	q, r := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
	adjustRounded(q, r, x.Denom(), x.Sign() < 0, mode)
	return q
}

// adjustRounded moves the truncated quotient q with remainder r of a division by d (positive) as the mode wants.
func adjustRounded(q, r, d *big.Int, negative bool, mode roundMode) {
	if r.Sign() == 0 {
		return
	}
	away := false
	switch mode {
	case roundHalf:
		away = new(big.Int).Lsh(new(big.Int).Abs(r), 1).CmpAbs(d) >= 0
	case roundUp:
		away = !negative
	case roundDown:
		away = negative
	}
	if !away {
		return
	}
	if negative {
		q.Sub(q, big.NewInt(1))
	} else {
		q.Add(q, big.NewInt(1))
	}
}

// roundExact rounds integers and DECIMALs.
func roundExact(name string, mode roundMode, args []Arg, in []types.Type) *Scalar {
	t := in[0]
	scale := int(t.Scale)
	ret := t
	if t.Kind == types.Decimal {
		places := 0
		if len(args) == 2 {
			places = scale // of a column of places only the maximum is known
			if c := args[1].Const; c != nil && !c.IsNull(0) {
				places = constInt(c)
			}
		}
		s := min(max(places, 0), scale)
		ret = types.DecimalOf(max(min(int(t.Precision)-scale+s+1, types.MaxDecimalPrecision), 1), s)
	}
	core := func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		valid := validity(args, n)
		b := vec.NewBuilder(ret, n)
		for i := range n {
			if !valid.Get(i) {
				b.AppendNull()
				continue
			}
			places := int64(0)
			if len(args) == 2 {
				places = vec.Slice[int64](args[1])[i&args[1].Mask()]
			}
			if err := appendRounded(c, b, args, i, scale, int(ret.Scale), int(min(max(places, -maxRoundPlaces), maxRoundPlaces)), mode, name); err != nil {
				return nil, err
			}
		}
		return b.Finish(), nil
	}
	return newScalar(name, in, ret, false, core)
}

// constInt reads an integer constant, bounded.
func constInt(c *vec.Vector) int {
	v, err := Cast(&Ctx{}, c, types.Of(types.BigInt), false)
	if err != nil {
		return 0
	}
	return int(min(max(vec.Slice[int64](vec.Flatten(v))[0], -maxRoundPlaces), maxRoundPlaces))
}

func appendRounded(c *Ctx, b *vec.Builder, args []*vec.Vector, i, scale, retScale, places int, mode roundMode, name string) error {
	x := wholeAt(args[0], i)
	if drop := scale - places; drop > 0 {
		d := bigPow10(drop)
		negative := x.Sign() < 0
		q, r := new(big.Int).QuoRem(x, d, new(big.Int))
		adjustRounded(q, r, d, negative, mode)
		x = q.Mul(q, d)
	}
	if retScale < scale {
		x.Quo(x, bigPow10(scale-retScale))
	}
	if !appendWhole(b, x) {
		return sqlerr.New(sqlerr.OutOfRange, "%s(%s, %d) is out of range for %s", name, showAt(c, args[0], i), places, b.Type())
	}
	return nil
}

// wholeAt reads the unscaled number of an integer or DECIMAL.
func wholeAt(v *vec.Vector, i int) *big.Int {
	j := i & v.Mask()
	switch d := v.Data.(type) {
	case []int8:
		return big.NewInt(int64(d[j]))
	case []int16:
		return big.NewInt(int64(d[j]))
	case []int32:
		return big.NewInt(int64(d[j]))
	}
	return bigAt(v, i)
}

// appendWhole appends an unscaled number to a builder of an integer or DECIMAL type; false if it does not fit.
func appendWhole(b *vec.Builder, x *big.Int) bool {
	t := b.Type()
	if t.Kind == types.Decimal {
		return appendBig(b, t, x)
	}
	if t.Kind == types.LargeInt {
		w, ok := types.Int128FromBig(x)
		if ok {
			vec.Append(b, w)
		}
		return ok
	}
	if !x.IsInt64() {
		return false
	}
	y := x.Int64()
	switch t.Kind {
	case types.TinyInt:
		z, st := narrowTo[int8](y)
		if st == fits {
			vec.Append(b, z)
		}
		return st == fits
	case types.SmallInt:
		z, st := narrowTo[int16](y)
		if st == fits {
			vec.Append(b, z)
		}
		return st == fits
	case types.Int:
		z, st := narrowTo[int32](y)
		if st == fits {
			vec.Append(b, z)
		}
		return st == fits
	}
	vec.Append(b, y)
	return true
}
