package sqltest

import (
	"context"
	"errors"
	"fmt"

	"github.com/ebira-db/ebira/session"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// inProcess runs statements in a session of an engine of this process.
type inProcess struct {
	config session.Config
	engine *session.Engine
	sess   *session.Session
	// setup are statements that each new session runs first: the settings of a configuration.
	setup []string
}

func openInProcess(config session.Config, setup ...string) (*inProcess, error) {
	e := &inProcess{config: config, setup: setup}
	return e, e.open()
}

func (e *inProcess) open() (err error) {
	if e.engine, err = session.Open(e.config); err != nil {
		return err
	}
	e.sess = e.engine.NewSession("")
	for _, s := range e.setup {
		if _, err := e.Run(s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// Run executes one statement and prints its rows.
func (e *inProcess) Run(sql string) (Table, error) {
	ctx := context.Background()
	r, err := e.sess.Exec(ctx, sql)
	if err != nil {
		return Table{}, errors.New(sqlerr.Render(err, sql))
	}
	batches, err := r.All(ctx)
	if err != nil {
		return Table{}, errors.New(sqlerr.Render(err, sql))
	}
	return printTable(r.Schema, batches, r.Affected)
}

// printTable prints batches as the file format wants them.
func printTable(schema types.Schema, batches []*vec.Batch, affected int64) (Table, error) {
	t := Table{Affected: affected}
	for _, f := range schema {
		t.Types += typeLetter(f.Type)
	}
	for _, b := range batches {
		rows := make([][]string, b.Len)
		for _, c := range b.Cols {
			text, err := session.Texts(c)
			if err != nil {
				return t, err
			}
			for i := range rows {
				cell := "NULL"
				if !text.IsNull(i) {
					cell = string(text.Bytes(i))
				}
				rows[i] = append(rows[i], cell)
			}
		}
		t.Rows = append(t.Rows, rows...)
	}
	return t, nil
}

func typeLetter(t types.Type) string {
	switch {
	case t.Kind == types.Boolean:
		return "B"
	case t.IsInteger() && t.Kind != types.LargeInt:
		return "I"
	case t.Kind == types.Float || t.Kind == types.Double || t.Kind == types.Decimal:
		return "R"
	}
	return "T"
}

// Restart closes and opens the engine on the same data.
func (e *inProcess) Restart() error {
	e.sess.Close()
	if err := e.engine.Close(); err != nil {
		return err
	}
	return e.open()
}

// Flush turns all small writes into segments.
func (e *inProcess) Flush() error { return e.engine.Flush(context.Background()) }

// Compact merges segments.
func (e *inProcess) Compact() error { return e.engine.Compact(context.Background()) }

// Close ends the engine.
func (e *inProcess) Close() error {
	e.sess.Close()
	return e.engine.Close()
}
