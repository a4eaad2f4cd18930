package flightsrv

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/ebira-db/ebira/session"
	"github.com/ebira-db/ebira/storage/catalog"
)

// cookieName is the session cookie of Flight.
const cookieName = "arrow_flight_session_id"

// maxPrepared bounds the prepared statements of a session; clients are known to forget them (FS-54).
const maxPrepared = 4096

// client is one session with what the service keeps for it.
type client struct {
	sess   *session.Session
	user   string
	cookie string
	// byCookie says that the client has presented the cookie; guarded by the registry.
	byCookie bool

	once     sync.Once
	startErr error

	lastUsed atomic.Int64
	busy     atomic.Int64

	mu       sync.Mutex
	prepared map[string]*prepared
	txns     map[string]*session.Txn
}

func newClient(s *session.Session, user string) *client {
	c := &client{sess: s, user: user, cookie: newSecret(), prepared: map[string]*prepared{}, txns: map[string]*session.Txn{}}
	c.touch()
	return c
}

func (c *client) touch() { c.lastUsed.Store(time.Now().UnixNano()) }

func (c *client) idleSince(now time.Time) time.Duration {
	if c.busy.Load() > 0 {
		return 0
	}
	return now.Sub(time.Unix(0, c.lastUsed.Load()))
}

// client returns the session of a call; see registry.find.
func (s *Server) client(ctx context.Context) (*client, error) {
	c := callerOf(ctx)
	cl, tell, err := s.registry.find(c)
	if err != nil {
		return nil, err
	}
	cl.touch()
	if err := cl.start(c.md); err != nil {
		return nil, err
	}
	if tell {
		s.sendCookie(ctx, cl)
	}
	return cl, nil
}

// oldClient is client for calls that speak of the state of a session: a cookie of a session that is gone is an error (FS-88).
func (s *Server) oldClient(ctx context.Context) (*client, error) {
	c := callerOf(ctx)
	if len(c.cookies) > 0 && !s.registry.known(c) {
		return nil, status.Error(codes.NotFound, "the session has expired: reconnect")
	}
	return s.client(ctx)
}

// sendCookie tells a client the cookie of its session. It has no effect when headers have gone out already.
func (s *Server) sendCookie(ctx context.Context, cl *client) {
	k := http.Cookie{Name: cookieName, Value: cl.cookie, Path: "/", HttpOnly: true, Secure: s.opts.TLS != nil}
	if err := grpc.SetHeader(ctx, metadata.Pairs("set-cookie", k.String())); err != nil {
		s.log.Debug("session cookie not sent", "error", err)
	}
}

// sessionCookies reads the session cookies of a call leniently: clients send several headers, and foreign cookies (FS-87).
func sessionCookies(md metadata.MD) []string {
	var out []string
	for _, line := range md.Get("cookie") {
		cookies, err := http.ParseCookie(line)
		if err != nil {
			continue
		}
		for _, k := range cookies {
			if k.Name == cookieName {
				out = append(out, k.Value)
			}
		}
	}
	return out
}

// defaultHeaders are request headers by which drivers pass the database of their connection URL (FS-91).
var defaultHeaders = []string{"database", "db", "schema"}

// start sets the database that the client of a new session names in its headers. A database that does not exist fails every call of the
// session: the connection URL is wrong.
func (c *client) start(md metadata.MD) error {
	c.once.Do(func() {
		for _, h := range defaultHeaders {
			for _, name := range md.Get(h) {
				if name != "" {
					c.startErr = c.sess.SetDatabase(name, false)
					return
				}
			}
		}
	})
	return c.startErr
}

func checkCatalog(name string) error {
	if name != "" && name != catalog.CatalogName {
		return status.Errorf(codes.NotFound, "catalog %s does not exist; there is one, %s", clip(name), catalog.CatalogName)
	}
	return nil
}
