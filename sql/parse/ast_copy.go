package parse

// Location is a place with files: @stage/path, @~/path, '@stage/pa th', or a string with a URI or path.
type Location struct {
	Place
	// Stage is the stage's name, ~ for the user's own stage, or the zero Ident if URI is set.
	Stage Ident
	// Path is what follows the slash behind the stage's name, as written; "" if there is nothing.
	Path string
	// URI is the string for anything that is not a stage.
	URI string
	// Connection is CONNECTION = (...), only with a URI.
	Connection []Option
}

// IsStage tells a stage from a URI.
func (l Location) IsStage() bool { return l.Stage.Name != "" }

// CreateStage is CREATE [OR REPLACE] [TEMPORARY] STAGE [IF NOT EXISTS] name options.
type CreateStage struct {
	StmtBase
	OrReplace, Temporary, IfNotExists bool
	Name                              Ident
	// Options are URL, CONNECTION, FILE_FORMAT, COMMENT ... in order. A URI without URL = is given as the option URL.
	Options []Option
}

// DropStage is DROP STAGE [IF EXISTS] name.
type DropStage struct {
	StmtBase
	IfExists bool
	Name     Ident
}

// ListStage is LIST @stage[/path] [PATTERN = 're'].
type ListStage struct {
	StmtBase
	Location Location
	Pattern  *StringLit
}

// RemoveStage is REMOVE @stage[/path] [PATTERN = 're'].
type RemoveStage struct {
	StmtBase
	Location Location
	Pattern  *StringLit
}

// CreateFileFormat is CREATE [OR REPLACE] FILE FORMAT [IF NOT EXISTS] name options.
type CreateFileFormat struct {
	StmtBase
	OrReplace, IfNotExists bool
	Name                   Ident
	// Options are TYPE = x and the rest, in order.
	Options []Option
}

// DropFileFormat is DROP FILE FORMAT [IF EXISTS] name.
type DropFileFormat struct {
	StmtBase
	IfExists bool
	Name     Ident
}

// CopyIntoTable is COPY INTO table [(columns)] FROM location | (query) options.
type CopyIntoTable struct {
	StmtBase
	// With are CTEs written before COPY, or nil.
	With    *With
	Table   ObjectName
	Columns []Ident
	// Exactly one of Source and Query is set.
	Source *Location
	Query  *Query
	// Options are FILES, PATTERN, FILE_FORMAT, ON_ERROR, SCHEMA_EVOLUTION ... in order.
	Options []Option
}

// CopyIntoLocation is COPY INTO location FROM table | (query) [PARTITION BY (expr)] options.
type CopyIntoLocation struct {
	StmtBase
	With   *With
	Target Location
	// Exactly one of Table and Query is set.
	Table ObjectName
	Query *Query
	// PartitionBy is nil if not written.
	PartitionBy Expr
	Options     []Option
}
