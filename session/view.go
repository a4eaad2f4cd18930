package session

import (
	"context"
	"sync/atomic"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/store"
	"github.com/ebira-db/ebira/vec"
)

// View holds the state of one moment, so that a query can be executed on it several times with the same rows. It keeps the files of
// that state on disk until Release; executions that have begun keep it beyond.
type View struct {
	pin   *store.Pin
	users atomic.Int64
}

// Hold returns a View of the present state.
func (s *Session) Hold() *View {
	v := &View{pin: s.engine.store.Pin()}
	v.users.Store(1)
	return v
}

// Retain adds a hold, to be ended by another Release. The caller must know that one is left.
func (v *View) Retain() { v.users.Add(1) }

// Release ends a hold. It must be called once for Hold and once for each Retain.
func (v *View) Release() {
	if v.users.Add(-1) == 0 {
		v.pin.Release()
	}
}

// ExecuteAt is Execute on the state of a View, with values in a Form. SHOW and its like always tell of the present; statements that are not ReadOnly are refused.
func (p *Prepared) ExecuteAt(ctx context.Context, v *View, form Form, params []*vec.Vector) (r *Result, err error) {
	if !p.ReadOnly {
		return nil, sqlerr.New(sqlerr.Unsupported, "a statement that changes something cannot be executed on an older state")
	}
	q, ok := p.stmt.(*parse.QueryStmt)
	if !ok || len(params) != len(p.Params) {
		return p.Execute(ctx, params)
	}
	defer func() { recovered(recover(), &err) }()
	v.Retain()
	c := p.sess.newCall(v.pin.Snapshot(), params)
	c.form = form
	return c.runQuery(ctx, q.SourceText(), q.Query, v.Release)
}
