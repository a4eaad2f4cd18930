package stage

import (
	"strconv"

	"github.com/ebira-db/ebira/jsonparse"
	"github.com/ebira-db/ebira/variant"
)

// mode says where in a record the next event belongs.
type mode uint8

const (
	modeTop     mode = iota // before the record
	modeField               // in the record: a key, or the value of field
	modeVariant             // in a container of a variant: sink takes it
	modeNested              // in an array or struct: frames say where
	modeSkip                // in a container that nobody wants
	modeDone                // behind the record
)

// rowVisitor sends the events of one record after another to the slots of the columns. What it refuses is kept in bad, and the record is
// then read on only for its syntax.
type rowVisitor struct {
	slots    []*slot // those that read a field
	variants []*slot // those of slots that have a sink of their own
	fields   *fieldFinder
	format   *Format

	row    int   // where the record goes
	serial int64 // of the record; never repeats, so that the marks of other records do not count
	filled int   // slots with a value
	mode   mode
	depth  int  // open containers of the value in modeVariant and modeSkip
	after  mode // what follows modeVariant and modeSkip

	field   *field
	sink    variant.RowSink
	cell    *slot // opCell that takes the value in sink, at cellRow; nil if the sink is a column's
	cellRow int
	frames  []frame
	inner   int64 // serial number of the last struct begun
	cells   int   // of elements in the record

	bad        *fault
	late       []lateKey
	duplicates int64 // of the record
}

// lateKey is a field without a target that has a value in the present record.
type lateKey struct {
	field *field
	pos   int
}

// begin starts a record at row.
func (v *rowVisitor) begin() {
	v.serial++
	v.filled, v.duplicates, v.cells, v.mode, v.bad = 0, 0, 0, modeTop, nil
	v.frames, v.late = v.frames[:0], v.late[:0]
	v.fields.begin()
}

// undo takes back what the record has left where the next one does not overwrite it.
func (v *rowVisitor) undo() {
	if v.cell != nil {
		v.sink.Undo()
		v.cell = nil
	}
	for _, s := range v.variants {
		if s.filled == v.serial {
			s.sink.Undo()
			s.filled = -1
		}
	}
}

// finish fills the columns that the record has no field for.
func (v *rowVisitor) finish() {
	if v.filled == len(v.slots) {
		return
	}
	for _, s := range v.slots {
		if s.mark == v.serial {
			continue
		}
		switch {
		case s.target.Added:
			v.putNull(s)
		case v.format.Missing == MissingError:
			v.refuse(s, valueMissing, "")
			return
		case v.format.Missing == MissingDefault:
			v.putDefault(s)
		case s.notNull:
			v.refuse(s, nullRefused, "null")
		default:
			v.putNull(s)
		}
	}
}

// putNull puts NULL into a column.
func (v *rowVisitor) putNull(s *slot) {
	if s.op == opVariant {
		v.column(s)
	}
	s.putNull(v.row)
}

// putDefault puts the default of a column: NULL if there is none, and the zero of the type if the column refuses that.
func (v *rowVisitor) putDefault(s *slot) {
	if s.op == opVariant {
		v.column(s)
	}
	d := s.target.Default
	switch {
	case d != nil && (!d.IsNull(0) || !s.notNull):
		s.putFrom(v.row, d, 0)
	case s.notNull:
		s.putZero(v.row)
	default:
		s.putNull(v.row)
	}
}

// claim returns the slot that the value of the present field goes to, nil if nobody wants it. A field that is no target is noted.
func (v *rowVisitor) claim() *slot {
	f := v.field
	switch f.kind {
	case fieldTarget:
		v.mark(f.slot)
		return f.slot
	case fieldLate:
		if f.mark != v.serial {
			f.mark = v.serial
			v.late = append(v.late, lateKey{f, v.fields.at})
		}
	}
	return nil
}

// mark says that a column has a value in the present record.
func (v *rowVisitor) mark(s *slot) {
	if s.mark == v.serial {
		v.duplicates++
		return
	}
	s.mark = v.serial
	v.filled++
}

