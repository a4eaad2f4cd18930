package flightsrv

import (
	"context"

	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ebira-db/ebira/session"
)

// maxTransactions bounds the transactions of one session.
const maxTransactions = 1024

// beginTransaction is the action BeginTransaction. A transaction holds nothing until its first statement (FS-92).
func (s *Server) beginTransaction(ctx context.Context) (*pb.ActionBeginTransactionResult, error) {
	cl, err := s.client(ctx)
	if err != nil {
		return nil, err
	}
	cl.mu.Lock()
	defer cl.mu.Unlock()
	if len(cl.txns) >= maxTransactions {
		return nil, status.Errorf(codes.ResourceExhausted, "the session has %d transactions open: end some", maxTransactions)
	}
	id := newSecret()
	cl.txns[id] = cl.sess.Begin(false)
	return &pb.ActionBeginTransactionResult{TransactionId: []byte(id)}, nil
}

// endTransaction is the action EndTransaction. A transaction whose commit has failed is rolled back, but stays known until its client
// rolls it back too, as drivers do.
func (s *Server) endTransaction(ctx context.Context, m *pb.ActionEndTransactionRequest) error {
	cl, err := s.oldClient(ctx)
	if err != nil {
		return err
	}
	t := cl.txn(string(m.TransactionId))
	if t == nil {
		return errNoTransaction()
	}
	switch m.Action {
	case pb.ActionEndTransactionRequest_END_TRANSACTION_COMMIT:
		if err := t.Commit(ctx); err != nil {
			return err
		}
	case pb.ActionEndTransactionRequest_END_TRANSACTION_ROLLBACK:
		t.Rollback()
	default:
		return status.Error(codes.InvalidArgument, "EndTransaction says neither commit nor rollback")
	}
	cl.mu.Lock()
	defer cl.mu.Unlock()
	delete(cl.txns, string(m.TransactionId))
	return nil
}

func errNoTransaction() error {
	return status.Error(codes.NotFound, "the transaction does not exist: it has ended, or its session has")
}

func (c *client) txn(id string) *session.Txn {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.txns[id]
}

// in returns the session for statements of a transaction; an empty id stands for none.
func (c *client) in(id []byte) (*session.Session, error) {
	if len(id) == 0 {
		return c.sess, nil
	}
	t := c.txn(string(id))
	if t == nil {
		return nil, errNoTransaction()
	}
	return c.sess.In(t), nil
}

// only returns the one open transaction of the session, nil if there is none or there are several.
func (c *client) only() (t *session.Txn, open int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, u := range c.txns {
		if !u.Over() {
			t = u
			open++
		}
	}
	if open > 1 {
		t = nil
	}
	return t, open
}

// forIngest is in for bulk ingestion: drivers do not say the transaction, although their user has one open. It is meant where the session
// has one only (FS-101).
func (c *client) forIngest(id []byte) (*session.Session, error) {
	if len(id) > 0 {
		return c.in(id)
	}
	if t, _ := c.only(); t != nil {
		return c.sess.In(t), nil
	}
	return c.sess, nil
}

// statementNow returns a prepared statement as it is executed now. One that was prepared in a transaction which has ended belongs to the
// transaction that has followed, or commits by itself if there is none: drivers keep statements beyond a commit.
func (c *client) statementNow(p *prepared) (*session.Prepared, error) {
	if p.txn == "" || c.txn(p.txn) != nil {
		return p.stmt, nil
	}
	switch t, open := c.only(); {
	case open > 1:
		return nil, status.Errorf(codes.NotFound, "the transaction that the statement was prepared in has ended and %d others are open: prepare it again", open)
	case t != nil:
		return p.stmt.In(c.sess.In(t)), nil
	}
	return p.stmt.In(c.sess), nil
}
