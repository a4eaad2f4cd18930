package tpch

import (
	"strconv"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// AppendLines appends the rows of a batch of t as dbgen prints them into .tbl files: values with a bar behind each.
func AppendLines(dst []byte, t Table, b *vec.Batch) []byte {
	quantity := -1
	if t == LineItem {
		quantity = 4 // dbgen prints l_quantity without its two zeroes
	}
	for i := range b.Len {
		for k, c := range b.Cols {
			switch {
			case c.Type.Kind == types.Varchar:
				dst = append(dst, c.Bytes(i)...)
			case c.Type.Kind == types.BigInt:
				dst = strconv.AppendInt(dst, vec.Slice[int64](c)[i], 10)
			case c.Type.Kind == types.Int:
				dst = strconv.AppendInt(dst, int64(vec.Slice[int32](c)[i]), 10)
			case c.Type.Kind == types.Date:
				dst = types.AppendDate(dst, vec.Slice[int32](c)[i])
			case k == quantity:
				dst = strconv.AppendInt(dst, vec.Slice[int64](c)[i]/100, 10)
			default:
				dst = types.AppendDecimal64(dst, vec.Slice[int64](c)[i], 2)
			}
			dst = append(dst, '|')
		}
		dst = append(dst, '\n')
	}
	return dst
}
