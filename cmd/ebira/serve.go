package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ebira-db/ebira/flightsrv"
	"github.com/ebira-db/ebira/session"
)

// Defaults of the server.
const (
	defaultListen   = "127.0.0.1:31337"
	shutdownTimeout = 10 * time.Second
)

// serveFlags are the flags of ebira serve.
type serveFlags struct {
	data, listen, http   string
	allowedDirs          []string
	memoryLimit          byteSize
	threads              int
	tlsCert, tlsKey      string
	user, passwordFile   string
	logFormat, configure string
}

func serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Start the server",
		Long:  "Start the server. Every flag can also be given as EBIRA_NAME in the environment or as a key of the TOML file of --config.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := applyConfig(cmd); err != nil {
				return err
			}
			ctx, stop := untilSignal(cmd.Context())
			defer stop()
			return serve(ctx, &f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.data, "data", "./ebira-data", "data directory, made if it does not exist")
	fl.StringVar(&f.listen, "listen", defaultListen, "address of the Flight SQL service")
	fl.StringVar(&f.http, "http", "", "address of the HTTP service (health, metrics); empty for none")
	fl.StringSliceVar(&f.allowedDirs, "allowed-dirs", nil, "folders that COPY may read and write")
	fl.Var(&f.memoryLimit, "memory-limit", "memory limit such as 8GiB (default 70 % of the machine or cgroup)")
	fl.IntVar(&f.threads, "threads", 0, "workers of a query (default one per processor)")
	fl.StringVar(&f.tlsCert, "tls-cert", "", "PEM file with the certificate chain")
	fl.StringVar(&f.tlsKey, "tls-key", "", "PEM file with the private key")
	fl.StringVar(&f.user, "user", "", "create this user, or change the password")
	fl.StringVar(&f.passwordFile, "password-file", "", "file with the password of --user")
	fl.StringVar(&f.logFormat, "log-format", "text", "text or json")
	fl.StringVar(&f.configure, "config", "", "TOML file with these flags")
	return cmd
}

func newLogger(format string) (*slog.Logger, error) {
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(os.Stderr, nil)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(os.Stderr, nil)), nil
	}
	return nil, fmt.Errorf("--log-format is text or json, not %q", format)
}

func serve(ctx context.Context, f *serveFlags) error {
	log, err := newLogger(f.logFormat)
	if err != nil {
		return err
	}
	s, err := startServer(ctx, f, log)
	if err != nil {
		return err
	}
	fmt.Println(s.readyLine())
	select {
	case <-ctx.Done():
		log.Info("stopping")
	case err = <-s.failed:
	}
	return errors.Join(err, s.stop())
}

// server is a running Flight service with its engine.
type server struct {
	engine  *session.Engine
	flight  *flightsrv.Server
	addr    net.Addr // that clients on this machine connect to
	tls     bool
	dir     string
	http    net.Addr // nil without an HTTP service
	failed  chan error
	closers []func(context.Context) error
}

// startServer opens the data directory and listens.
func startServer(ctx context.Context, f *serveFlags, log *slog.Logger) (*server, error) {
	if f.threads < 0 {
		return nil, fmt.Errorf("--threads %d: must not be negative", f.threads)
	}
	tlsConfig, err := loadTLS(f)
	if err != nil {
		return nil, err
	}
	engine, err := session.Open(session.Config{Dir: f.data, MemoryLimit: int64(f.memoryLimit), Threads: f.threads, AllowedDirs: f.allowedDirs, Log: log, Version: version})
	if err != nil {
		return nil, err
	}
	s := &server{engine: engine, dir: f.data, tls: tlsConfig != nil, failed: make(chan error, 2)}
	if err := s.listen(ctx, f, tlsConfig, log); err != nil {
		engine.Close()
		return nil, err
	}
	return s, nil
}

func (s *server) listen(ctx context.Context, f *serveFlags, tlsConfig *tls.Config, log *slog.Logger) error {
	if err := firstUser(ctx, s.engine, f); err != nil {
		return err
	}
	loopback, err := isLoopback(f.listen)
	if err != nil {
		return err
	}
	if !loopback && !s.engine.HasUsers() {
		return fmt.Errorf("%s can be reached from other machines, and there is no user yet: start once with --user NAME --password-file FILE, or listen on 127.0.0.1", f.listen)
	}
	ln, err := net.Listen("tcp", f.listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", f.listen, err)
	}
	s.addr = reachable(ln.Addr())
	s.flight, err = flightsrv.New(s.engine, flightsrv.Options{TLS: tlsConfig, Log: log, Version: version})
	if err != nil {
		ln.Close()
		return err
	}
	go func() { s.failed <- s.flight.Serve(ln) }()
	if err := s.engine.SetURL(s.url()); err != nil {
		log.Warn("others cannot be told where this server listens", "error", err)
	}
	if f.http != "" {
		if err := s.listenHTTP(f.http, log); err != nil {
			s.flight.Stop(ctx)
			return err
		}
	}
	return nil
}

// stop ends the services, then the engine.
func (s *server) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	var errs []error
	for _, c := range s.closers {
		errs = append(errs, c(ctx))
	}
	s.flight.Stop(ctx)
	return errors.Join(append(errs, s.engine.Close())...)
}

// url is what clients connect to.
func (s *server) url() string {
	scheme := "grpc"
	if s.tls {
		scheme = "grpc+tls"
	}
	return scheme + "://" + s.addr.String()
}

func (s *server) readyLine() string {
	encryption := "false"
	if s.tls {
		encryption = "true"
	}
	web := ""
	if s.http != nil {
		web = ", HTTP http://" + s.http.String()
	}
	return fmt.Sprintf("ready: data %s%s, Python adbc_driver_flightsql.dbapi.connect(%q), JDBC jdbc:arrow-flight-sql://%s/?useEncryption=%s", s.dir, web, s.url(), s.addr, encryption)
}

// reachable is an address that a client on this machine can connect to: a listener on all addresses answers on the loopback one.
func reachable(a net.Addr) net.Addr {
	if tcp, ok := a.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: tcp.Port}
	}
	return a
}

// firstUser creates the user of --user.
func firstUser(ctx context.Context, e *session.Engine, f *serveFlags) error {
	if f.user == "" && f.passwordFile == "" {
		return nil
	}
	if f.user == "" || f.passwordFile == "" {
		return errors.New("--user and --password-file go together")
	}
	b, err := os.ReadFile(f.passwordFile)
	if err != nil {
		return fmt.Errorf("--password-file: %w", err)
	}
	return e.PutUser(ctx, f.user, strings.TrimRight(string(b), "\r\n"))
}

func loadTLS(f *serveFlags) (*tls.Config, error) {
	if f.tlsCert == "" && f.tlsKey == "" {
		return nil, nil
	}
	if f.tlsCert == "" || f.tlsKey == "" {
		return nil, errors.New("--tls-cert and --tls-key go together")
	}
	cert, err := tls.LoadX509KeyPair(f.tlsCert, f.tlsKey)
	if err != nil {
		return nil, fmt.Errorf("TLS certificate: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"}}, nil
}

// isLoopback tells whether an address can be reached from this machine only.
func isLoopback(listen string) (bool, error) {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false, fmt.Errorf("--listen %s: %w", listen, err)
	}
	if host == "localhost" {
		return true, nil
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback(), nil
}
