package catalog

import (
	"time"

	"github.com/ebira-db/ebira/sql/types"
)

// Stage is a named place for files. An internal stage lies under the data directory, in the folder named by its ID.
type Stage struct {
	ID       uint64
	Database string
	Name     string
	// URL is empty for internal stages.
	URL     string `json:",omitempty"`
	Comment string `json:",omitempty"`
	// Format is the stage's FILE_FORMAT as written.
	Format  []types.Property `json:",omitempty"`
	Created time.Time
}

// View is a stored query.
type View struct {
	Database, Name string
	// Text is the SELECT. Names without a database in it mean Home.
	Text string
	Home string
	// Columns rename the output columns where not empty; Comments, where not empty, has one comment for each.
	Columns  []string `json:",omitempty"`
	Comments []string `json:",omitempty"`
	Comment  string   `json:",omitempty"`
}

// FileFormat is a named FILE_FORMAT.
type FileFormat struct {
	Database, Name string
	Format         []types.Property
}

// User may connect. Hash is an encoded password hash (PHC string); package session makes and checks it.
type User struct {
	Name    string
	Hash    string
	Created time.Time
}

// LoadEntry remembers a loaded file of a table. A file is the same if key, size and ETag or modification time agree.
type LoadEntry struct {
	// Key is the stage (or location) and the canonical path in it.
	Key      string
	Size     int64
	ModTime  time.Time
	ETag     string `json:",omitempty"`
	Rows     int64
	Errors   int64
	LoadID   uint64
	LoadedAt time.Time
}

// SchemaChange records a column that a load added.
type SchemaChange struct {
	Table    TableID
	Database string
	Name     string
	Column   string
	Type     string
	File     string
	LoadID   uint64
	At       time.Time
}

// LoadError is one refused row of a load.
type LoadError struct {
	LoadID uint64
	Table  string
	File   string
	Line   int64
	Offset int64
	Column string
	Reason string
	// Text is the beginning of the row as it was.
	Text string
	At   time.Time
}

// MaxLoadErrors bounds the load errors that a Snapshot keeps; the oldest go first.
const MaxLoadErrors = 10_000
