package parquetio

import (
	"unsafe"

	"github.com/ebira-db/ebira/vec"
)

// Kind is a Parquet physical type, with the numbers of the format.
type Kind uint8

// The physical types.
const (
	KindBool   Kind = 0
	KindInt32  Kind = 1
	KindInt64  Kind = 2
	KindInt96  Kind = 3 // 12 bytes: legacy timestamps
	KindFloat  Kind = 4
	KindDouble Kind = 5
	KindBytes  Kind = 6
	KindFixed  Kind = 7
)

var kindNames = [...]string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}

// String returns the name in the Parquet format.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown type"
}

// int96Bytes is the width of an INT96 value.
const int96Bytes = 12

// Values are the N values of a page without its NULLs. One of the slices is set, by Kind; or Codes and Dict, for pages in dictionary
// encoding.
type Values struct {
	Kind Kind
	// Width is the size of a value of KindFixed and KindInt96.
	Width int
	N     int

	Bool   []bool
	I32    []int32
	I64    []int64
	F32    []float32
	F64    []float64
	Views  []vec.View // KindBytes
	Bufs   [][]byte   // what Views point into
	Fixed  []byte     // N*Width bytes
	Codes  []uint32
	Dict   *Values
	shared *sharedDict // of a Dict: its vectors by type
}

// SizeBytes is the memory of v; a dictionary counts with its own owner.
func (v *Values) SizeBytes() int64 {
	n := int64(len(v.Bool) + 4*len(v.I32) + 8*len(v.I64) + 4*len(v.F32) + 8*len(v.F64) + 16*len(v.Views) + len(v.Fixed) + 4*len(v.Codes))
	for _, b := range v.Bufs {
		n += int64(len(b))
	}
	return n
}

// fixed returns value i of KindFixed or KindInt96.
func (v *Values) fixed(i int) []byte { return v.Fixed[i*v.Width : (i+1)*v.Width] }

// bytes returns value i of KindBytes.
func (v *Values) bytes(i int) []byte { return v.Views[i].Bytes(v.Bufs) }

// rawBytes views a slice of fixed-width numbers as bytes. Parquet is little-endian and so are all machines that we build for.
func rawBytes[T int32 | int64 | uint32 | float32 | float64](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

// asUint32 views dictionary codes, which no encoding holds as negative numbers, as unsigned.
func asUint32(s []int32) []uint32 {
	if len(s) == 0 {
		return []uint32{}
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&s[0])), len(s))
}

// asInt32 views dictionary codes as row numbers.
func asInt32(s []uint32) []int32 {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*int32)(unsafe.Pointer(&s[0])), len(s))
}

// First returns the first text value of a page.
func (v *Values) First() ([]byte, error) {
	switch {
	case v.Kind != KindBytes || v.N == 0:
		return nil, corrupt("page has no text values")
	case v.Dict != nil:
		return v.Dict.bytes(int(v.Codes[0])), nil
	}
	return v.bytes(0), nil
}

// Single returns the only value of a text dictionary.
func (v *Values) Single() ([]byte, error) {
	if v.N != 1 {
		return nil, corrupt("dictionary has %d entries instead of one", v.N)
	}
	return v.First()
}

// pick returns the values at the given places, one by one: v has no dictionary.
func (v *Values) pick(at []uint32) Values {
	out := Values{Kind: v.Kind, Width: v.Width, N: len(at), Bufs: v.Bufs}
	switch v.Kind {
	case KindBool:
		out.Bool = pickOf(v.Bool, at)
	case KindInt32:
		out.I32 = pickOf(v.I32, at)
	case KindInt64:
		out.I64 = pickOf(v.I64, at)
	case KindFloat:
		out.F32 = pickOf(v.F32, at)
	case KindDouble:
		out.F64 = pickOf(v.F64, at)
	case KindBytes:
		out.Views = pickOf(v.Views, at)
	default:
		for _, i := range at {
			out.Fixed = append(out.Fixed, v.fixed(int(i))...)
		}
	}
	return out
}

func pickOf[T any](from []T, at []uint32) []T {
	out := make([]T, len(at))
	for k, i := range at {
		out[k] = from[i]
	}
	return out
}
