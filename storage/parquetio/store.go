package parquetio

import (
	"encoding/binary"
	"fmt"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Store is how values of a SQL type lie in a leaf that we write.
type Store struct {
	Leaf       LeafInfo
	Annotation Annotation
	Order      Order
	// Lossless says that Leaf and Annotation tell the SQL type; other types are named in the file's key-value metadata.
	Lossless bool
}

// Decimal digits that the physical types of DECIMAL hold.
const (
	maxDecimal32  = 9
	maxDecimal64  = 18
	maxDecimal128 = 38
)

// StoreOf returns the form of a scalar type; false for variants and nested types, which are groups.
func StoreOf(t types.Type) (Store, bool) {
	leaf := func(k Kind, o Order, a Annotation) Store { return Store{LeafInfo{Kind: k}, a, o, true} }
	fixed := func(width int, o Order, a Annotation) Store {
		return Store{LeafInfo{Kind: KindFixed, Width: width}, a, o, true}
	}
	integer := func(bits int) Annotation { return Annotation{Logical: LogicalInt, Bits: bits, Signed: true} }
	switch t.Kind {
	case types.Boolean:
		return leaf(KindBool, OrderSigned, Annotation{}), true
	case types.TinyInt:
		return leaf(KindInt32, OrderSigned, integer(8)), true
	case types.SmallInt:
		return leaf(KindInt32, OrderSigned, integer(16)), true
	case types.Int:
		return leaf(KindInt32, OrderSigned, integer(32)), true
	case types.BigInt:
		return leaf(KindInt64, OrderSigned, integer(64)), true
	case types.LargeInt:
		s := fixed(16, OrderDecimal, Annotation{})
		s.Lossless = false
		return s, true
	case types.Float:
		return leaf(KindFloat, OrderSigned, Annotation{}), true
	case types.Double:
		return leaf(KindDouble, OrderSigned, Annotation{}), true
	case types.Decimal:
		return decimalStore(t), true
	case types.Varchar:
		return leaf(KindBytes, OrderBytes, Annotation{Logical: LogicalString}), true
	case types.Binary:
		return leaf(KindBytes, OrderBytes, Annotation{}), true
	case types.Date:
		return leaf(KindInt32, OrderSigned, Annotation{Logical: LogicalDate}), true
	case types.Time:
		return leaf(KindInt64, OrderSigned, Annotation{Logical: LogicalTime, Unit: Micros}), true
	case types.DateTime:
		return leaf(KindInt64, OrderSigned, Annotation{Logical: LogicalTimestamp, Unit: Micros}), true
	case types.TimestampTZ:
		return leaf(KindInt64, OrderSigned, Annotation{Logical: LogicalTimestamp, Unit: Micros, UTC: true}), true
	case types.UUID:
		return fixed(16, OrderBytes, Annotation{Logical: LogicalUUID}), true
	case types.Null:
		// All values are NULL; any physical type will do.
		return leaf(KindInt32, OrderNone, Annotation{}), true
	case types.IPv4:
		s := leaf(KindInt32, OrderUnsigned, Annotation{Logical: LogicalInt, Bits: 32})
		s.Lossless = false
		return s, true
	case types.IPv6:
		s := fixed(16, OrderBytes, Annotation{})
		s.Lossless = false
		return s, true
	case types.Interval:
		s := fixed(16, OrderNone, Annotation{})
		s.Lossless = false
		return s, true
	}
	return Store{}, false
}

func decimalStore(t types.Type) Store {
	s := Store{Order: OrderSigned, Lossless: true}
	s.Annotation = Annotation{Logical: LogicalDecimal, Precision: int(t.Precision), Scale: int(t.Scale)}
	switch {
	case t.Precision <= maxDecimal32:
		s.Leaf.Kind = KindInt32
	case t.Precision <= maxDecimal64:
		s.Leaf.Kind = KindInt64
	case t.Precision <= maxDecimal128:
		s.Leaf.Kind, s.Leaf.Width, s.Order = KindFixed, 16, OrderDecimal
	default:
		s.Leaf.Kind, s.Leaf.Width, s.Order = KindFixed, 32, OrderDecimal
	}
	return s
}

// Pack turns vectors of one scalar type into physical values without NULLs, and tells which of the rows they belong to (nil: all).
// Text parts that share a dictionary stay codes. The values may alias the vectors.
func Pack(t types.Type, parts []*vec.Vector) (*Values, vec.Bitmap, int) {
	v := vec.Concat(t, parts...)
	if v.Form == vec.Dictionary && t.Phys() == types.PhysString {
		return packCodes(v), v.Valid, v.Len
	}
	if v.Type.Kind == types.Null {
		return &Values{Kind: KindInt32, I32: []int32{}}, vec.NewBitmap(v.Len), v.Len
	}
	v = vec.Flatten(v)
	return packFlat(t, v), v.Valid, v.Len
}

func packCodes(v *vec.Vector) *Values {
	d := vec.Flatten(v.Dict)
	dict := &Values{Kind: KindBytes, N: d.Len, Views: vec.Slice[vec.View](d), Bufs: d.Bufs}
	codes := compact(v.Codes, v.Valid)
	return &Values{Kind: KindBytes, N: len(codes), Codes: codes, Dict: dict}
}

// packFlat converts the values of a flat vector that are not NULL.
func packFlat(t types.Type, v *vec.Vector) *Values {
	store, ok := StoreOf(t)
	if !ok {
		panic(fmt.Sprintf("BUG: pack %s as a scalar", t))
	}
	out := &Values{Kind: store.Leaf.Kind, Width: store.Leaf.Width}
	be := binary.BigEndian
	switch d := v.Data.(type) {
	case []bool:
		out.Bool = compact(d, v.Valid)
	case []int8:
		out.I32 = widen(d, v.Valid)
	case []int16:
		out.I32 = widen(d, v.Valid)
	case []int32:
		out.I32 = compact(d, v.Valid)
	case []uint32:
		out.I32 = widen(d, v.Valid)
	case []int64:
		if out.Kind == KindInt32 {
			out.I32 = widen(d, v.Valid)
		} else {
			out.I64 = compact(d, v.Valid)
		}
	case []float32:
		out.F32 = compact(d, v.Valid)
	case []float64:
		out.F64 = compact(d, v.Valid)
	case []vec.View:
		out.Views, out.Bufs = compact(d, v.Valid), v.Bufs
	case []types.Int128:
		for _, x := range compact(d, v.Valid) {
			out.Fixed = be.AppendUint64(be.AppendUint64(out.Fixed, uint64(x.Hi)), x.Lo)
		}
	case []types.Uint128:
		for _, x := range compact(d, v.Valid) {
			out.Fixed = be.AppendUint64(be.AppendUint64(out.Fixed, x.Hi), x.Lo)
		}
	case []types.Int256:
		for _, x := range compact(d, v.Valid) {
			for i := 3; i >= 0; i-- {
				out.Fixed = be.AppendUint64(out.Fixed, x[i])
			}
		}
	case []types.IntervalValue:
		le := binary.LittleEndian
		for _, x := range compact(d, v.Valid) {
			out.Fixed = le.AppendUint32(le.AppendUint32(out.Fixed, uint32(x.Months)), uint32(x.Days))
			out.Fixed = le.AppendUint64(out.Fixed, uint64(x.Micros))
		}
	default:
		panic(fmt.Sprintf("BUG: pack %T", d))
	}
	out.count()
	return out
}

// count sets N from the slice of the kind.
func (v *Values) count() {
	switch v.Kind {
	case KindBool:
		v.N = len(v.Bool)
	case KindInt32:
		v.N = len(v.I32)
	case KindInt64:
		v.N = len(v.I64)
	case KindFloat:
		v.N = len(v.F32)
	case KindDouble:
		v.N = len(v.F64)
	case KindBytes:
		v.N = len(v.Views)
	default:
		v.N = len(v.Fixed) / v.Width
	}
}

// compact returns the entries of s that are set in valid: s itself if all are.
func compact[T any](s []T, valid vec.Bitmap) []T {
	if valid == nil {
		return s
	}
	out := make([]T, 0, valid.Count(len(s)))
	for i := 0; i < len(s); {
		if n := runLength(valid, i, len(s), true); n > 0 {
			out = append(out, s[i:i+n]...)
			i += n
		}
		i += runLength(valid, i, len(s), false)
	}
	return out
}

// widen converts integers to 32 bits, which hold them.
func widen[T int8 | int16 | uint32 | int64](s []T, valid vec.Bitmap) []int32 {
	s = compact(s, valid)
	out := make([]int32, len(s))
	for i, x := range s {
		out[i] = int32(x)
	}
	return out
}
