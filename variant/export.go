package variant

import (
	"github.com/ebira-db/ebira/vec"
)

// Export returns the values of a VARIANT vector for programs other than this one: Flat, each value with a dictionary of its own names
// only, since readers pick rows, and with public types in place of the private ones. A number that only a private type holds becomes the
// nearest double, or its text if it is out of a double's range; LARGEINTs beyond 38 digits, wide DECIMALs and addresses become their text.
func Export(v *vec.Vector) *vec.Vector {
	v = Flatten(v)
	out := vec.NewBuilder(v.Type, v.Len)
	t := translation{public: true}
	var e encoder
	for i := range v.Len {
		if v.IsNull(i) {
			out.AppendNull()
			continue
		}
		e = encoder{buf: e.buf[:0]}
		meta, value := v.VariantAt(i)
		t.write(&e, meta, value)
		out.AppendVariant(e.dict.encoded(), e.buf)
	}
	return out.Finish()
}

// writePublic writes a value of a private type as one of a public type: a number as the nearest double where there is one, everything
// else as its text.
func writePublic(e *encoder, s *scalar) {
	if f := s.nearest(); s.kind == Number && f-f == 0 {
		e.Double(f)
		return
	}
	e.String(s.appendText(nil))
}
