// Package stage lists and reads staged files and writes unloaded ones: NDJSON and Parquet on local folders, with schema inference.
// It knows file formats and conversion rules, but no tables, snapshots or SQL text.
// A Scanner belongs to one goroutine; a Report is shared by all scanners of a load and is safe for concurrent use.
package stage

import (
	"time"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// File is a file to be read.
type File struct {
	// Name is the path inside the stage, as shown to users; Path is the canonical path to open.
	Name, Path string
	Size       int64
	ModTime    time.Time
	ETag       string
	// From and To select a part, for several workers (see Split): bytes of an NDJSON file, beginning and ending at lines, or row groups of
	// a Parquet file. To is excluded; both are 0 for the whole file.
	From, To int64
}

// part tells whether f stands for a part of a file.
func (f *File) part() bool { return f.To > 0 }

// FormatType is a file format.
type FormatType uint8

// The formats.
const (
	Parquet FormatType = iota
	NDJSON
	CSV
)

// Compression of a whole file.
type Compression uint8

// The compressions. Reading, Auto looks at the first bytes; writing, it is Zstd for Parquet, which compresses pages, and None for NDJSON.
const (
	Auto Compression = iota
	None
	Gzip
	Zstd
	Bzip2
	Snappy // Parquet only, which is also written with it
)

// MissingField says what a column gets in records that lack it.
type MissingField uint8

// The choices of MISSING_FIELD_AS.
const (
	MissingError MissingField = iota
	MissingNull
	MissingDefault
)

// Format is a FILE_FORMAT.
type Format struct {
	Type        FormatType
	Compression Compression
	Missing     MissingField
	// NullDefault is NULL_FIELD_AS = FIELD_DEFAULT: an explicit JSON null takes the default.
	NullDefault bool
	// NullIf lists texts that become NULL in nullable columns.
	NullIf []string
	// RawIntegers is USE_LOGIC_TYPE = FALSE for Parquet: dates and timestamps are read as plain integers.
	RawIntegers bool
}

// Target is a column to be filled from a field of the same name.
type Target struct {
	Name    string
	Type    types.Type
	NotNull bool
	// Default has one row, nil for NULL.
	Default *vec.Vector
	// Added says that this load adds the column: it is NULL in records that lack it, whatever Format.Missing says.
	Added bool
	// Fixed says that the column is not in COPY's column list: it takes its default in every row and no field is read into it.
	Fixed bool
}

// Unknown says what happens with fields that are no target.
type Unknown uint8

// Fields that are no target are ignored, or collected in the report as late fields so that the load can fail or add them.
const (
	UnknownIgnore Unknown = iota
	UnknownCollect
)

// ErrorMode is what a bad row does.
type ErrorMode uint8

// The modes of ON_ERROR.
const (
	Abort    ErrorMode = iota // the Limit-th bad row of the load fails it
	Continue                  // bad rows are dropped and reported
	SkipFile                  // a file with a bad row is not loaded at all
)

// OnError is ON_ERROR; Limit is n of ABORT_n (1 for plain ABORT).
type OnError struct {
	Mode  ErrorMode
	Limit int
}

// ReadSpec tells a scanner what to make of a file.
type ReadSpec struct {
	Format        Format
	Targets       []Target
	CaseSensitive bool
	Unknown       Unknown
	OnError       OnError
	// WholeRow makes one VARIANT column of each record ($1) instead of Targets.
	WholeRow bool
	// VariantNullOnBad is DISABLE_VARIANT_CHECK: text that is not JSON becomes NULL in VARIANT columns.
	VariantNullOnBad bool
	// Rounding lets fractions be rounded into integer columns.
	Rounding bool
	// Zone is where wall clocks are when a time without an offset meets a column with one, or the other way round; nil means UTC.
	Zone *time.Location
}
