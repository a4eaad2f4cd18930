package main

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/ebira-db/ebira/httpsrv"
)

// listenHTTP starts the HTTP service beside Flight.
func (s *server) listenHTTP(addr string, log *slog.Logger) error {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", addr, err)
	}
	s.http = reachable(ln.Addr())
	srv := &http.Server{Handler: httpsrv.New(s.engine, log), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	s.closers = append(s.closers, srv.Shutdown)
	go func() {
		if err := srv.Serve(ln); err != nil && err != http.ErrServerClosed {
			s.failed <- err
		}
	}()
	return nil
}
