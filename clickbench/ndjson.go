package clickbench

import (
	"strconv"
	"unicode/utf8"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// keys are the names of the columns as JSON keys with what stands before them.
var keys = func() (out [columnCount]string) {
	for i, c := range columns {
		out[i] = `,"` + c.Name + `":`
	}
	out[0] = "{" + out[0][1:]
	return out
}()

// AppendNDJSON appends the rows of a block, an object with all columns each and a newline behind it. Dates and times are text, numbers are
// numbers.
func AppendNDJSON(dst []byte, b *vec.Batch) []byte {
	var small [columnCount][]int16
	var ints [columnCount][]int32
	var longs [columnCount][]int64
	var views [columnCount][]vec.View
	for i, c := range columns {
		switch c.kind {
		case smallint:
			small[i] = vec.Slice[int16](b.Cols[i])
		case integer, date:
			ints[i] = vec.Slice[int32](b.Cols[i])
		case bigint, datetime:
			longs[i] = vec.Slice[int64](b.Cols[i])
		default:
			views[i] = vec.Slice[vec.View](b.Cols[i])
		}
	}
	for row := range b.Len {
		for i := range columns {
			dst = append(dst, keys[i]...)
			switch columns[i].kind {
			case smallint:
				dst = strconv.AppendInt(dst, int64(small[i][row]), 10)
			case integer:
				dst = strconv.AppendInt(dst, int64(ints[i][row]), 10)
			case bigint:
				dst = strconv.AppendInt(dst, longs[i][row], 10)
			case date:
				dst = append(types.AppendDate(append(dst, '"'), ints[i][row]), '"')
			case datetime:
				dst = append(types.AppendDateTime(append(dst, '"'), longs[i][row]), '"')
			default:
				dst = appendQuoted(dst, views[i][row].Bytes(b.Cols[i].Bufs))
			}
		}
		dst = append(dst, '}', '\n')
	}
	return dst
}

// appendQuoted appends text as a JSON string. The generator's texts are valid UTF-8.
func appendQuoted(dst, s []byte) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i, c := range s {
		if c >= ' ' && c != '"' && c != '\\' || c >= utf8.RuneSelf {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		if c < ' ' {
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		} else {
			dst = append(dst, '\\', c)
		}
	}
	return append(append(dst, s[from:]...), '"')
}
