package tpch

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// texts collects a text column of a batch.
type texts struct {
	views []vec.View
	buf   []byte
}

func newTexts(rows, bytes int) *texts {
	return &texts{views: make([]vec.View, 0, rows), buf: make([]byte, 0, rows*bytes)}
}

// add appends a copy of s.
func (t *texts) add(s []byte) { t.buf = append(t.buf, s...); t.end(len(t.buf) - len(s)) }

// end makes a value of what was appended to buf from a position on.
func (t *texts) end(from int) { t.views = append(t.views, vec.MakeView(t.buf[from:], 0, from)) }

func (t *texts) finish() *vec.Vector {
	return vec.NewText(types.Of(types.Varchar), t.views, [][]byte{t.buf}, nil)
}

// words makes the dictionary of a column whose values come from a list.
func words(list []string) *vec.Vector {
	b := vec.NewBuilder(types.Of(types.Varchar), len(list))
	for _, w := range list {
		b.AppendString(w)
	}
	return b.Finish()
}

// coded makes a column of indexes into a dictionary.
func coded(dict *vec.Vector, codes []uint32) *vec.Vector {
	return &vec.Vector{Type: dict.Type, Form: vec.Dictionary, Len: len(codes), Codes: codes, Dict: dict}
}

func bigints(data []int64) *vec.Vector { return vec.NewFlat(types.Of(types.BigInt), data, nil) }

func ints(data []int32) *vec.Vector { return vec.NewFlat(types.Of(types.Int), data, nil) }

func dates(data []int32) *vec.Vector { return vec.NewFlat(types.Of(types.Date), data, nil) }

// decimals makes a column of amounts in hundredths.
func decimals(data []int64) *vec.Vector { return vec.NewFlat(decimal, data, nil) }

// appendPadded appends a number in decimal with at least width digits.
func appendPadded(dst []byte, n int64, width int) []byte {
	var digits [20]byte
	at := len(digits)
	for ; n > 0 || width > 0; width-- {
		at--
		digits[at] = byte('0' + n%10)
		n /= 10
	}
	return append(dst, digits[at:]...)
}

// addresses is a column of random characters: a draw for the length, and one for every five characters.
type addresses struct{ stream }

const (
	addressMin, addressMax = 10, 40
	addressDraws           = 1 + (addressMax+4)/5
	addressChars           = "0123456789abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ,"
)

// appendTo appends the next address.
func (a *addresses) appendTo(dst []byte) []byte {
	var bits int64
	for i := range a.between(addressMin, addressMax) {
		if i%5 == 0 {
			// dbgen's range of all non-negative 32-bit numbers overflows to a negative count.
			bits = a.pick(-1 << 31)
		}
		dst = append(dst, addressChars[bits&63])
		bits >>= 6
	}
	return dst
}

// phones is a column of telephone numbers: three draws each.
type phones struct{ stream }

// appendTo appends a number of a nation.
func (p *phones) appendTo(dst []byte, nation int64) []byte {
	dst = append(appendPadded(dst, 10+nation, 2), '-')
	dst = append(appendPadded(dst, p.between(100, 999), 3), '-')
	dst = append(appendPadded(dst, p.between(100, 999), 3), '-')
	return appendPadded(dst, p.between(1000, 9999), 4)
}

// addNumbered appends a name and a number of nine digits.
func (t *texts) addNumbered(name string, n int64) {
	from := len(t.buf)
	t.buf = appendPadded(append(t.buf, name...), n, 9)
	t.end(from)
}
