// Package segment is one segment: an immutable Parquet file of up to about a million rows with zone maps and shredded VARIANT paths.
// It knows how rows lie in the file and which pages a predicate can skip, but nothing of tables, snapshots or SQL text.
// A Writer belongs to one goroutine; a Reader is immutable and may be used by many.
package segment

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Layout constants.
const (
	// PageRows is the number of rows of a page; pages of all columns are cut at the same rows.
	PageRows = 16384
	// MaxRows is the number of rows after which a writer should be closed.
	MaxRows = 1 << 20
)

// ID identifies a segment or a delta batch within a database for ever.
type ID uint64

// ColumnID identifies a column of a table for ever; it is the Parquet field_id.
type ColumnID uint32

// Column is a column as stored in a segment.
type Column struct {
	ID      ColumnID
	Name    string
	Type    types.Type
	NotNull bool
}

// ZoneMap bounds the values of a column within a segment or page.
type ZoneMap struct {
	// Min and Max have one row of the column's type; nil where unknown (no value, NaN, variants, nested types).
	// Text bounds may be cut: Min is a lower and Max an upper bound.
	Min, Max *vec.Vector `json:"-"`
	Nulls    int64
	Rows     int64
	// Distinct estimates how many different values a scalar column has within the segment; nil for pages, and where it was not counted.
	Distinct *vec.Sketch `json:",omitempty"`
}

// Meta is what a Snapshot keeps of a segment. Path statistics stay in the file.
type Meta struct {
	ID    ID
	File  string // name within the segments folder
	Rows  int64
	Bytes int64
	// Checksum is CRC-32C of the footer bytes; page checksums are in the file.
	Checksum uint32
	// Columns are the columns that the file holds, with their zone maps (same order).
	Columns []Column
	Zones   []ZoneMap
}
