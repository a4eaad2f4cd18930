package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/store"
)

// Txn is an explicit transaction. Its statements see the state at its first one, changed by what they did themselves, and all of that is
// committed as one Edit. A statement that fails changes nothing and leaves the transaction open. Where somebody else has changed the same
// rows or definitions, Commit fails with Conflict and the transaction is rolled back.
//
// A Txn may be used by several goroutines. Statements that write, Commit and Rollback wait for one another; those that read do not.
type Txn struct {
	s        *state
	readOnly bool
	// idle is how long the transaction may hold its state without a statement; 0 for ever.
	idle time.Duration

	// turn is held (full) by who writes or ends the transaction.
	turn chan struct{}

	mu sync.Mutex
	// pin holds what the transaction began with; nil before its first statement, so that one that does nothing costs nothing.
	pin *store.Pin
	// snap is what the next statement sees: the pinned state with edit applied.
	snap   *catalog.Snapshot
	edit   catalog.Edit
	bytes  int64
	checks []store.Check
	// after runs once the transaction is committed.
	after []func()
	lease *store.Lease
	// users counts the statements and results that need the pin or the lease.
	users int
	timer *time.Timer
	// over says why no statement can run any more; nil while the transaction is open.
	over error
}

// maxTxnBytes bounds the small writes that a transaction gathers; they are in memory, and one record of the log must hold them.
const maxTxnBytes = 512 << 20

// Begin starts a transaction. The session's statements run in it if they are executed by way of In.
func (s *Session) Begin(readOnly bool) *Txn {
	t := &Txn{s: s.state, readOnly: readOnly, idle: time.Duration(s.intVar("idle_transaction_timeout")) * time.Second,
		turn: make(chan struct{}, 1), lease: s.engine.store.Lease()}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		t.over = errSessionClosed()
		return t
	}
	s.txns[t] = struct{}{}
	s.engine.txns.Add(1)
	return t
}

func errSessionClosed() error { return sqlerr.New(sqlerr.NotFound, "the session is closed") }

// Over tells whether the transaction has ended.
func (t *Txn) Over() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.over != nil
}

// base returns what the transaction began with. It has had a statement.
func (t *Txn) base() *catalog.Snapshot {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pin.Snapshot()
}

// take waits for the turn.
func (t *Txn) take(ctx context.Context) error {
	select {
	case t.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return canceled(ctx)
	}
}

// reading returns the state that a statement reads.
func (t *Txn) reading() (*View, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over != nil {
		return nil, t.over
	}
	if t.pin == nil {
		t.pin = t.s.engine.store.Pin()
		t.snap = t.pin.Snapshot().Fork()
	}
	t.users++
	if t.timer != nil {
		t.timer.Stop()
	}
	return newView(t.s.engine, t.snap, t, t.leave), nil
}

// writing returns the state that a statement changes; its release lets the next one write.
func (t *Txn) writing(ctx context.Context) (*View, error) {
	if t.readOnly {
		return nil, sqlerr.New(sqlerr.Permission, "the transaction is READ ONLY; COMMIT or ROLLBACK it first")
	}
	if err := t.take(ctx); err != nil {
		return nil, err
	}
	v, err := t.reading()
	if err != nil {
		<-t.turn
		return nil, err
	}
	v.free = func() {
		t.leave()
		<-t.turn
	}
	return v, nil
}

// leave ends the use of the state by one statement or result.
func (t *Txn) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.users--; t.users > 0 {
		return
	}
	switch {
	case t.over != nil:
		t.free()
	case t.idle > 0 && t.timer == nil:
		t.timer = time.AfterFunc(t.idle, t.expire)
	case t.idle > 0:
		t.timer.Reset(t.idle)
	}
}

// free gives back what the transaction holds. mu is held.
func (t *Txn) free() {
	t.lease.End()
	if t.pin != nil {
		t.pin.Release()
	}
	t.pin, t.snap, t.edit, t.checks, t.after = nil, nil, catalog.Edit{}, nil, nil
}

// end closes the transaction for the reason that later statements get.
func (t *Txn) end(why error) {
	t.s.mu.Lock()
	delete(t.s.txns, t)
	t.s.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over != nil {
		return
	}
	t.over = why
	t.s.engine.txns.Add(-1)
	if t.timer != nil {
		t.timer.Stop()
	}
	if t.users == 0 {
		t.free()
	}
}

// expire rolls back a transaction that holds its state and has had no statement for too long.
func (t *Txn) expire() {
	select {
	case t.turn <- struct{}{}:
	default:
		return
	}
	defer func() { <-t.turn }()
	t.mu.Lock()
	busy := t.users > 0
	t.mu.Unlock()
	if !busy {
		t.end(sqlerr.New(sqlerr.Canceled, "the transaction had no statement for %s and was rolled back (idle_transaction_timeout); ROLLBACK, then begin again", t.idle))
	}
}

