package flightsrv

import (
	"context"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/ebira-db/ebira/session"
	"github.com/ebira-db/ebira/vec"
)

// Limits of the results that wait for their client.
const (
	// maxTickets bounds the results of one session; the oldest go first.
	maxTickets = 1024
	// maxLive bounds the running or buffered queries among them; the oldest are stopped and run anew if they are fetched after all.
	maxLive = 16
)

// ticket is a statement that has been executed and whose result may be fetched until it expires, several times (FS-32).
type ticket struct {
	handle string
	owner  *client
	user   string
	stmt   *session.Prepared
	// rows are the parameter values of the executions whose results make the stream.
	rows   [][]*vec.Vector
	wire   *wireOptions
	schema *arrow.Schema
	// affected is the count of a statement without result rows.
	affected int64
	// view is the state that a query was executed on; it runs on the same one if it is fetched again. nil for other statements.
	view *session.View
	// batches are the result of a statement that must not run again.
	batches []*vec.Batch

	mu      sync.Mutex
	expires time.Time
	// live is the result of rows[0] that was started when the ticket was made; nil once fetched.
	live    *session.Result
	running map[int]context.CancelFunc
	nextRun int
	dropped bool
}

// take hands the started result to the first who fetches.
func (t *ticket) take() *session.Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.live
	t.live = nil
	return r
}

// fetching registers a stream of the result, so that the ticket can be canceled; stop must be called at its end.
func (t *ticket) fetching(ctx context.Context) (run context.Context, stop func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dropped {
		return nil, nil, errNoTicket()
	}
	run, cancel := context.WithCancel(ctx)
	id := t.nextRun
	t.nextRun++
	t.running[id] = cancel
	return run, func() {
		t.mu.Lock()
		delete(t.running, id)
		t.mu.Unlock()
		cancel()
	}, nil
}

// drop stops everything that still runs for a ticket.
func (t *ticket) drop() {
	t.mu.Lock()
	view := t.view
	t.view = nil
	t.dropped = true
	for _, cancel := range t.running {
		cancel()
	}
	t.mu.Unlock()
	t.stop()
	if view != nil {
		view.Release()
	}
}

// execute runs the statement of a query again, on the state of its first run.
func (t *ticket) execute(ctx context.Context, values []*vec.Vector) (*session.Result, error) {
	t.mu.Lock()
	view := t.view
	if view != nil {
		view.Retain()
	}
	t.mu.Unlock()
	if view == nil {
		return nil, errNoTicket()
	}
	defer view.Release()
	return t.stmt.ExecuteAt(ctx, view, t.wire.form, values)
}

// stop ends the started result that nobody has fetched.
func (t *ticket) stop() {
	if r := t.take(); r != nil {
		r.Close()
	}
}

func (t *ticket) expired(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.running) == 0 && now.After(t.expires)
}

func (t *ticket) isLive() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.live != nil
}

// tickets are the results of all sessions that wait for their clients.
type tickets struct {
	ttl time.Duration

	mu       sync.Mutex
	byHandle map[string]*ticket
	byOwner  map[*client][]*ticket // oldest first
}

func newTickets(ttl time.Duration) *tickets {
	return &tickets{ttl: ttl, byHandle: map[string]*ticket{}, byOwner: map[*client][]*ticket{}}
}

// add files a ticket under a new handle and makes room if its session has too many.
func (ts *tickets) add(t *ticket) {
	t.handle, t.expires, t.running = newSecret(), time.Now().Add(ts.ttl), map[int]context.CancelFunc{}
	var gone, stopped []*ticket
	ts.mu.Lock()
	ts.byHandle[t.handle] = t
	list := append(ts.byOwner[t.owner], t)
	for len(list) > maxTickets {
		gone = append(gone, list[0])
		delete(ts.byHandle, list[0].handle)
		list = list[1:]
	}
	ts.byOwner[t.owner] = list
	live := 0
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].isLive() {
			if live++; live > maxLive {
				stopped = append(stopped, list[i])
			}
		}
	}
	ts.mu.Unlock()
	for _, o := range gone {
		o.drop()
	}
	for _, o := range stopped {
		o.stop()
	}
}

func errNoTicket() error {
	return status.Error(codes.NotFound, "the result does not exist any more: it has expired, or its session is closed")
}

// find returns a ticket of a user.
func (ts *tickets) find(handle []byte, user string) (*ticket, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.byHandle[string(handle)]
	if t == nil || t.user != user {
		return nil, errNoTicket()
	}
	return t, nil
}

// renew prolongs a ticket and returns its new end.
func (ts *tickets) renew(t *ticket) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.expires = time.Now().Add(ts.ttl)
	return t.expires
}

// remove drops a ticket.
func (ts *tickets) remove(t *ticket) {
	ts.mu.Lock()
	ts.unlink(t)
	ts.mu.Unlock()
	t.drop()
}

// unlink takes a ticket off the lists; mu is held.
func (ts *tickets) unlink(t *ticket) {
	delete(ts.byHandle, t.handle)
	list := ts.byOwner[t.owner]
	for i, o := range list {
		if o == t {
			ts.byOwner[t.owner] = append(list[:i:i], list[i+1:]...)
			break
		}
	}
	if len(ts.byOwner[t.owner]) == 0 {
		delete(ts.byOwner, t.owner)
	}
}

// dropOwner drops all tickets of a session.
func (ts *tickets) dropOwner(cl *client) {
	ts.mu.Lock()
	list := ts.byOwner[cl]
	delete(ts.byOwner, cl)
	for _, t := range list {
		delete(ts.byHandle, t.handle)
	}
	ts.mu.Unlock()
	for _, t := range list {
		t.drop()
	}
}

// expire drops the tickets whose time is over.
func (ts *tickets) expire(now time.Time) {
	var gone []*ticket
	ts.mu.Lock()
	for _, t := range ts.byHandle {
		if t.expired(now) {
			gone = append(gone, t)
		}
	}
	for _, t := range gone {
		ts.unlink(t)
	}
	ts.mu.Unlock()
	for _, t := range gone {
		t.drop()
	}
}

// bytes is the ticket as clients see it: an Any of a Flight SQL message (FS-22).
func (t *ticket) bytes() []byte {
	return pack(&pb.TicketStatementQuery{StatementHandle: []byte(t.handle)})
}

// pack wraps a message in an Any and encodes it.
func pack(m proto.Message) []byte {
	a, err := anypb.New(m)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	b, err := proto.Marshal(a)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return b
}
