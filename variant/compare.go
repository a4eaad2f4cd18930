package variant

import (
	"bytes"
	"math"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// CompareConst compares each row of a variant vector with row 0 of c, a vector of a scalar type that is not NULL there: -1, 0 or 1, and
// the rows that have a result (nil: all). A number is compared by exact value with numbers and texts that are numbers; a
// text with the text of the row; constants of other types with the row cast to that type. Other rows have no result.
func CompareConst(v *vec.Vector, c *vec.Vector) ([]int8, vec.Bitmap) {
	out, valid := make([]int8, v.Len), vec.NewBitmap(v.Len)
	if v.Form == vec.Constant && v.Len > 0 {
		one, ok := CompareConst(vec.Flatten(v.Slice(0, 1)), c)
		if !ok.Get(0) {
			return out, valid
		}
		for i := range out {
			out[i] = one[0]
		}
		return out, nil
	}
	switch {
	case c.Type.IsNumeric():
		var s scalar
		s.load(c, 0)
		n := newNumConst(&s)
		compareNumeric(v, n, out, valid)
	case c.Type.Kind == types.Varchar:
		compareText(castTo(v, types.Of(types.Varchar)), c.Bytes(0), out, valid)
	default:
		compareTyped(v, c, out, valid)
	}
	return out, denseValid(valid, v.Len)
}

// numConst is a number prepared for comparisons with many others.
type numConst struct {
	s     scalar
	f     float64 // the nearest double
	above int8    // sign of (s - f): f stands for s in comparisons with doubles, and this settles equality
	exact decnum
	nan   bool // NaN, or an infinity, which has no exact value

	scale  int // of floor; -1 before the first use
	floor  types.Int256
	cut    bool // s is above floor
	beyond int8 // not zero: s needs more than 76 digits at scale, with this sign
}

func newNumConst(s *scalar) *numConst {
	n := &numConst{s: *s, f: s.nearest(), scale: -1}
	var ok bool
	if n.exact, ok = s.decnum(); !ok {
		n.nan = true
		return n
	}
	switch {
	case math.IsInf(n.f, 0):
		n.above = int8(-n.exact.sign())
	default:
		f := scalar{kind: Double, f: n.f}
		d, _ := f.decnum()
		n.above = int8(n.exact.cmp(&d))
	}
	return n
}

// double compares x with the constant.
func (n *numConst) double(x float64) int8 {
	switch {
	case x < n.f:
		return -1
	case x > n.f:
		return 1
	case x == n.f:
		return -n.above
	}
	return int8(boolInt(math.IsNaN(x)) - boolInt(math.IsNaN(n.f)))
}

// at prepares for comparisons with decimals of that scale.
func (n *numConst) at(scale int) {
	if n.scale == scale {
		return
	}
	var ok bool
	n.scale, n.beyond = scale, 0
	if n.floor, n.cut, ok = n.exact.unscaled(scale); !ok {
		n.beyond = int8(n.exact.sign())
	}
}

// unscaled compares the decimal w / 10^scale with the constant, after at(scale). The constant must not be NaN or infinite.
func (n *numConst) unscaled(w types.Int256) int8 {
	if n.beyond != 0 {
		return -n.beyond
	}
	c := int8(w.Cmp(n.floor))
	if c == 0 && n.cut {
		return -1
	}
	return c
}

// number compares any number with the constant.
func (n *numConst) number(s *scalar) int8 {
	switch {
	case s.kind == Double || s.kind == Float:
		return n.double(s.f)
	case n.nan || s.kind == Number:
		return int8(compareNumbers(s, &n.s))
	case s.kind == Decimal:
		n.at(int(s.scale))
	default:
		n.at(0)
	}
	return n.unscaled(s.wide())
}

// row compares any scalar with the constant; false if it is no number and no text of one.
func (n *numConst) row(s *scalar) (int8, bool) {
	switch {
	case s.isNumber():
		return n.number(s), true
	case s.kind == String:
		var t scalar
		if !t.readNumber(s.b) {
			return 0, false
		}
		return n.number(&t), true
	}
	return 0, false
}

// readNumber reads a text as a number: as JSON writes it, or with a plus sign, spaces around it, leading zeros or a bare point.
func (s *scalar) readNumber(text []byte) bool {
	text = bytes.TrimSpace(text)
	if _, ok := parseNumber(text); ok {
		s.setNumber(text)
		return true
	}
	if w, inexact, ok := types.ParseDecimal(text, 0); ok && !inexact {
		narrow, fits := w.Int128()
		if fits {
			s.setLargeInt(narrow)
			return true
		}
	}
	f, ok := types.ParseDouble(text)
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return false
	}
	if w, inexact, ok := types.ParseDecimal(text, maxDigits); ok && !inexact {
		s.setDecimal(w, types.MaxDecimalPrecision, maxDigits)
		return true
	}
	s.kind, s.f = Double, f
	return true
}

