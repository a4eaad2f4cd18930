package catalog

import "github.com/ebira-db/ebira/storage/segment"

// Edit is what one commit changes: all of its operations or none. It is a value; package store makes it durable.
type Edit struct {
	Ops []Op
}

// Add appends operations.
func (e *Edit) Add(ops ...Op) { e.Ops = append(e.Ops, ops...) }

// Op is one operation of an Edit. Each operation is applied by its apply method and encoded under its tag; tags are never reused.
type Op interface {
	tag() opTag
	// apply changes s, a private copy of a Snapshot whose parts are persistent values.
	apply(s *Snapshot) error
}

type opTag uint8

// Tags on disk.
const (
	tagReserve opTag = iota + 1
	tagPutDatabase
	tagRenameDatabase
	tagDropDatabase
	tagCreateTable
	tagAlterTable
	tagDropTable
	tagAddSegments
	tagAddBatch
	tagReplace
	tagDeleteRows
	tagTruncate
	tagPutStage
	tagDropStage
	tagPutFormat
	tagDropFormat
	tagPutUser
	tagDropUser
	tagSetGlobal
	tagAddLoads
	tagAddChanges
	tagAddErrors
	tagPutView
	tagDropView
)

type (
	// Reserve raises NextID to Next, so that ids handed out are never used again.
	Reserve struct{ Next uint64 }
	// PutDatabase creates a database, or changes its comment.
	PutDatabase struct{ Name, Comment string }
	// RenameDatabase renames a database with all in it.
	RenameDatabase struct{ From, To string }
	// DropDatabase drops a database with its tables, views, stages and formats.
	DropDatabase struct{ Name string }
	// CreateTable creates a table without rows.
	CreateTable struct{ Table *Table }
	// AlterTable replaces everything of a table but its rows, deletes and loads. From is the SchemaVersion that the change was made for:
	// a commit against another one is a conflict.
	AlterTable struct {
		Table *Table
		From  uint64
	}
	// DropTable drops a table.
	DropTable struct{ ID TableID }
	// AddSegments adds rows as files.
	AddSegments struct {
		Table    TableID
		Segments []*segment.Meta
	}
	// AddBatch adds a small write.
	AddBatch struct {
		Table TableID
		Batch *Batch
	}
	// Replace removes segments and batches and adds the segments that hold their rows now (flush, compaction).
	// It goes before any DeleteRows on the new segments.
	Replace struct {
		Table  TableID
		Remove []segment.ID
		Add    []*segment.Meta
	}
	// DeleteRows deletes rows of a segment or batch.
	DeleteRows struct {
		Table  TableID
		Target segment.ID
		Rows   *DeletionVector `json:"-"`
	}
	// Truncate removes all rows and, unless KeepLoads is set, the load history.
	Truncate struct {
		Table     TableID
		KeepLoads bool `json:",omitempty"`
	}
	// PutStage creates or replaces a stage.
	PutStage struct{ Stage *Stage }
	// DropStage drops a stage.
	DropStage struct{ Database, Name string }
	// PutFormat creates or replaces a file format.
	PutFormat struct{ Format *FileFormat }
	// DropFormat drops a file format.
	DropFormat struct{ Database, Name string }
	// PutUser creates a user or changes the password.
	PutUser struct{ User *User }
	// DropUser drops a user.
	DropUser struct{ Name string }
	// SetGlobal sets a global setting; an empty value unsets it.
	SetGlobal struct{ Name, Value string }
	// AddLoads adds to the load history of a table.
	AddLoads struct {
		Table TableID
		Loads []LoadEntry
	}
	// AddChanges records columns that loads added.
	AddChanges struct{ Changes []SchemaChange }
	// AddErrors records refused rows.
	AddErrors struct{ Errors []LoadError }
	// PutView creates or replaces a view.
	PutView struct{ View *View }
	// DropView drops a view.
	DropView struct{ Database, Name string }
)

func (*Reserve) tag() opTag        { return tagReserve }
func (*PutDatabase) tag() opTag    { return tagPutDatabase }
func (*RenameDatabase) tag() opTag { return tagRenameDatabase }
func (*DropDatabase) tag() opTag   { return tagDropDatabase }
func (*CreateTable) tag() opTag    { return tagCreateTable }
func (*AlterTable) tag() opTag     { return tagAlterTable }
func (*DropTable) tag() opTag      { return tagDropTable }
func (*AddSegments) tag() opTag    { return tagAddSegments }
func (*AddBatch) tag() opTag       { return tagAddBatch }
func (*Replace) tag() opTag        { return tagReplace }
func (*DeleteRows) tag() opTag     { return tagDeleteRows }
func (*Truncate) tag() opTag       { return tagTruncate }
func (*PutStage) tag() opTag       { return tagPutStage }
func (*DropStage) tag() opTag      { return tagDropStage }
func (*PutFormat) tag() opTag      { return tagPutFormat }
func (*DropFormat) tag() opTag     { return tagDropFormat }
func (*PutUser) tag() opTag        { return tagPutUser }
func (*DropUser) tag() opTag       { return tagDropUser }
func (*SetGlobal) tag() opTag      { return tagSetGlobal }
func (*AddLoads) tag() opTag       { return tagAddLoads }
func (*AddChanges) tag() opTag     { return tagAddChanges }
func (*AddErrors) tag() opTag      { return tagAddErrors }
func (*PutView) tag() opTag        { return tagPutView }
func (*DropView) tag() opTag       { return tagDropView }
