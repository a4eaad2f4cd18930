package session

import (
	"context"
	"strings"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
)

// Databases that exist without being stored.
const (
	systemDatabase    = "system"
	informationSchema = "information_schema"
)

func reservedDatabase(name string) bool {
	return strings.EqualFold(name, systemDatabase) || strings.EqualFold(name, informationSchema)
}

// databaseName takes [catalog.]name apart.
func databaseName(n parse.ObjectName) (parse.Ident, error) {
	if len(n.Parts) > 2 || len(n.Parts) == 2 && !strings.EqualFold(n.Parts[0].Name, catalog.CatalogName) {
		return parse.Ident{}, sqlerr.At(sqlerr.Bind, n.Pos(), "%s does not name a database", n)
	}
	return n.Last(), nil
}

func (s *Session) createDatabase(ctx context.Context, st *parse.CreateDatabase) (*Result, error) {
	id, err := databaseName(st.Name)
	if err != nil {
		return nil, err
	}
	if err := checkName("database", id); err != nil {
		return nil, err
	}
	if reservedDatabase(id.Name) {
		return nil, sqlerr.At(sqlerr.Exists, id.Pos(), "database %s is built in", id.Name)
	}
	comment := ""
	if st.Comment != nil {
		comment = st.Comment.Value
	}
	return s.change(ctx, func(snap *catalog.Snapshot) (*catalog.Edit, error) {
		old, err := snap.Database(id.Name, id.Quoted)
		switch {
		case err == nil && st.OrReplace:
			return &catalog.Edit{Ops: []catalog.Op{&catalog.DropDatabase{Name: old.Name}, &catalog.PutDatabase{Name: id.Name, Comment: comment}}}, nil
		case err == nil && st.IfNotExists:
			return nil, nil
		case err == nil:
			return nil, sqlerr.At(sqlerr.Exists, id.Pos(), "database %s exists already", old.Name)
		}
		return &catalog.Edit{Ops: []catalog.Op{&catalog.PutDatabase{Name: id.Name, Comment: comment}}}, nil
	})
}

func (s *Session) dropDatabase(ctx context.Context, st *parse.DropDatabase) (*Result, error) {
	id, err := databaseName(st.Name)
	if err != nil {
		return nil, err
	}
	return s.change(ctx, func(snap *catalog.Snapshot) (*catalog.Edit, error) {
		d, err := snap.Database(id.Name, id.Quoted)
		if err != nil {
			if st.IfExists {
				return nil, nil
			}
			return nil, sqlerr.WithPlace(err, id.Pos())
		}
		if d.Name == catalog.DefaultDatabase {
			return nil, sqlerr.At(sqlerr.Constraint, id.Pos(), "database %s cannot be dropped: sessions start in it", d.Name)
		}
		return &catalog.Edit{Ops: []catalog.Op{&catalog.DropDatabase{Name: d.Name}}}, nil
	})
}

func (s *Session) alterDatabase(ctx context.Context, st *parse.AlterDatabase) (*Result, error) {
	id, err := databaseName(st.Name)
	if err != nil {
		return nil, err
	}
	if st.NewName.Name == "" {
		return nil, sqlerr.At(sqlerr.Unsupported, st.Pos(), "databases have no options; ALTER DATABASE can RENAME TO")
	}
	if err := checkName("database", st.NewName); err != nil {
		return nil, err
	}
	if reservedDatabase(st.NewName.Name) {
		return nil, sqlerr.At(sqlerr.Exists, st.NewName.Pos(), "database %s is built in", st.NewName.Name)
	}
	return s.change(ctx, func(snap *catalog.Snapshot) (*catalog.Edit, error) {
		d, err := snap.Database(id.Name, id.Quoted)
		if err != nil {
			if st.IfExists {
				return nil, nil
			}
			return nil, sqlerr.WithPlace(err, id.Pos())
		}
		if d.Name == catalog.DefaultDatabase {
			return nil, sqlerr.At(sqlerr.Constraint, id.Pos(), "database %s cannot be renamed: sessions start in it", d.Name)
		}
		return &catalog.Edit{Ops: []catalog.Op{&catalog.RenameDatabase{From: d.Name, To: st.NewName.Name}}}, nil
	})
}

// change makes an Edit of the present state and commits it; where another commit came first and the Edit does not fit any more, it is
// made anew. A nil Edit changes nothing. In a transaction the Edit becomes a part of it.
func (s *Session) change(ctx context.Context, make func(*catalog.Snapshot) (*catalog.Edit, error)) (*Result, error) {
	return s.again(ctx, func(v *View) (*Result, error) {
		e, err := make(v.snap)
		if err == nil && e != nil {
			err = v.commit(ctx, e, nil, nil)
		}
		if err != nil {
			return nil, err
		}
		return &Result{}, nil
	})
}

// again executes a statement that commits, and once more on the newer state where another statement got in its way. In a transaction
// there is no newer state.
func (s *Session) again(ctx context.Context, do func(v *View) (*Result, error)) (*Result, error) {
	once := func() (*Result, error) {
		v, err := s.writing(ctx)
		if err != nil {
			return nil, err
		}
		defer v.Release()
		return do(v)
	}
	for tries := 0; ; tries++ {
		r, err := once()
		if err == nil || sqlerr.KindOf(err) != sqlerr.Conflict || tries >= maxCommitTries || s.openTxn() != nil {
			return r, err
		}
	}
}

// maxCommitTries bounds how often an autocommit statement is tried again after a conflict.
const maxCommitTries = 20
