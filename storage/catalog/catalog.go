// Package catalog holds the immutable state of a database: the Snapshot with databases, tables, stages, users and load history,
// and the Edit that leads from one Snapshot to the next.
// It knows no files, no SQL text and no locks; package store makes Edits durable.
// Snapshots are persistent values: applying an Edit shares everything that it does not touch, and readers need no lock.
package catalog

import (
	"github.com/benbjohnson/immutable"

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
	Default      string      `json:",omitempty"`
	DefaultValue *vec.Vector `json:"-"`
	Comment      string      `json:",omitempty"`
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
	SortKey []ColumnID `json:",omitempty"`
	// Evolution is the option ENABLE_SCHEMA_EVOLUTION.
	Evolution bool   `json:",omitempty"`
	Comment   string `json:",omitempty"`
	// Properties are the accepted table properties and clauses in the order given, as SHOW CREATE TABLE prints them.
	Properties []types.Property `json:",omitempty"`
	// SchemaVersion grows with every change of Columns.
	SchemaVersion uint64

	// Changes counts the operations that added or removed rows, so that two versions of a table can be told to have the same rows: a
	// Replace only moves them. It is not stored and starts anew when a directory is opened.
	Changes uint64 `json:"-"`

	// Segments and Batches hold the rows: immutable files, then small writes in commit order.
	Segments []*segment.Meta `json:"-"`
	Batches  []*Batch        `json:"-"`

	deletes *immutable.Map[segment.ID, *DeletionVector]
	loads   *immutable.SortedMap[string, LoadEntry]
}

// Column returns the column with an id, or nil.
func (t *Table) Column(id ColumnID) *Column {
	for i := range t.Columns {
		if t.Columns[i].ID == id {
			return &t.Columns[i]
		}
	}
	return nil
}

// Deleted returns the deletion vector of a segment or batch, nil if no row of it is deleted.
func (t *Table) Deleted(id segment.ID) *DeletionVector {
	if t.deletes == nil {
		return nil
	}
	d, _ := t.deletes.Get(id)
	return d
}

// Load returns the history entry of a file.
func (t *Table) Load(key string) (LoadEntry, bool) {
	if t.loads == nil {
		return LoadEntry{}, false
	}
	return t.loads.Get(key)
}

// Loads calls f for each file in the load history, by key, until f returns false.
func (t *Table) Loads(f func(LoadEntry) bool) {
	if t.loads == nil {
		return
	}
	for it := t.loads.Iterator(); !it.Done(); {
		if _, e, _ := it.Next(); !f(e) {
			return
		}
	}
}

// Rows returns the number of live rows.
func (t *Table) Rows() int64 {
	var n int64
	for _, s := range t.Segments {
		n += s.Rows - t.Deleted(s.ID).Count()
	}
	for _, b := range t.Batches {
		n += int64(b.Data.Len) - t.Deleted(b.ID).Count()
	}
	return n
}

// Bytes returns the size of the segments on disk plus the memory of the delta batches.
func (t *Table) Bytes() int64 {
	var n int64
	for _, s := range t.Segments {
		n += s.Bytes
	}
	for _, b := range t.Batches {
		n += b.Data.SizeBytes()
	}
	return n
}

// Batch is a small write that sits in the log until a flush makes a segment of it.
type Batch struct {
	ID      segment.ID
	Columns []ColumnID
	Data    *vec.Batch `json:"-"`
}
