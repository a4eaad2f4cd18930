package main

import (
	"context"
	"errors"

	"github.com/ebira-db/ebira/session"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// rows is the result of one statement as the client reads it.
type rows struct {
	schema   types.Schema // nil if the statement yields no rows
	affected int64
	notices  []string
	// next returns the next batch, nil at the end.
	next  func(context.Context) (*vec.Batch, error)
	close func()
}

// conn runs statements on an embedded engine or on a server.
type conn interface {
	// run executes one statement.
	run(ctx context.Context, sql string) (*rows, error)
	close() error
}

// embedded is an engine in this process.
type embedded struct {
	engine *session.Engine
	sess   *session.Session
}

// openEmbedded opens a data directory; the current folder may be read and written.
func openEmbedded(dir string, allowed []string) (*embedded, error) {
	if len(allowed) == 0 {
		allowed = []string{"."}
	}
	e, err := session.Open(session.Config{Dir: dir, AllowedDirs: allowed, Version: version})
	if err != nil {
		return nil, err
	}
	return &embedded{e, e.NewSession("")}, nil
}

func (c *embedded) run(ctx context.Context, sql string) (*rows, error) {
	r, err := c.sess.Exec(ctx, sql)
	if err != nil {
		return nil, errors.New(sqlerr.Render(err, sql))
	}
	return &rows{schema: r.Schema, affected: r.Affected, notices: r.Notices, close: r.Close, next: func(ctx context.Context) (*vec.Batch, error) {
		b, err := r.Next(ctx)
		if err != nil {
			return nil, errors.New(sqlerr.Render(err, sql))
		}
		return b, nil
	}}, nil
}

func (c *embedded) close() error {
	c.sess.Close()
	return c.engine.Close()
}
