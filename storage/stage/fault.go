package stage

import (
	"fmt"

	"github.com/ebira-db/ebira/jsonparse"
	"github.com/ebira-db/ebira/sql/sqlerr"
)

// fault is what makes a row bad.
type fault struct {
	kind   sqlerr.Kind
	column string
	reason string
}

// maxShown bounds a value that a message shows.
const maxShown = 80

// showText returns the beginning of a value for a message.
func showText(b []byte) string {
	if len(b) <= maxShown {
		return cutText(b)
	}
	return cutText(b[:maxShown]) + "..."
}

// showQuoted is showText for strings.
func showQuoted(b []byte) string {
	if len(b) <= maxShown {
		return string(jsonparse.AppendQuoted(nil, b))
	}
	return string(jsonparse.AppendQuoted(nil, []byte(cutText(b[:maxShown])))) + "..."
}

// refuse makes the record bad, unless it is already.
func (v *rowVisitor) refuse(s *slot, p problem, shown string) {
	if v.bad == nil {
		v.bad = s.fault(p, shown)
	}
}

// notObject makes a record bad that is valid JSON but no object.
func (v *rowVisitor) notObject(what string) {
	v.bad = notObject(what)
	v.mode = modeDone
}

func notObject(what string) *fault {
	return &fault{kind: sqlerr.Conversion, reason: "the line is " + what + ", not an object"}
}

// ambiguous makes a record bad that has a field whose case decides, but does not.
func (v *rowVisitor) ambiguous(name string) {
	if v.bad == nil {
		v.bad = &fault{sqlerr.Bind, name, fmt.Sprintf("field %s differs in case from more than one column of that name", name)}
	}
}

// fault describes a value that the slot does not take.
func (s *slot) fault(p problem, shown string) *fault {
	f := &fault{kind: sqlerr.Conversion, column: s.label}
	why := ""
	switch p {
	case wrongKind:
		why = s.wanted() + " is needed"
	case outOfRange:
		f.kind, why = sqlerr.OutOfRange, "it is out of range"
	case hasFraction:
		why = "it has a fraction; numeric_cast_option = 'rounding' would round it"
	case losesDigits:
		why = "it has more digits than the type keeps; numeric_cast_option = 'rounding' would round it"
	case unreadable:
		why = "it does not read as " + s.t.Kind.String()
	case tooLong:
		f.kind, why = sqlerr.OutOfRange, fmt.Sprintf("it is longer than %d characters", s.t.Length)
	case nullRefused:
		f.kind, why = sqlerr.Constraint, "the column is NOT NULL"
	case valueMissing:
		f.kind = sqlerr.Constraint
		f.reason = fmt.Sprintf("column %s (%s) has no field in this row, and MISSING_FIELD_AS is ERROR; FIELD_DEFAULT or NULL would fill it", s.label, s.t)
		return f
	}
	f.reason = fmt.Sprintf("column %s (%s) cannot take %s: %s", s.label, s.t, shown, why)
	return f
}

// wanted says what kind of JSON value a slot takes.
func (s *slot) wanted() string {
	switch s.op {
	case opBool:
		return "true or false"
	case opInt8, opInt16, opInt32, opInt64, opInt128, opFloat32, opFloat64:
		return "a number"
	case opDecimal64, opDecimal128, opDecimal256:
		return "a number or its text"
	case opText:
		return "text, a number, true or false"
	case opDate, opDateTime, opTimestampTZ:
		return "text or an integer"
	case opList:
		return "an array"
	case opStruct, opMap:
		return "an object"
	}
	return "text"
}
