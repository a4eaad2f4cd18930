package session

import (
	"context"
	"time"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
)

// Users are administrators all, until roles exist.

func (s *Session) createUser(ctx context.Context, st *parse.CreateUser) (*Result, error) {
	if st.Password == nil {
		return nil, sqlerr.At(sqlerr.Syntax, st.Pos(), "CREATE USER needs IDENTIFIED BY 'password'")
	}
	if err := checkName("user", parse.Ident{Place: st.User.Place, Name: st.User.Name}); err != nil {
		return nil, err
	}
	hash, err := HashPassword(st.Password.Value)
	if err != nil {
		return nil, sqlerr.WithPlace(err, st.Password.Pos())
	}
	return s.change(ctx, func(snap *catalog.Snapshot) (*catalog.Edit, error) {
		if _, ok := snap.User(st.User.Name); ok && !st.OrReplace {
			if st.IfNotExists {
				return nil, nil
			}
			return nil, sqlerr.At(sqlerr.Exists, st.User.Pos(), "user %s exists already", st.User.Name)
		}
		u := &catalog.User{Name: st.User.Name, Hash: hash, Created: time.Now().UTC()}
		return &catalog.Edit{Ops: []catalog.Op{&catalog.PutUser{User: u}}}, nil
	})
}

func (s *Session) alterUser(ctx context.Context, st *parse.AlterUser) (*Result, error) {
	if st.Password == nil {
		return nil, sqlerr.At(sqlerr.Unsupported, st.Pos(), "ALTER USER can change the password: IDENTIFIED BY 'password'")
	}
	hash, err := HashPassword(st.Password.Value)
	if err != nil {
		return nil, sqlerr.WithPlace(err, st.Password.Pos())
	}
	return s.change(ctx, func(snap *catalog.Snapshot) (*catalog.Edit, error) {
		old, ok := snap.User(st.User.Name)
		if !ok {
			if st.IfExists {
				return nil, nil
			}
			return nil, sqlerr.At(sqlerr.NotFound, st.User.Pos(), "user %s does not exist", st.User.Name)
		}
		return &catalog.Edit{Ops: []catalog.Op{&catalog.PutUser{User: &catalog.User{Name: old.Name, Hash: hash, Created: old.Created}}}}, nil
	})
}

func (s *Session) dropUser(ctx context.Context, st *parse.DropUser) (*Result, error) {
	return s.change(ctx, func(snap *catalog.Snapshot) (*catalog.Edit, error) {
		if _, ok := snap.User(st.User.Name); !ok {
			if st.IfExists {
				return nil, nil
			}
			return nil, sqlerr.At(sqlerr.NotFound, st.User.Pos(), "user %s does not exist", st.User.Name)
		}
		if len(snap.Users()) == 1 {
			return nil, sqlerr.At(sqlerr.Constraint, st.User.Pos(), "user %s is the last one: without users nobody could log in", st.User.Name)
		}
		return &catalog.Edit{Ops: []catalog.Op{&catalog.DropUser{Name: st.User.Name}}}, nil
	})
}

// PutUser creates a user or changes the password; the command line makes the first user with it.
func (e *Engine) PutUser(ctx context.Context, name, password string) error {
	if u, ok := e.store.Snapshot().User(name); ok && checkPassword(u.Hash, password) {
		return nil
	}
	hash, err := HashPassword(password)
	if err != nil {
		return err
	}
	u := &catalog.User{Name: name, Hash: hash, Created: time.Now().UTC()}
	_, err = e.store.Commit(ctx, &catalog.Edit{Ops: []catalog.Op{&catalog.PutUser{User: u}}}, nil)
	return err
}
