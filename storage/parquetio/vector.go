package parquetio

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"sync"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// sharedDict keeps the vectors made of a dictionary, so that all pages of a chunk share one.
type sharedDict struct {
	mu   sync.Mutex
	vecs []*vec.Vector
}

// Vector makes a vector of type t, which must be a type that our writer stores in the leaf's form (see LeafFor), of a page without
// repetition. Text pages in dictionary encoding become Dictionary vectors; all other vectors are Flat.
func (d *Data) Vector(t types.Type) (v *vec.Vector, err error) {
	defer guard(&err, "convert page to "+t.String())
	return spreadValues(&d.Values, t, d.Valid, d.Entries, plainConvert)
}

// Dense makes a flat vector of the values alone, without the rows that have none.
func (d *Data) Dense(t types.Type) (v *vec.Vector, err error) {
	defer guard(&err, "convert page to "+t.String())
	if v, err = spreadValues(&d.Values, t, nil, d.Values.N, plainConvert); err != nil {
		return nil, err
	}
	return vec.Flatten(v), nil
}

// converter makes a flat vector without NULLs of physical values. It appends nothing and may keep the values' slices.
type converter func(v *Values, t types.Type) (*vec.Vector, error)

// spreadValues makes a vector of n rows of the values, which belong to the rows set in valid.
func spreadValues(vals *Values, t types.Type, valid vec.Bitmap, n int, conv converter) (*vec.Vector, error) {
	if vals.Dict == nil {
		dense, err := conv(vals, t)
		if err != nil {
			return nil, err
		}
		return spread(dense, valid, n), nil
	}
	dict, err := vals.Dict.dictVector(t, conv)
	if err != nil {
		return nil, err
	}
	codes := spreadSlice(vals.Codes, valid, n)
	if t.Phys() != types.PhysString && t.Phys() != types.PhysVariant {
		v := *vec.GatherRows(denseOrZero(dict), asInt32(codes))
		v.Valid = valid
		return &v, nil
	}
	return &vec.Vector{Type: t, Form: vec.Dictionary, Len: n, Valid: valid, Codes: codes, Dict: denseOrZero(dict)}, nil
}

// denseOrZero returns v, or where v is empty a vector of one zero value: codes of NULL rows are 0 and must mean something.
func denseOrZero(v *vec.Vector) *vec.Vector {
	if v.Len > 0 {
		return v
	}
	z := *vec.Flatten(vec.NewNull(v.Type, 1))
	z.Valid = nil
	return &z
}

// dictVector returns the vector of a dictionary under type t.
func (v *Values) dictVector(t types.Type, conv converter) (*vec.Vector, error) {
	if v.shared == nil {
		return conv(v, t)
	}
	v.shared.mu.Lock()
	defer v.shared.mu.Unlock()
	for _, x := range v.shared.vecs {
		if x.Type.Equal(t) {
			return x, nil
		}
	}
	x, err := conv(v, t)
	if err == nil {
		v.shared.vecs = append(v.shared.vecs, x)
	}
	return x, err
}

// spread gives the values of a flat vector without NULLs to the rows set in valid.
func spread(dense *vec.Vector, valid vec.Bitmap, n int) *vec.Vector {
	if valid == nil {
		return dense
	}
	out := *dense
	out.Len, out.Valid = n, valid
	switch d := dense.Data.(type) {
	case []bool:
		out.Data = spreadSlice(d, valid, n)
	case []int8:
		out.Data = spreadSlice(d, valid, n)
	case []int16:
		out.Data = spreadSlice(d, valid, n)
	case []int32:
		out.Data = spreadSlice(d, valid, n)
	case []int64:
		out.Data = spreadSlice(d, valid, n)
	case []types.Int128:
		out.Data = spreadSlice(d, valid, n)
	case []types.Int256:
		out.Data = spreadSlice(d, valid, n)
	case []uint32:
		out.Data = spreadSlice(d, valid, n)
	case []types.Uint128:
		out.Data = spreadSlice(d, valid, n)
	case []float32:
		out.Data = spreadSlice(d, valid, n)
	case []float64:
		out.Data = spreadSlice(d, valid, n)
	case []types.IntervalValue:
		out.Data = spreadSlice(d, valid, n)
	case []vec.View:
		out.Data = spreadSlice(d, valid, n)
	default:
		panic(fmt.Sprintf("BUG: spread %T", d))
	}
	return &out
}

// spreadSlice returns n entries with the values of d at the bits set in valid and zeros elsewhere.
func spreadSlice[T any](d []T, valid vec.Bitmap, n int) []T {
	if valid == nil {
		return d
	}
	out := make([]T, n)
	k := 0
	for w, word := range valid {
		switch word {
		case 0:
		case ^uint64(0):
			k += copy(out[w*64:w*64+64], d[k:])
		default:
			row := out[w*64:]
			for ; word != 0; word &= word - 1 {
				row[bits.TrailingZeros64(word)] = d[k]
				k++
			}
		}
	}
	return out
}

