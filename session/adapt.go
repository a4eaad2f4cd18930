package session

import (
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Adapt turns values that a client sent into values of the type wanted, where the client has no such type: addresses and UUIDs that
// come as bytes in network order or, for IPV4, as numbers. Other values are returned as they are; SQL converts them.
func Adapt(v *vec.Vector, want types.Type) (*vec.Vector, error) {
	from := v.Type.Kind
	switch {
	case from == types.Binary && (want.Kind == types.UUID || want.Kind == types.IPv6):
		return adapted(v, want, func(h *vec.Vector, i int) (types.Uint128, error) {
			b := h.Bytes(i)
			if len(b) != 16 {
				return types.Uint128{}, sqlerr.New(sqlerr.Conversion, "%s needs 16 bytes, not %d", want, len(b))
			}
			return types.Uint128FromBytes(b), nil
		})
	case from == types.Binary && want.Kind == types.IPv4:
		return adapted(v, want, func(h *vec.Vector, i int) (uint32, error) {
			b := h.Bytes(i)
			if len(b) != 4 {
				return 0, sqlerr.New(sqlerr.Conversion, "%s needs 4 bytes, not %d", want, len(b))
			}
			return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3]), nil
		})
	case from == types.Int && want.Kind == types.IPv4:
		return adapted(v, want, func(h *vec.Vector, i int) (uint32, error) { return uint32(vec.Slice[int32](h)[i]), nil })
	case from == types.BigInt && want.Kind == types.IPv4:
		return adapted(v, want, func(h *vec.Vector, i int) (uint32, error) {
			n := vec.Slice[int64](h)[i]
			if n < 0 || n >= 1<<32 {
				return 0, sqlerr.New(sqlerr.OutOfRange, "%d is no %s", n, want)
			}
			return uint32(n), nil
		})
	}
	return v, nil
}

func adapted[T any](v *vec.Vector, want types.Type, f func(h *vec.Vector, i int) (T, error)) (*vec.Vector, error) {
	b := vec.NewBuilder(want, v.Len)
	for i := range v.Len {
		if v.IsNull(i) {
			b.AppendNull()
			continue
		}
		h, j := v.At(i)
		x, err := f(h, j)
		if err != nil {
			return nil, err
		}
		vec.Append(b, x)
	}
	return b.Finish(), nil
}

// adaptable tells whether Adapt has something to do for a pair of types.
func adaptable(from, want types.Type) bool {
	switch want.Kind {
	case types.IPv4:
		return from.Kind == types.Binary || from.Kind == types.Int || from.Kind == types.BigInt
	case types.IPv6, types.UUID:
		return from.Kind == types.Binary
	}
	return false
}
