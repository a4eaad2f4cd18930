// Package catalog holds the immutable state of a database: the Snapshot with databases, tables, stages, users and load history,
// and the Edit that leads from one Snapshot to the next.
// It knows no files, no SQL text and no locks; package store makes Edits durable.
// Snapshots are persistent values: applying an Edit shares everything that it does not touch, and readers need no lock.
package catalog

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/vec"
)

// TableID and ColumnID identify tables and columns for ever, whatever their names become.
type (
	TableID  uint64
	ColumnID = segment.ColumnID
)

// Names that exist from the start.
const (
	CatalogName     = "ebira"
	DefaultDatabase = "default"
)

// Column is a column of a table.
type Column struct {
	ID      ColumnID
	Name    string
	Type    types.Type
	NotNull bool
	// Default is the SQL text of the DEFAULT expression, "" for none; DefaultValue (one row, nil for NULL) is what rows written
	// before ADD COLUMN read.
	Default      string
	DefaultValue *vec.Vector
	Comment      string
}

// Table is one version of a table. It is never changed; an Edit makes a new one.
type Table struct {
	ID       TableID
	Database string
	Name     string
	Columns  []Column
	// NextColumn is the next unused ColumnID.
	NextColumn ColumnID
	// SortKey are the columns of DUPLICATE KEY: segments are sorted by them.
	SortKey []ColumnID
	// Evolution is the option ENABLE_SCHEMA_EVOLUTION.
	Evolution bool
	Comment   string
	// Properties are the accepted table properties and clauses in the order given, as SHOW CREATE TABLE prints them.
	Properties []types.Property
	// SchemaVersion grows with every change of Columns.
	SchemaVersion uint64

	// Segments and Batches hold the rows: immutable files, then small writes in commit order.
	Segments []*segment.Meta
	Batches  []*Batch
	// Deletes are the deletion vectors by segment or batch id.
	Deletes map[segment.ID]*DeletionVector
}

// Batch is a small write that sits in the log until a flush makes a segment of it.
type Batch struct {
	ID      segment.ID
	Columns []ColumnID
	Data    *vec.Batch
}
