package variant

import "github.com/ebira-db/ebira/jsonparse"

// RowSink takes variant values row by row: BeginRow, the events of one JSON value, EndRow; or AppendNull or AppendValue. A BatchBuilder
// makes a vector of them, a Shredder the columns of a segment.
type RowSink interface {
	jsonparse.Visitor
	BeginRow()
	EndRow()
	// AppendNull appends a SQL NULL row, AppendValue an encoded value.
	AppendNull()
	AppendValue(meta, value []byte)
	// Undo drops the row begun, whatever part of it has arrived, or else the last row. It must not be called twice in a row.
	Undo()
	// Duplicates returns the number of object members dropped so far because a later one has the same name.
	Duplicates() int
}

var (
	_ RowSink = (*BatchBuilder)(nil)
	_ RowSink = (*Shredder)(nil)
)

// AppendValue appends a row with an encoded value.
func (s *Shredder) AppendValue(meta, value []byte) {
	s.BeginRow()
	s.appendValue(meta, value)
	s.EndRow()
}
