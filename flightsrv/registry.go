package flightsrv

import (
	"context"
	"crypto/sha256"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"

	"github.com/ebira-db/ebira/session"
)

// Limits of the registry.
const (
	maxTokens  = 100_000
	maxClients = 10_000
)

// token is a login that lives until it is not used for a while.
type token struct {
	user string
	// hash is the user's password hash at login: a changed password ends the tokens that came before.
	hash    string
	expires time.Time
	client  *client
}

// connection is one gRPC connection; it identifies the session of clients that have neither cookie nor token (FS-86).
type connection struct {
	client *client
}

// registry knows the tokens and the sessions that clients have open.
type registry struct {
	engine  *session.Engine
	opts    Options
	tickets *tickets

	mu      sync.Mutex
	tokens  map[[sha256.Size]byte]*token
	clients map[*client]struct{}
	cookies map[string]*client
}

func newRegistry(e *session.Engine, o Options, t *tickets) *registry {
	return &registry{engine: e, opts: o, tickets: t, tokens: map[[sha256.Size]byte]*token{}, clients: map[*client]struct{}{}, cookies: map[string]*client{}}
}

// newToken mints a token; only its hash is kept.
func (r *registry) newToken(user string) (string, error) {
	hash := ""
	if u, ok := r.engine.Snapshot().User(user); ok {
		hash = u.Hash
	}
	secret := newSecret()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.tokens) >= maxTokens {
		return "", status.Error(codes.ResourceExhausted, "too many logins are open")
	}
	r.tokens[sha256.Sum256([]byte(secret))] = &token{user: user, hash: hash, expires: time.Now().Add(r.opts.TokenTTL)}
	return secret, nil
}

// token finds a live token and prolongs it; nil if there is none, or its user is gone or has a new password.
func (r *registry) token(secret string) *token {
	key := sha256.Sum256([]byte(secret))
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	t, ok := r.tokens[key]
	if !ok || now.After(t.expires) {
		return nil
	}
	u, exists := r.engine.Snapshot().User(t.user)
	if t.user == "" && r.engine.HasUsers() || t.user != "" && (!exists || u.Hash != t.hash) {
		return nil
	}
	t.expires = now.Add(r.opts.TokenTTL)
	return t
}

// find returns the session of a call and whether the call should be told its cookie: by cookie, else token, else connection. A session
// is made where there is none yet.
func (r *registry) find(c *caller) (cl *client, tell bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cl, tell := r.existing(c); cl != nil {
		return cl, tell, nil
	}
	if len(r.clients) >= maxClients {
		return nil, false, status.Error(codes.ResourceExhausted, "too many sessions are open")
	}
	cl = newClient(r.engine.NewSession(c.user), c.user)
	r.clients[cl] = struct{}{}
	r.cookies[cl.cookie] = cl
	if c.token != nil {
		c.token.client = cl
		return cl, len(c.cookies) > 0, nil
	}
	if c.conn != nil && !r.open(c.conn.client) {
		c.conn.client = cl
	}
	return cl, true, nil
}

// existing returns the session of a call if there is one, and whether the call should be told its cookie; mu is held.
func (r *registry) existing(c *caller) (cl *client, tell bool) {
	for _, id := range c.cookies {
		if cl := r.cookies[id]; cl != nil && cl.user == c.user {
			cl.byCookie = true
			return cl, false
		}
	}
	switch {
	case c.token != nil && r.open(c.token.client):
		return c.token.client, len(c.cookies) > 0
	case c.token == nil && c.conn != nil && r.open(c.conn.client) && c.conn.client.user == c.user:
		return c.conn.client, len(c.cookies) > 0
	}
	return nil, false
}

// has tells whether a call has a session already.
func (r *registry) has(c *caller) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	cl, _ := r.existing(c)
	return cl != nil
}

// open tells whether a session is still open; mu is held.
func (r *registry) open(cl *client) bool {
	_, ok := r.clients[cl]
	return ok
}

// known tells whether a call that presents session cookies presents a live one.
func (r *registry) known(c *caller) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range c.cookies {
		if cl := r.cookies[id]; cl != nil && cl.user == c.user {
			return true
		}
	}
	return false
}

// close ends a session; its running queries stop.
func (r *registry) close(cl *client) {
	r.mu.Lock()
	open := r.open(cl)
	delete(r.clients, cl)
	delete(r.cookies, cl.cookie)
	r.mu.Unlock()
	if !open {
		return
	}
	r.tickets.dropOwner(cl)
	cl.sess.Close()
}

// expire ends tokens and sessions that have not been used for their time.
func (r *registry) expire(now time.Time) {
	var idle []*client
	r.mu.Lock()
	for k, t := range r.tokens {
		if now.After(t.expires) {
			delete(r.tokens, k)
		}
	}
	for cl := range r.clients {
		if cl.idleSince(now) > r.opts.SessionTTL {
			idle = append(idle, cl)
		}
	}
	r.mu.Unlock()
	for _, cl := range idle {
		r.close(cl)
	}
}

func (r *registry) closeAll() {
	r.mu.Lock()
	all := make([]*client, 0, len(r.clients))
	for cl := range r.clients {
		all = append(all, cl)
	}
	r.mu.Unlock()
	for _, cl := range all {
		r.close(cl)
	}
}

// connections is the stats handler that ties calls to their connection.
type connections struct{ *registry }

type connectionKey struct{}

// TagConn gives a new connection its place in the context of its calls.
func (connections) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context {
	return context.WithValue(ctx, connectionKey{}, &connection{})
}

// HandleConn ends the session of a connection that ends, unless its client has shown that it finds the session by cookie.
func (c connections) HandleConn(ctx context.Context, s stats.ConnStats) {
	conn := connectionOf(ctx)
	if _, end := s.(*stats.ConnEnd); !end || conn == nil {
		return
	}
	c.mu.Lock()
	cl := conn.client
	conn.client = nil
	keep := cl == nil || cl.byCookie
	c.mu.Unlock()
	if !keep {
		// Closing waits for running queries, which must not hold up the transport.
		go c.close(cl)
	}
}

// TagRPC and HandleRPC complete stats.Handler.
func (connections) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// HandleRPC does nothing.
func (connections) HandleRPC(context.Context, stats.RPCStats) {}

func connectionOf(ctx context.Context) *connection {
	c, _ := ctx.Value(connectionKey{}).(*connection)
	return c
}