// add makes an Edit part of the transaction; the files that lease covers become the transaction's.
func (t *Txn) add(e *catalog.Edit, check store.Check, lease *store.Lease) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over != nil {
		return t.over
	}
	var bytes int64
	for _, op := range e.Ops {
		if b, ok := op.(*catalog.AddBatch); ok {
			bytes += b.Batch.Data.SizeBytes()
		}
	}
	if t.bytes+bytes > maxTxnBytes {
		return sqlerr.New(sqlerr.Resource, "the transaction has gathered %d MiB of small writes; COMMIT more often, or load with COPY INTO", maxTxnBytes>>20)
	}
	next, err := t.snap.Apply(e)
	if err != nil {
		return err
	}
	t.snap = next
	t.bytes += bytes
	t.edit.Add(e.Ops...)
	if check != nil {
		t.checks = append(t.checks, check)
	}
	if lease != nil {
		t.lease.Take(lease)
	}
	return nil
}

// onCommit has f called once the transaction is committed.
func (t *Txn) onCommit(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.after = append(t.after, f)
}

// Commit makes everything that the transaction did durable and visible, and ends it. Whatever the error, nothing of it remains.
func (t *Txn) Commit(ctx context.Context) error {
	if err := t.take(ctx); err != nil {
		return err
	}
	defer func() { <-t.turn }()
	t.mu.Lock()
	over, pin, e, checks, after := t.over, t.pin, t.edit, t.checks, t.after
	t.mu.Unlock()
	if over != nil {
		return over
	}
	if len(e.Ops) > 0 {
		if err := t.commit(ctx, pin.Snapshot(), &e, checks); err != nil {
			err = rolledBack(err)
			t.end(err)
			return err
		}
	}
	t.end(errTxnOver())
	for _, f := range after {
		f()
	}
	return nil
}

func errTxnOver() error { return sqlerr.New(sqlerr.NotFound, "the transaction has ended") }

func (t *Txn) commit(ctx context.Context, base *catalog.Snapshot, e *catalog.Edit, checks []store.Check) error {
	mergeBatches(e)
	_, err := t.s.engine.store.Commit(ctx, e, func(cur *catalog.Snapshot) error {
		if err := e.Check(base, cur); err != nil {
			return err
		}
		for _, op := range e.Ops {
			// TRUNCATE removes what the transaction has seen, and nothing else may be there.
			if tr, ok := op.(*catalog.Truncate); ok {
				if err := catalog.SameRows(tr.Table, base, cur); err != nil {
					return err
				}
			}
		}
		for _, check := range checks {
			if err := check(cur); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// rolledBack is the error of a transaction that could not be committed.
func rolledBack(err error) error {
	kind := sqlerr.KindOf(err)
	text := err.Error()
	if e, ok := errors.AsType[*sqlerr.Error](err); ok {
		text = e.Msg
	}
	switch kind {
	case sqlerr.Conflict, sqlerr.Exists, sqlerr.NotFound:
		return sqlerr.New(sqlerr.Conflict, "the transaction was rolled back, nothing of it remains: %s; run it again", text)
	}
	return sqlerr.Wrap(kind, err, "the transaction was rolled back, nothing of it remains")
}

// Rollback ends the transaction and drops what it did. It may be called at any time.
func (t *Txn) Rollback() {
	t.turn <- struct{}{}
	t.end(errTxnOver())
	<-t.turn
}

// beginTxn is BEGIN.
func (s *Session) beginTxn(st *parse.Begin) (*Result, error) {
	if s.bound != nil {
		return nil, sqlerr.At(sqlerr.Conflict, st.Pos(), "the statement runs in a transaction that its client has begun: the driver's autocommit is off; transactions do not nest")
	}
	if t := s.openTxn(); t != nil {
		return nil, sqlerr.At(sqlerr.Conflict, st.Pos(), "a transaction is open already; COMMIT or ROLLBACK it first")
	}
	t := s.Begin(st.ReadOnly)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = t
	return &Result{}, nil
}

// endTxn is COMMIT or ROLLBACK. Either ends the transaction, even where COMMIT fails.
func (s *Session) endTxn(ctx context.Context, st parse.Statement, commit bool) (*Result, error) {
	if s.bound != nil {
		return nil, sqlerr.At(sqlerr.Conflict, st.Pos(), "the transaction was begun by the client's driver, which must end it too: call its commit or rollback")
	}
	s.mu.Lock()
	t := s.open
	s.open = nil
	s.mu.Unlock()
	switch {
	case t == nil && commit:
		return nil, sqlerr.At(sqlerr.Conflict, st.Pos(), "there is no transaction to commit; BEGIN starts one, other statements commit by themselves")
	case t == nil:
		return &Result{Notices: []string{"there was no transaction to roll back"}}, nil
	case commit:
		return &Result{}, sqlerr.WithPlace(t.Commit(ctx), st.Pos())
	}
	t.Rollback()
	return &Result{}, nil
}

// openTxn returns the transaction that the session's statements run in, nil outside of one.
func (s *Session) openTxn() *Txn {
	if s.bound != nil {
		return s.bound
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

// In returns the session as seen by statements that run in a transaction; a nil one stands for that of BEGIN or, without, for none.
func (s *Session) In(t *Txn) *Session { return &Session{state: s.state, bound: t} }
