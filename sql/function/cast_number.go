package function

import (
	"math"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// number casts between BOOLEAN, integers, DECIMAL, FLOAT and DOUBLE.
func (k *castJob) number() (*vec.Vector, error) {
	switch d := k.src.Data.(type) {
	case []bool:
		return k.fromInts(asInt64(d, func(b bool) int64 {
			if b {
				return 1
			}
			return 0
		}), 0)
	case []int8:
		return k.fromNarrow(d)
	case []int16:
		return k.fromNarrow16(d)
	case []int32:
		if k.to.Kind == types.BigInt {
			return vec.NewFlat(k.to, asInt64(d, func(x int32) int64 { return int64(x) }), k.valid), nil
		}
		return k.fromInts(asInt64(d, func(x int32) int64 { return int64(x) }), 0)
	case []int64:
		return k.fromInts(d, int(k.src.Type.Scale))
	case []types.Int128:
		return k.fromInt128(d, int(k.src.Type.Scale))
	case []types.Int256:
		return k.fromInt256(d, int(k.src.Type.Scale))
	case []float32:
		if k.to.Kind == types.Double {
			out := make([]float64, len(d))
			vec.Map1(out, d, func(x float32) float64 { return float64(x) })
			return vec.NewFlat(k.to, out, k.valid), nil
		}
		return k.fromFloats32(d)
	case []float64:
		return k.fromFloats(d)
	}
	return nil, CastError(k.src.Type, k.to)
}

func asInt64[A any](in []A, f func(A) int64) []int64 {
	out := make([]int64, len(in))
	vec.Map1(out, in, f)
	return out
}

// fromNarrow widens TINYINT without the step over 64 bits.
func (k *castJob) fromNarrow(d []int8) (*vec.Vector, error) {
	switch k.to.Kind {
	case types.SmallInt:
		out := make([]int16, len(d))
		vec.Map1(out, d, func(x int8) int16 { return int16(x) })
		return vec.NewFlat(k.to, out, k.valid), nil
	case types.Int:
		out := make([]int32, len(d))
		vec.Map1(out, d, func(x int8) int32 { return int32(x) })
		return vec.NewFlat(k.to, out, k.valid), nil
	}
	return k.fromInts(asInt64(d, func(x int8) int64 { return int64(x) }), 0)
}

func (k *castJob) fromNarrow16(d []int16) (*vec.Vector, error) {
	if k.to.Kind == types.Int {
		out := make([]int32, len(d))
		vec.Map1(out, d, func(x int16) int32 { return int32(x) })
		return vec.NewFlat(k.to, out, k.valid), nil
	}
	return k.fromInts(asInt64(d, func(x int16) int64 { return int64(x) }), 0)
}

// narrowTo checks that x fits B.
func narrowTo[B int8 | int16 | int32](x int64) (B, status) {
	y := B(x)
	if int64(y) != x {
		return 0, tooBig
	}
	return y, fits
}

// fromInts casts numbers d / 10^scale.
func (k *castJob) fromInts(d []int64, scale int) (*vec.Vector, error) {
	if k.to.Kind != types.Decimal && !isFloat(k.to) && scale > 0 {
		return k.roundedInts(d, scale)
	}
	switch k.to.Kind {
	case types.Boolean:
		return castRows(k, d, func(x int64) (bool, status) { return x != 0, fits })
	case types.TinyInt:
		return castRows(k, d, narrowTo[int8])
	case types.SmallInt:
		return castRows(k, d, narrowTo[int16])
	case types.Int:
		return castRows(k, d, narrowTo[int32])
	case types.BigInt:
		return vec.NewFlat(k.to, d[:k.src.Len], k.valid), nil
	case types.LargeInt:
		return castRows(k, d, func(x int64) (types.Int128, status) { return types.Int128From(x), fits })
	case types.Float:
		return castRows(k, d, func(x int64) (float32, status) { return float32(decimal64ToDouble(x, scale)), fits })
	case types.Double:
		if scale == 0 {
			out := make([]float64, len(d))
			vec.Map1(out, d, func(x int64) float64 { return float64(x) })
			return vec.NewFlat(k.to, out, k.valid), nil
		}
		return castRows(k, d, func(x int64) (float64, status) { return decimal64ToDouble(x, scale), fits })
	}
	p, s := int(k.to.Precision), int(k.to.Scale)
	if v := k.widened(d); v != nil {
		return v, nil
	}
	if k.to.Phys() == types.PhysInt64 {
		return castRows(k, d, func(x int64) (int64, status) { return rescale64(x, scale, s, p) })
	}
	if k.to.Phys() == types.PhysInt128 {
		return castRows(k, d, func(x int64) (types.Int128, status) { return rescale128(types.Int128From(x), scale, s, p) })
	}
	return castRows(k, d, func(x int64) (types.Int256, status) {
		return rescale256(types.Int256From(types.Int128From(x)), scale, s, p)
	})
}

// widened casts integers and DECIMALs to a DECIMAL that has room for all of them, where nothing can fail; nil for other casts.
func (k *castJob) widened(d []int64) *vec.Vector {
	from := k.src.Type
	if from.Kind != types.Decimal {
		from = asDecimal(from)
	}
	shift := int(k.to.Scale) - int(from.Scale)
	if shift < 0 || shift >= len(pow10) || k.to.Precision-k.to.Scale < from.Precision-from.Scale {
		return nil
	}
	factor := pow10[shift]
	switch k.to.Phys() {
	case types.PhysInt64:
		out := make([]int64, k.src.Len)
		vec.Map1(out, d, func(x int64) int64 { return x * factor })
		return vec.NewFlat(k.to, out, k.valid)
	case types.PhysInt128:
		out := make([]types.Int128, k.src.Len)
		vec.Map1(out, d, func(x int64) types.Int128 { return mul64(x, factor) })
		return vec.NewFlat(k.to, out, k.valid)
	}
	return nil
}

// roundedInts drops the fraction first, then casts the whole numbers.
func (k *castJob) roundedInts(d []int64, scale int) (*vec.Vector, error) {
	if k.to.Kind == types.Boolean {
		return castRows(k, d, func(x int64) (bool, status) { return x != 0, fits })
	}
	wide := *k
	wide.to, wide.final = types.Of(types.BigInt), &k.to
	whole, err := castRows(&wide, d, func(x int64) (int64, status) { return rescale64(x, scale, 0, 19) })
	if err != nil {
		return nil, err
	}
	k.valid, k.owned = whole.Valid, wide.owned
	return k.fromInts(vec.Slice[int64](whole), 0)
}

// fromInt128 casts numbers d / 10^scale.
func (k *castJob) fromInt128(d []types.Int128, scale int) (*vec.Vector, error) {
	switch k.to.Kind {
	case types.Boolean:
		return castRows(k, d, func(x types.Int128) (bool, status) { return x.Sign() != 0, fits })
	case types.Float:
		return castRows(k, d, func(x types.Int128) (float32, status) { return float32(decimal128ToDouble(x, scale)), fits })
	case types.Double:
		return castRows(k, d, func(x types.Int128) (float64, status) { return decimal128ToDouble(x, scale), fits })
	case types.Decimal:
		p, s := int(k.to.Precision), int(k.to.Scale)
		switch k.to.Phys() {
		case types.PhysInt64:
			return castRows(k, d, func(x types.Int128) (int64, status) {
				y, st := rescale128(x, scale, s, p)
				return int64(y.Lo), st
			})
		case types.PhysInt128:
			return castRows(k, d, func(x types.Int128) (types.Int128, status) { return rescale128(x, scale, s, p) })
		}
		return castRows(k, d, func(x types.Int128) (types.Int256, status) { return rescale256(types.Int256From(x), scale, s, p) })
	}
	return castWhole(k, d, func(x types.Int128) (types.Int128, status) {
		return rescale128(x, scale, 0, 39)
	})
}

// fromInt256 casts numbers d / 10^scale.
func (k *castJob) fromInt256(d []types.Int256, scale int) (*vec.Vector, error) {
	switch k.to.Kind {
	case types.Boolean:
		return castRows(k, d, func(x types.Int256) (bool, status) { return x.Sign() != 0, fits })
	case types.Float:
		return castRows(k, d, func(x types.Int256) (float32, status) { return float32(decimal256ToDouble(x, scale)), fits })
	case types.Double:
		return castRows(k, d, func(x types.Int256) (float64, status) { return decimal256ToDouble(x, scale), fits })
	case types.Decimal:
		p, s := int(k.to.Precision), int(k.to.Scale)
		switch k.to.Phys() {
		case types.PhysInt64:
			return castRows(k, d, func(x types.Int256) (int64, status) {
				y, st := rescale256(x, scale, s, p)
				return int64(y[0]), st
			})
		case types.PhysInt128:
			return castRows(k, d, func(x types.Int256) (types.Int128, status) {
				y, st := rescale256(x, scale, s, p)
				return types.Int128{Lo: y[0], Hi: int64(y[1])}, st
			})
		}
		return castRows(k, d, func(x types.Int256) (types.Int256, status) { return rescale256(x, scale, s, p) })
	}
	return castWhole(k, d, func(x types.Int256) (types.Int128, status) {
		y, st := rescale256(x, scale, 0, 39)
		z, ok := y.Int128()
		if !ok {
			return z, tooBig
		}
		return z, st
	})
}

// castWhole casts to an integer type by way of 128 bits.
func castWhole[A any](k *castJob, d []A, f func(A) (types.Int128, status)) (*vec.Vector, error) {
	small := func(x A) (int64, status) {
		y, s := f(x)
		z, ok := y.Int64()
		if !ok {
			return 0, tooBig
		}
		return z, s
	}
	switch k.to.Kind {
	case types.TinyInt:
		return castRows(k, d, func(x A) (int8, status) { return narrowWith[int8](small(x)) })
	case types.SmallInt:
		return castRows(k, d, func(x A) (int16, status) { return narrowWith[int16](small(x)) })
	case types.Int:
		return castRows(k, d, func(x A) (int32, status) { return narrowWith[int32](small(x)) })
	case types.BigInt:
		return castRows(k, d, small)
	case types.LargeInt:
		return castRows(k, d, f)
	}
	return nil, CastError(k.src.Type, k.to)
}

func narrowWith[B int8 | int16 | int32](x int64, s status) (B, status) {
	y, range_ := narrowTo[B](x)
	if range_ != fits {
		return y, range_
	}
	return y, s
}

func (k *castJob) fromFloats32(d []float32) (*vec.Vector, error) {
	if k.to.Kind == types.Decimal {
		// The shortest text of the float32 is the number meant, not that of its double.
		return castDecimal(k, d, func(x float32, buf []byte) []byte { return types.AppendFloat(buf, x) })
	}
	wide := make([]float64, len(d))
	vec.Map1(wide, d, func(x float32) float64 { return float64(x) })
	return k.fromFloats(wide)
}

func (k *castJob) fromFloats(d []float64) (*vec.Vector, error) {
	switch k.to.Kind {
	case types.Boolean:
		return castRows(k, d, func(x float64) (bool, status) { return x != 0, fits })
	case types.Float:
		return castRows(k, d, func(x float64) (float32, status) {
			if y := float32(x); !math.IsInf(float64(y), 0) || math.IsInf(x, 0) {
				return y, fits
			}
			return 0, tooBig
		})
	case types.Double:
		return vec.NewFlat(k.to, d[:k.src.Len], k.valid), nil
	case types.Decimal:
		return castDecimal(k, d, func(x float64, buf []byte) []byte { return types.AppendDouble(buf, x) })
	case types.LargeInt:
		return castRows(k, d, func(x float64) (types.Int128, status) {
			y, ok := types.Int128FromFloat(math.Round(x))
			if !ok {
				return y, tooBig
			}
			return y, lostFraction(x)
		})
	}
	return castWhole(k, d, func(x float64) (types.Int128, status) {
		y := math.Round(x)
		if !(y >= -0x1p63 && y < 0x1p63) {
			return types.Int128{}, tooBig
		}
		return types.Int128From(int64(y)), lostFraction(x)
	})
}

func lostFraction(x float64) status {
	if x != math.Trunc(x) {
		return lossy
	}
	return fits
}

// castDecimal casts floating point numbers to DECIMAL through their shortest decimal text.
func castDecimal[A any](k *castJob, d []A, text func(A, []byte) []byte) (*vec.Vector, error) {
	p, s := int(k.to.Precision), int(k.to.Scale)
	var buf []byte
	read := func(x A) (types.Int256, status) {
		buf = text(x, buf[:0])
		y, inexact, ok := types.ParseDecimal(buf, s)
		return checkDecimal(y, inexact, ok, p)
	}
	return castWide(k, d, read)
}

// castWide stores 256-bit results in the physical form of the target.
func castWide[A any](k *castJob, d []A, f func(A) (types.Int256, status)) (*vec.Vector, error) {
	switch k.to.Phys() {
	case types.PhysInt64:
		return castRows(k, d, func(x A) (int64, status) {
			y, st := f(x)
			return int64(y[0]), st
		})
	case types.PhysInt128:
		return castRows(k, d, func(x A) (types.Int128, status) {
			y, st := f(x)
			return types.Int128{Lo: y[0], Hi: int64(y[1])}, st
		})
	}
	return castRows(k, d, f)
}

func isFloat(t types.Type) bool { return t.Kind == types.Float || t.Kind == types.Double }
