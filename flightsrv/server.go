package flightsrv

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"math"
	"net"
	"time"

	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/encoding/gzip" // some clients compress their requests
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"

	"github.com/ebira-db/ebira/session"
)

// Options say how a Server runs. The zero value is usable.
type Options struct {
	// TLS is nil for plain connections.
	TLS *tls.Config
	// Log gets refused calls and internal errors; nil discards them.
	Log *slog.Logger
	// Version is told to clients.
	Version string
	// MaxRecvBytes is the largest message that a client may send; 0 means 256 MiB.
	MaxRecvBytes int
	// TokenTTL is how long a bearer token lives without being used; 0 means 24 hours.
	TokenTTL time.Duration
	// SessionTTL is how long a session lives without being used; 0 means 8 hours.
	SessionTTL time.Duration
	// TicketTTL is how long a result may be fetched; 0 means 10 minutes.
	TicketTTL time.Duration
	// NoQuirks switches off the special treatment of single client products.
	NoQuirks bool
}

func (o *Options) defaults() {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.MaxRecvBytes <= 0 {
		o.MaxRecvBytes = 256 << 20
	}
	if o.TokenTTL <= 0 {
		o.TokenTTL = 24 * time.Hour
	}
	if o.SessionTTL <= 0 {
		o.SessionTTL = 8 * time.Hour
	}
	if o.TicketTTL <= 0 {
		o.TicketTTL = 10 * time.Minute
	}
}

// Limits of the transport (FS-11).
const (
	maxHeaderBytes = 256 << 10
	pingAfter      = 30 * time.Second
	pingTimeout    = 20 * time.Second
	// minClientPing is the shortest interval of client pings that is not taken for an attack.
	minClientPing = 5 * time.Second
)

// Server serves Flight SQL for one Engine.
type Server struct {
	engine   *session.Engine
	opts     Options
	log      *slog.Logger
	grpc     *grpc.Server
	health   *health.Server
	registry *registry
	tickets  *tickets
	done     chan struct{}
}

// service is the face of a Server towards gRPC.
type service struct {
	pb.UnimplementedFlightServiceServer
	*Server
}

// New makes a Server. Whether clients must log in follows from the engine's having users.
func New(engine *session.Engine, o Options) (*Server, error) {
	o.defaults()
	s := &Server{engine: engine, opts: o, log: o.Log, health: health.NewServer(), tickets: newTickets(o.TicketTTL), done: make(chan struct{})}
	s.registry = newRegistry(engine, o, s.tickets)
	opts := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(o.MaxRecvBytes),
		grpc.WaitForHandlers(true), // the engine is closed behind them
		grpc.MaxSendMsgSize(math.MaxInt32),
		grpc.MaxHeaderListSize(maxHeaderBytes),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: minClientPing, PermitWithoutStream: true}),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: pingAfter, Timeout: pingTimeout}),
		grpc.StatsHandler(connections{s.registry}),
		grpc.UnaryInterceptor(s.unary),
		grpc.StreamInterceptor(s.stream),
	}
	if o.TLS != nil {
		opts = append(opts, grpc.Creds(credentials.NewTLS(o.TLS)))
	}
	s.grpc = grpc.NewServer(opts...)
	pb.RegisterFlightServiceServer(s.grpc, service{Server: s})
	healthpb.RegisterHealthServer(s.grpc, s.health)
	s.health.SetServingStatus(pb.FlightService_ServiceDesc.ServiceName, healthpb.HealthCheckResponse_SERVING)
	return s, nil
}

// Serve answers calls on ln until Stop. It closes ln.
func (s *Server) Serve(ln net.Listener) error {
	go s.sweep()
	if err := s.grpc.Serve(ln); !errors.Is(err, grpc.ErrServerStopped) {
		return err
	}
	return nil
}

// Stop ends the service: new calls are refused, running ones may finish until ctx ends and are cut off then. It may be called once.
func (s *Server) Stop(ctx context.Context) {
	s.health.Shutdown()
	close(s.done)
	ended := make(chan struct{})
	go func() {
		s.grpc.GracefulStop()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		s.grpc.Stop()
		<-ended
	}
	s.registry.closeAll()
}

// sweepEvery is how often expired tokens, sessions and results are looked for.
const sweepEvery = 15 * time.Second

// sweep frees what nobody uses any more.
func (s *Server) sweep() {
	t := time.NewTicker(sweepEvery)
	defer t.Stop()
	for {
		select {
		case now := <-t.C:
			s.tickets.expire(now)
			s.registry.expire(now)
		case <-s.done:
			return
		}
	}
}