// plainConvert is the converter of our own files: each SQL type has one physical form.
func plainConvert(v *Values, t types.Type) (*vec.Vector, error) {
	switch {
	case v.Bool != nil && t.Phys() == types.PhysBool:
		return flat(t, v.Bool), nil
	case v.I32 != nil:
		return convertInt32(v, t)
	case v.I64 != nil && t.Phys() == types.PhysInt64:
		return flat(t, v.I64), nil
	case v.F32 != nil && t.Phys() == types.PhysFloat32:
		return flat(t, v.F32), nil
	case v.F64 != nil && t.Phys() == types.PhysFloat64:
		return flat(t, v.F64), nil
	case v.Views != nil && (t.Phys() == types.PhysString || t.Phys() == types.PhysVariant):
		return &vec.Vector{Type: t, Len: v.N, Data: v.Views, Bufs: v.Bufs}, nil
	case v.Fixed != nil || v.N == 0:
		return convertFixed(v, t)
	}
	return nil, corrupt("%s values cannot be %s", v.Kind, t)
}

func flat[T any](t types.Type, d []T) *vec.Vector { return vec.NewFlat(t, d, nil) }

// narrow converts integers to a type of fewer bits; our writer stored them from it, so they fit.
func narrow[T int8 | int16 | uint32 | int64](src []int32) []T {
	out := make([]T, len(src))
	for i, x := range src {
		out[i] = T(x)
	}
	return out
}

func convertInt32(v *Values, t types.Type) (*vec.Vector, error) {
	switch t.Phys() {
	case types.PhysInt8:
		return flat(t, narrow[int8](v.I32)), nil
	case types.PhysInt16:
		return flat(t, narrow[int16](v.I32)), nil
	case types.PhysInt32:
		return flat(t, v.I32), nil
	case types.PhysInt64:
		return flat(t, narrow[int64](v.I32)), nil
	case types.PhysUint32:
		return flat(t, narrow[uint32](v.I32)), nil
	}
	return nil, corrupt("%s values cannot be %s", v.Kind, t)
}

func convertFixed(v *Values, t types.Type) (*vec.Vector, error) {
	if v.N == 0 {
		return vec.NewBuilder(t, 0).Finish(), nil
	}
	be := binary.BigEndian
	switch p := t.Phys(); {
	case p == types.PhysInt128 && v.Width == 16:
		out := make([]types.Int128, v.N)
		for i := range out {
			b := v.Fixed[i*16 : i*16+16]
			out[i] = types.Int128{Hi: int64(be.Uint64(b)), Lo: be.Uint64(b[8:])}
		}
		return flat(t, out), nil
	case p == types.PhysUint128 && v.Width == 16:
		out := make([]types.Uint128, v.N)
		for i := range out {
			b := v.Fixed[i*16 : i*16+16]
			out[i] = types.Uint128{Hi: be.Uint64(b), Lo: be.Uint64(b[8:])}
		}
		return flat(t, out), nil
	case p == types.PhysInt256 && v.Width == 32:
		out := make([]types.Int256, v.N)
		for i := range out {
			b := v.Fixed[i*32 : i*32+32]
			out[i] = types.Int256{be.Uint64(b[24:]), be.Uint64(b[16:]), be.Uint64(b[8:]), be.Uint64(b)}
		}
		return flat(t, out), nil
	case p == types.PhysInterval && v.Width == 16:
		le := binary.LittleEndian
		out := make([]types.IntervalValue, v.N)
		for i := range out {
			b := v.Fixed[i*16 : i*16+16]
			out[i] = types.IntervalValue{Months: int32(le.Uint32(b)), Days: int32(le.Uint32(b[4:])), Micros: int64(le.Uint64(b[8:]))}
		}
		return flat(t, out), nil
	}
	return nil, corrupt("%s values of %d bytes cannot be %s", v.Kind, v.Width, t)
}

// BoundVector returns a vector of one row of type t of a bound in PLAIN form.
func BoundVector(bound []byte, leaf LeafInfo, t types.Type) (v *vec.Vector, err error) {
	defer guard(&err, "bound of type "+t.String())
	if leaf.Kind == KindBytes {
		// Text bounds lie without the length that PLAIN puts before them.
		return &vec.Vector{Type: t, Len: 1, Data: []vec.View{vec.MakeView(bound, 0, 0)}, Bufs: [][]byte{bound}}, nil
	}
	vals, err := decodeValues(leaf.Kind, leaf.Width, encPlain, bound, 1, nil)
	if err != nil {
		return nil, asCorrupt(err, "bound")
	}
	return plainConvert(&vals, t)
}