func compareNumeric(v *vec.Vector, n *numConst, out []int8, valid vec.Bitmap) {
	rest := v
	if v.Form == vec.Shredded {
		compareNumericTyped(v.Typed, n, out, valid)
		for rest = v.Rest; rest != nil && rest.Form == vec.Shredded; rest = rest.Rest {
			mergeTyped(out, valid, func(out []int8, valid vec.Bitmap) { compareNumericTyped(rest.Typed, n, out, valid) })
		}
	}
	if rest == nil {
		return
	}
	rest = vec.Flatten(rest)
	views := vec.Slice[vec.View](rest)
	var s scalar
	for i := range views {
		if !rest.Valid.Get(i) || !s.decode(views[i].Bytes(rest.Bufs)) {
			continue
		}
		if c, ok := n.row(&s); ok {
			out[i] = c
			valid.Set(i)
		}
	}
}

func compareNumericTyped(v *vec.Vector, n *numConst, out []int8, valid vec.Bitmap) {
	if v.Form == vec.Dictionary {
		entries, good := make([]int8, v.Dict.Len), vec.NewBitmap(v.Dict.Len)
		compareNumericTyped(v.Dict, n, entries, good)
		for i, code := range v.Codes {
			if v.Valid.Get(i) && good.Get(int(code)) {
				out[i] = entries[code]
				valid.Set(i)
			}
		}
		return
	}
	if v.Form == vec.Flat {
		switch src := v.Data.(type) {
		case []float64:
			for i, x := range src {
				out[i] = n.double(x)
			}
			copyValid(valid, v.Valid, v.Len)
			return
		case []int64:
			if v.Type.Kind == types.BigInt && compareInts(src, n, out) {
				copyValid(valid, v.Valid, v.Len)
				return
			}
		}
	}
	var s scalar
	for i := range out {
		if v.IsNull(i) {
			continue
		}
		s.load(v, i)
		if c, ok := n.row(&s); ok {
			out[i] = c
			valid.Set(i)
		}
	}
}

// compareInts compares integers where the constant's integer part fits int64.
func compareInts(src []int64, n *numConst, out []int8) bool {
	if n.nan {
		return false
	}
	n.at(0)
	narrow, fits := n.floor.Int128()
	floor, small := narrow.Int64()
	if n.beyond != 0 || !fits || !small {
		return false
	}
	equal := int8(0)
	if n.cut {
		equal = -1
	}
	for i, x := range src {
		switch {
		case x < floor:
			out[i] = -1
		case x > floor:
			out[i] = 1
		default:
			out[i] = equal
		}
	}
	return true
}

func compareText(v *vec.Vector, c []byte, out []int8, valid vec.Bitmap) {
	if v.Form == vec.Dictionary {
		entries := make([]int8, v.Dict.Len)
		for i := range entries {
			entries[i] = int8(bytes.Compare(v.Dict.Bytes(i), c))
		}
		for i, code := range v.Codes {
			out[i] = entries[code]
		}
	} else {
		for i := range out {
			if !v.IsNull(i) {
				out[i] = int8(bytes.Compare(v.Bytes(i), c))
			}
		}
	}
	for i := range out {
		if !v.IsNull(i) {
			valid.Set(i)
		}
	}
}

// compareTyped compares rows with a constant by their place in the total order, as values of its type; a DATE constant is the midnight of
// that day, so that rows with a time of day differ from it.
func compareTyped(v, c *vec.Vector, out []int8, valid vec.Bitmap) {
	var a, b scalar
	b.load(c, 0)
	to := types.Of(c.Type.Kind)
	if b.kind == Date {
		to = types.Of(types.DateTime)
		b.i, _ = b.toTimestamp()
		b.kind = DateTime
	}
	v = castTo(v, to)
	for i := range out {
		if v.IsNull(i) {
			continue
		}
		a.load(v, i)
		out[i] = int8(compareScalars(&a, &b))
		valid.Set(i)
	}
}
