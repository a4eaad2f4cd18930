package arrowvec

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/vec"
)

// texts collects the texts of a column of type Utf8, LargeUtf8, Utf8View or Binary.
type texts struct {
	t       arrow.DataType
	buf     []byte
	offsets []int32
	large   []int64
	views   []vec.View
}

func newTexts(t arrow.DataType, n int) *texts {
	x := &texts{t: t}
	switch t.ID() {
	case arrow.LARGE_STRING:
		x.large = make([]int64, 1, n+1)
	case arrow.STRING_VIEW:
		x.views = make([]vec.View, 0, n)
	default:
		x.offsets = make([]int32, 1, n+1)
	}
	return x
}

func (x *texts) add(s []byte) {
	start := len(x.buf)
	x.buf = append(x.buf, s...)
	x.added(start)
}

// added ends a text that begins at start of buf. Texts of NULL rows are empty.
func (x *texts) added(start int) {
	switch {
	case x.large != nil:
		x.large = append(x.large, int64(len(x.buf)))
	case x.offsets != nil:
		x.offsets = append(x.offsets, int32(len(x.buf)))
	default:
		v := vec.MakeView(x.buf[start:], 0, start)
		if v.Inline() {
			x.buf = x.buf[:start]
		}
		x.views = append(x.views, v)
	}
}

// finish returns the column.
func (x *texts) finish(valid *memory.Buffer, nulls int) (arrow.ArrayData, error) {
	if len(x.buf) > math.MaxInt32 && x.large == nil {
		return nil, sqlerr.New(sqlerr.Resource, "a batch of text is larger than 2 GiB")
	}
	text := memory.NewBufferBytes(x.buf)
	switch {
	case x.large != nil:
		return array.NewData(x.t, len(x.large)-1, []*memory.Buffer{valid, raw(x.large), text}, nil, nulls, 0), nil
	case x.offsets != nil:
		return array.NewData(x.t, len(x.offsets)-1, []*memory.Buffer{valid, raw(x.offsets), text}, nil, nulls, 0), nil
	}
	return array.NewData(x.t, len(x.views), []*memory.Buffer{valid, raw(x.views), text}, nil, nulls, 0), nil
}

// text makes a column of texts or bytes from the values that add appends.
func text(v *vec.Vector, t arrow.DataType, add func([]byte, int) []byte) (arrow.ArrayData, error) {
	x := newTexts(t, v.Len)
	size := 16 * v.Len
	if views, ok := v.Data.([]vec.View); ok {
		size = 0
		for i := range views {
			size += views[i].Len()
		}
	}
	x.buf = make([]byte, 0, size)
	for i := range v.Len {
		start := len(x.buf)
		if !v.IsNull(i) {
			x.buf = add(x.buf, i)
		}
		x.added(start)
	}
	valid, nulls := validity(v)
	return x.finish(valid, nulls)
}

// dictionary makes a dictionary of the distinct texts of a column, in order of appearance.
func dictionary(v *vec.Vector, t *arrow.DictionaryType) (arrow.ArrayData, error) {
	if v.Form == vec.Constant {
		v = vec.Flatten(v)
	}
	x := newTexts(t.ValueType, 0)
	codes := make([]int32, v.Len)
	place := map[string]int32{}
	// known is the new code of each entry of a vector that is a dictionary already, plus one.
	var known []int32
	if v.Form == vec.Dictionary {
		known = make([]int32, v.Dict.Len)
	}
	for i := range v.Len {
		if v.IsNull(i) {
			continue
		}
		if known != nil && known[v.Codes[i]] > 0 {
			codes[i] = known[v.Codes[i]] - 1
			continue
		}
		s := v.Bytes(i)
		code, ok := place[string(s)]
		if !ok {
			code = int32(len(place))
			place[string(s)] = code
			x.add(s)
		}
		if known != nil {
			known[v.Codes[i]] = code + 1
		}
		codes[i] = code
	}
	values, err := x.finish(nil, 0)
	if err != nil {
		return nil, err
	}
	valid, nulls := validity(v)
	return array.NewDataWithDictionary(t, v.Len, []*memory.Buffer{valid, raw(codes)}, nulls, 0, values.(*array.Data)), nil
}
