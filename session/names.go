package session

import (
	"strings"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
)

// maxNameBytes bounds the names of databases, tables, columns, stages and users.
const maxNameBytes = 255

// checkName refuses names that cannot be stored.
func checkName(what string, id parse.Ident) error {
	switch {
	case id.Name == "":
		return sqlerr.At(sqlerr.Bind, id.Pos(), "a %s name cannot be empty", what)
	case len(id.Name) > maxNameBytes:
		return sqlerr.At(sqlerr.Resource, id.Pos(), "a %s name has at most %d bytes, this one has %d", what, maxNameBytes, len(id.Name))
	case strings.ContainsRune(id.Name, 0):
		return sqlerr.At(sqlerr.Bind, id.Pos(), "a %s name cannot hold NUL", what)
	}
	return nil
}

// split takes [catalog.][database.]name apart; the database defaults to the session's.
func (s *Session) split(n parse.ObjectName) (database string, id parse.Ident, err error) {
	database = s.Database()
	parts := n.Parts
	if len(parts) == 3 {
		if !strings.EqualFold(parts[0].Name, catalog.CatalogName) {
			return "", id, sqlerr.At(sqlerr.NotFound, n.Pos(), "catalog %s does not exist; there is one, %s", parts[0].Name, catalog.CatalogName)
		}
		parts = parts[1:]
	}
	if len(parts) == 2 {
		database = parts[0].Name
		parts = parts[1:]
	}
	return database, parts[0], nil
}

// table finds a table by its written name.
func (s *Session) table(snap *catalog.Snapshot, n parse.ObjectName) (*catalog.Table, error) {
	database, id, err := s.split(n)
	if err != nil {
		return nil, err
	}
	if strings.EqualFold(database, systemDatabase) || strings.EqualFold(database, informationSchema) {
		return nil, sqlerr.At(sqlerr.Permission, n.Pos(), "tables of %s can only be read", database)
	}
	t, err := snap.Table(database, id.Name, id.Quoted)
	if sqlerr.KindOf(err) == sqlerr.NotFound {
		if v, viewErr := snap.View(database, id.Name, id.Quoted); viewErr == nil {
			return nil, sqlerr.At(sqlerr.Bind, n.Pos(), "%s.%s is a view, not a table", v.Database, v.Name)
		}
	}
	return t, sqlerr.WithPlace(err, n.Pos())
}

// newName checks that a table or view may be created under a written name and returns the exact database name.
func (s *Session) newName(snap *catalog.Snapshot, what string, n parse.ObjectName) (database, name string, err error) {
	database, id, err := s.split(n)
	if err != nil {
		return "", "", err
	}
	if err := checkName(what, id); err != nil {
		return "", "", err
	}
	if reservedDatabase(database) {
		return "", "", sqlerr.At(sqlerr.Permission, n.Pos(), "database %s is built in; nothing can be created in it", database)
	}
	d, err := snap.Database(database, false)
	if err != nil {
		return "", "", sqlerr.WithPlace(err, n.Pos())
	}
	return d.Name, id.Name, nil
}

// column finds a column of a table by its written name: exactly first, an unquoted name then without regard to case.
func column(t *catalog.Table, id parse.Ident) (*catalog.Column, error) {
	var hit *catalog.Column
	hits := 0
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Name == id.Name {
			return c, nil
		}
		if !id.Quoted && strings.EqualFold(c.Name, id.Name) {
			hit = c
			hits++
		}
	}
	if hits == 1 {
		return hit, nil
	}
	if hits > 1 {
		return nil, sqlerr.At(sqlerr.Bind, id.Pos(), "column name %s is ambiguous in table %s: quote the one you mean", id.Name, t.Name)
	}
	return nil, sqlerr.At(sqlerr.NotFound, id.Pos(), "column %s does not exist in table %s", id.Name, t.Name)
}