// column prepares the sink of a variant column for the value of the present record: an earlier one goes.
func (v *rowVisitor) column(s *slot) {
	if s.filled == v.serial {
		s.sink.Undo()
	}
	s.filled = v.serial
}

// beginVariant begins a value of a variant slot in its sink.
func (v *rowVisitor) beginVariant(s *slot, r int) {
	if s.op == opCell {
		v.sink, v.cell, v.cellRow = s.env.cell, s, r
	} else {
		v.sink = s.sink
		v.column(s)
	}
	v.sink.BeginRow()
}

// endVariant completes the value begun by beginVariant.
func (v *rowVisitor) endVariant() {
	if v.cell != nil {
		v.cell.endCell(v.cellRow)
		v.cell = nil
		return
	}
	v.sink.EndRow()
}

// BeginObject enters the record or an object in it.
func (v *rowVisitor) BeginObject() { v.enter(true) }

// BeginArray enters an array. A record is none.
func (v *rowVisitor) BeginArray() { v.enter(false) }

func (v *rowVisitor) enter(object bool) {
	switch v.mode {
	case modeTop:
		if v.mode = modeField; !object {
			v.notObject("an array")
			v.skip(modeDone)
		}
	case modeField:
		v.container(v.claim(), v.row, object)
	case modeVariant:
		v.depth++
		v.beginContainer(object)
	case modeNested:
		s, r := v.place()
		v.container(s, r, object)
	case modeSkip:
		v.depth++
	}
}

func (v *rowVisitor) beginContainer(object bool) {
	if object {
		v.sink.BeginObject()
	} else {
		v.sink.BeginArray()
	}
}

// skip passes over a container just begun.
func (v *rowVisitor) skip(after mode) { v.mode, v.depth, v.after = modeSkip, 1, after }

// container begins an object or array as the value of a slot, nil for a value that nobody wants.
func (v *rowVisitor) container(s *slot, r int, object bool) {
	switch {
	case s == nil:
		v.skip(v.mode)
	case s.op == opVariant || s.op == opCell:
		v.beginVariant(s, r)
		v.mode, v.depth, v.after = modeVariant, 1, v.mode
		v.beginContainer(object)
	case s.op < opList || object == (s.op == opList):
		what := "an array"
		if object {
			what = "an object"
		}
		v.refuse(s, wrongKind, what)
		v.skip(v.mode)
	default:
		v.push(s, r)
	}
}

// EndObject leaves the record or an object in it.
func (v *rowVisitor) EndObject() {
	switch v.mode {
	case modeField:
		v.mode = modeDone
	case modeVariant:
		v.sink.EndObject()
		v.leaveVariant()
	case modeNested:
		v.pop()
	case modeSkip:
		v.leaveSkipped()
	}
}

// EndArray leaves an array.
func (v *rowVisitor) EndArray() {
	switch v.mode {
	case modeVariant:
		v.sink.EndArray()
		v.leaveVariant()
	case modeNested:
		v.pop()
	case modeSkip:
		v.leaveSkipped()
	}
}

func (v *rowVisitor) leaveVariant() {
	if v.depth--; v.depth == 0 {
		v.endVariant()
		v.mode = v.after
	}
}

func (v *rowVisitor) leaveSkipped() {
	if v.depth--; v.depth == 0 {
		v.mode = v.after
	}
}

// Key names the next member.
func (v *rowVisitor) Key(k []byte) {
	switch v.mode {
	case modeField:
		v.field = v.fields.find(k)
		if v.field.kind == fieldAmbiguous {
			v.ambiguous(v.field.name)
		}
	case modeVariant:
		v.sink.Key(k)
	case modeNested:
		v.member(k)
	}
}

