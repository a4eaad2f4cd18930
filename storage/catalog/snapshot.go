package catalog

import (
	"strings"

	"github.com/benbjohnson/immutable"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// Snapshot is the whole state of a data directory at one moment.
type Snapshot struct {
	// Version counts the Edits applied.
	Version uint64
	// NextID is the next unused table, segment, batch, stage or load id.
	NextID uint64

	databases *immutable.SortedMap[string, *Database]
	tables    *immutable.Map[TableID, *Table]
	views     *immutable.SortedMap[string, *View]
	stages    *immutable.SortedMap[string, *Stage]
	formats   *immutable.SortedMap[string, *FileFormat]
	users     *immutable.SortedMap[string, *User]
	settings  *immutable.SortedMap[string, string]

	// Changes and Errors are logs; a newer Snapshot may share their backing array, so they are only ever read.
	Changes []SchemaChange
	Errors  []LoadError

	fork bool
}

// Database is a namespace of tables.
type Database struct {
	Name    string
	Comment string `json:",omitempty"`
	tables  *immutable.SortedMap[string, TableID]
}

// NewSnapshot returns the state of an empty data directory: one database, "default".
func NewSnapshot() *Snapshot {
	s := &Snapshot{
		NextID:    1,
		databases: immutable.NewSortedMap[string, *Database](nil),
		tables:    immutable.NewMap[TableID, *Table](idHasher[TableID]{}),
		views:     immutable.NewSortedMap[string, *View](nil),
		stages:    immutable.NewSortedMap[string, *Stage](nil),
		formats:   immutable.NewSortedMap[string, *FileFormat](nil),
		users:     immutable.NewSortedMap[string, *User](nil),
		settings:  immutable.NewSortedMap[string, string](nil),
	}
	s.databases = s.databases.Set(DefaultDatabase, newDatabase(DefaultDatabase))
	return s
}

func newDatabase(name string) *Database {
	return &Database{Name: name, tables: immutable.NewSortedMap[string, TableID](nil)}
}

// find looks a name up: exactly first; an unquoted name then without regard to case, which must be unambiguous.
func find[V any](m *immutable.SortedMap[string, V], what, prefix, name string, quoted bool) (v V, ok bool, err error) {
	if v, ok = m.Get(prefix + name); ok || quoted {
		return v, ok, nil
	}
	var hits []string
	for it := m.Iterator(); !it.Done(); {
		k, w, _ := it.Next()
		if strings.EqualFold(k, prefix+name) {
			hits = append(hits, k[len(prefix):])
			v = w
		}
	}
	if len(hits) > 1 {
		return v, false, sqlerr.New(sqlerr.Bind, "%s name %s is ambiguous: %s; quote the one you mean", what, name, strings.Join(hits, ", "))
	}
	return v, len(hits) == 1, nil
}

func values[V any](m *immutable.SortedMap[string, V]) []V {
	out := make([]V, 0, m.Len())
	for it := m.Iterator(); !it.Done(); {
		_, v, _ := it.Next()
		out = append(out, v)
	}
	return out
}

// Database finds a database. An unquoted name is matched without regard to case if no exact one exists.
func (s *Snapshot) Database(name string, quoted bool) (*Database, error) {
	d, ok, err := find(s.databases, "database", "", name, quoted)
	if err == nil && !ok {
		err = sqlerr.New(sqlerr.NotFound, "database %s does not exist", name)
	}
	return d, err
}

// Databases lists the databases by name.
func (s *Snapshot) Databases() []*Database { return values(s.databases) }

// Table finds a table of a database by name.
func (s *Snapshot) Table(database, name string, quoted bool) (*Table, error) {
	d, err := s.Database(database, false)
	if err != nil {
		return nil, err
	}
	id, ok, err := find(d.tables, "table", "", name, quoted)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, sqlerr.New(sqlerr.NotFound, "table %s.%s does not exist", d.Name, name)
	}
	t, _ := s.tables.Get(id)
	return t, nil
}

// TableByID returns a table, or nil if it does not exist any more.
func (s *Snapshot) TableByID(id TableID) *Table {
	t, _ := s.tables.Get(id)
	return t
}

// Tables lists the tables of a database by name.
func (s *Snapshot) Tables(d *Database) []*Table {
	var out []*Table
	for _, id := range values(d.tables) {
		t, _ := s.tables.Get(id)
		out = append(out, t)
	}
	return out
}

// objectKey joins database and name of a view, stage or format; names cannot hold NUL.
func objectKey(database, name string) string { return database + "\x00" + name }

// View finds a view of a database by name.
func (s *Snapshot) View(database, name string, quoted bool) (*View, error) {
	d, err := s.Database(database, false)
	if err != nil {
		return nil, err
	}
	v, ok, err := find(s.views, "view", objectKey(d.Name, ""), name, quoted)
	if err == nil && !ok {
		err = sqlerr.New(sqlerr.NotFound, "view %s.%s does not exist", d.Name, name)
	}
	return v, err
}

// Views lists all views by database and name.
func (s *Snapshot) Views() []*View { return values(s.views) }

// Stage finds a stage of a database.
func (s *Snapshot) Stage(database, name string, quoted bool) (*Stage, error) {
	st, ok, err := find(s.stages, "stage", database+"\x00", name, quoted)
	if err == nil && !ok {
		err = sqlerr.New(sqlerr.NotFound, "stage %s does not exist", name)
	}
	return st, err
}

// Stages lists all stages by database and name.
func (s *Snapshot) Stages() []*Stage { return values(s.stages) }

// Format finds a named file format of a database.
func (s *Snapshot) Format(database, name string, quoted bool) (*FileFormat, error) {
	f, ok, err := find(s.formats, "file format", database+"\x00", name, quoted)
	if err == nil && !ok {
		err = sqlerr.New(sqlerr.NotFound, "file format %s does not exist", name)
	}
	return f, err
}

// Formats lists all named file formats.
func (s *Snapshot) Formats() []*FileFormat { return values(s.formats) }

// User returns a user by exact name.
func (s *Snapshot) User(name string) (*User, bool) { return s.users.Get(name) }

// Users lists all users by name.
func (s *Snapshot) Users() []*User { return values(s.users) }

// Setting returns a value set by SET GLOBAL.
func (s *Snapshot) Setting(name string) (string, bool) { return s.settings.Get(name) }

// Settings lists what SET GLOBAL has set, name and value, by name.
func (s *Snapshot) Settings() [][2]string {
	var out [][2]string
	for it := s.settings.Iterator(); !it.Done(); {
		k, v, _ := it.Next()
		out = append(out, [2]string{k, v})
	}
	return out
}
