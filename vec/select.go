package vec

import (
	"math/bits"
	"unsafe"
)

// SelectTrue returns the rows of a BOOLEAN vector that are true (not false and not NULL). The vector may have any form.
func SelectTrue(v *Vector) Sel {
	switch v.Form {
	case Constant:
		if v.Len == 0 || v.IsNull(0) || !Slice[bool](v)[0] {
			return nil
		}
		return SelectAll(v.Len)
	case Dictionary:
		v = Flatten(v)
	}
	if v.Data == nil {
		return nil // the NULL literal
	}
	sel := make(Sel, v.Len)
	data := Slice[bool](v)
	if v.Valid == nil {
		return sel[:selectBools(sel, data)]
	}
	return sel[:selectBoolsValid(sel, data, v.Valid)]
}

// SelectAll returns the selection of all n rows.
func SelectAll(n int) Sel {
	sel := make(Sel, n)
	for i := range sel {
		sel[i] = uint16(i)
	}
	return sel
}

// Complement returns the rows below n that are not in sel.
func (s Sel) Complement(n int) Sel {
	out := make(Sel, 0, n-len(s))
	k := 0
	for i := range n {
		if k < len(s) && int(s[k]) == i {
			k++
			continue
		}
		out = append(out, uint16(i))
	}
	return out
}

// Compose returns the rows of the original batch that inner picks out of the rows of s.
func (s Sel) Compose(inner Sel) Sel {
	out := make(Sel, len(inner))
	for i, r := range inner {
		out[i] = s[r]
	}
	return out
}

// boolByte reads a bool as 0 or 1, so that the selection loops have no branch to mispredict.
func boolByte(b bool) int { return int(*(*uint8)(unsafe.Pointer(&b))) }

func selectBools(sel Sel, data []bool) int {
	k := 0
	for i, b := range data {
		sel[k] = uint16(i)
		k += boolByte(b)
	}
	return k
}

func selectBoolsValid(sel Sel, data []bool, valid Bitmap) int {
	k := 0
	for w, word := range valid {
		base := w << 6
		part := data[base:min(base+64, len(data))]
		if word == 0 {
			continue
		}
		for i, b := range part {
			sel[k] = uint16(base + i)
			k += boolByte(b) & int(word>>uint(i)&1)
		}
	}
	return k
}

// SelectValid returns the rows among the first n whose bit is set; nil has all set.
func SelectValid(valid Bitmap, n int) Sel {
	if valid == nil {
		return SelectAll(n)
	}
	sel := make(Sel, 0, n)
	for w, word := range valid {
		for word != 0 {
			sel = append(sel, uint16(w<<6+bits.TrailingZeros64(word)))
			word &= word - 1
		}
	}
	return sel
}