// Null is a value that is null. A field that is null is no late field: it needs no column.
func (v *rowVisitor) Null() {
	switch v.mode {
	case modeTop:
		v.notObject("null")
	case modeField:
		if s := v.field.slot; s != nil {
			v.mark(s)
			v.nullField(s)
		}
	case modeVariant:
		v.sink.Null()
	case modeNested:
		s, r := v.place()
		switch {
		case s == nil:
		case s.notNull:
			v.refuse(s, nullRefused, "null")
		default:
			s.putNull(r)
		}
	}
}

// nullField applies NULL_FIELD_AS.
func (v *rowVisitor) nullField(s *slot) {
	switch {
	case v.format.NullDefault:
		v.putDefault(s)
	case s.notNull:
		v.refuse(s, nullRefused, "null")
	default:
		v.putNull(s)
	}
}

// target returns slot and row of the next scalar value outside of variants' containers; nil if nobody wants it. A scalar in the place of
// a record is refused as what it is.
func (v *rowVisitor) target(what string) (*slot, int) {
	switch v.mode {
	case modeField:
		return v.claim(), v.row
	case modeNested:
		return v.place()
	case modeTop:
		v.notObject(what)
	}
	return nil, 0
}

// single begins the value of a variant slot that is one scalar, which endVariant ends.
func (v *rowVisitor) single(s *slot, r int) variant.RowSink {
	v.beginVariant(s, r)
	return v.sink
}

// Bool is true or false.
func (v *rowVisitor) Bool(x bool) {
	if v.mode == modeVariant {
		v.sink.Bool(x)
		return
	}
	s, r := v.target(strconv.FormatBool(x))
	switch {
	case s == nil:
	case s.op == opVariant:
		v.single(s, r).Bool(x)
		v.endVariant()
	default:
		if p := s.putBool(r, x); p != fits {
			v.refuse(s, p, strconv.FormatBool(x))
		}
	}
}

const aNumber = "a number"

// Int is an integer.
func (v *rowVisitor) Int(x int64) {
	if v.mode == modeVariant {
		v.sink.Int(x)
		return
	}
	s, r := v.target(aNumber)
	switch {
	case s == nil:
	case s.op == opVariant:
		v.single(s, r).Int(x)
		v.endVariant()
	default:
		if p := s.putInt(r, x); p != fits {
			v.refuse(s, p, strconv.FormatInt(x, 10))
		}
	}
}

// Double is a number that a double denotes exactly.
func (v *rowVisitor) Double(x float64) {
	if v.mode == modeVariant {
		v.sink.Double(x)
		return
	}
	s, r := v.target(aNumber)
	switch {
	case s == nil:
	case s.op == opVariant:
		v.single(s, r).Double(x)
		v.endVariant()
	default:
		if p := s.putDouble(r, x); p != fits {
			v.refuse(s, p, string(jsonparse.AppendDouble(nil, x)))
		}
	}
}

// Number is any other number.
func (v *rowVisitor) Number(text []byte) {
	if v.mode == modeVariant {
		v.sink.Number(text)
		return
	}
	s, r := v.target(aNumber)
	switch {
	case s == nil:
	case s.op == opVariant:
		v.single(s, r).Number(text)
		v.endVariant()
	default:
		if p := s.putNumber(r, text); p != fits {
			v.refuse(s, p, showText(text))
		}
	}
}

// String is text.
func (v *rowVisitor) String(text []byte) {
	if v.mode == modeVariant {
		v.sink.String(text)
		return
	}
	s, r := v.target("text")
	switch {
	case s == nil:
	case len(v.format.NullIf) > 0 && s.target != nil && !s.notNull && isNullText(v.format.NullIf, text):
		v.putNull(s)
	case s.op == opVariant:
		v.single(s, r).String(text)
		v.endVariant()
	default:
		if p := s.putText(r, text); p != fits {
			v.refuse(s, p, showQuoted(text))
		}
	}
}

// isNullText tells whether NULL_IF lists a text.
func isNullText(list []string, text []byte) bool {
	for _, n := range list {
		if n == string(text) {
			return true
		}
	}
	return false
}
