package session

import (
	"context"
	"sync/atomic"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/store"
	"github.com/ebira-db/ebira/vec"
)

// View holds the state of one moment, so that a query can be executed on it several times with the same rows. It keeps the files of
// that state on disk until Release; executions that have begun keep it beyond.
type View struct {
	engine *Engine
	snap   *catalog.Snapshot
	// txn is the transaction to which the state belongs, nil outside of one.
	txn   *Txn
	free  func()
	users atomic.Int64
}

func newView(e *Engine, snap *catalog.Snapshot, t *Txn, free func()) *View {
	v := &View{engine: e, snap: snap, txn: t, free: free}
	v.users.Store(1)
	return v
}

// Hold returns a View of the state that the statement would be executed on now.
func (p *Prepared) Hold() (*View, error) { return p.sess.reading() }

// Retain adds a hold, to be ended by another Release. The caller must know that one is left.
func (v *View) Retain() { v.users.Add(1) }

// Release ends a hold. It must be called once for the View and once for each Retain.
func (v *View) Release() {
	if v.users.Add(-1) == 0 {
		v.free()
	}
}

// reading returns what a statement reads: the state of the transaction, or the present one.
func (s *Session) reading() (*View, error) {
	if t := s.openTxn(); t != nil {
		return t.reading()
	}
	pin := s.engine.store.Pin()
	return newView(s.engine, pin.Snapshot(), nil, pin.Release), nil
}

// writing is reading for a statement that will commit.
func (s *Session) writing(ctx context.Context) (*View, error) {
	if t := s.openTxn(); t != nil {
		return t.writing(ctx)
	}
	return s.reading()
}

// present returns the state that the session sees, for looking at definitions: it holds no files.
func (s *Session) present() *View {
	if t := s.openTxn(); t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.snap != nil {
			return newView(s.engine, t.snap, t, func() {})
		}
	}
	return newView(s.engine, s.engine.store.Snapshot(), nil, func() {})
}

// snapshot is the Snapshot of present.
func (s *Session) snapshot() *catalog.Snapshot { return s.present().snap }

// commit makes an Edit that was made for the state durable or, in a transaction, part of it. The files under lease, which may be nil,
// are the store's or the transaction's then. check, which may be nil, sees the state that the Edit comes to at last.
func (v *View) commit(ctx context.Context, e *catalog.Edit, check store.Check, lease *store.Lease) error {
	if v.txn != nil {
		return v.txn.add(e, check, lease)
	}
	_, err := v.engine.store.Commit(ctx, e, func(cur *catalog.Snapshot) error {
		if err := e.Check(v.snap, cur); err != nil || check == nil {
			return err
		}
		return check(cur)
	})
	return err
}

// base returns the committed state that others' changes are compared with.
func (v *View) base() *catalog.Snapshot {
	if v.txn != nil {
		return v.txn.base()
	}
	return v.snap
}

// ended calls f once what the View's statement has done is durable.
func (v *View) ended(f func()) {
	if v.txn != nil {
		v.txn.onCommit(f)
		return
	}
	f()
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
	c := p.sess.newCall(v, params)
	c.form = form
	return c.runQuery(ctx, q.SourceText(), q.Query, v.Release)
}

// In returns the statement as one of another view of its session, see Session.In.
func (p *Prepared) In(s *Session) *Prepared {
	q := *p
	q.sess = s
	return &q
}
