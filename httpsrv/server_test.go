package httpsrv

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ebira-db/ebira/session"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/storage/vfs/errorfs"
)

// newServer makes a handler over an engine whose syncs fail once broken is set.
func newServer(t *testing.T) (h http.Handler, s *session.Session, broken *atomic.Bool) {
	t.Helper()
	broken = &atomic.Bool{}
	fs := errorfs.Wrap(vfs.NewMem(), func(op errorfs.Op) errorfs.Fault {
		if op.Kind == errorfs.Sync && broken.Load() {
			return errorfs.Fault{Err: errors.New("the disk is gone")}
		}
		return errorfs.Fault{}
	})
	e, err := session.Open(session.Config{FS: fs, Dir: "/db", NoBackground: true, MemoryLimit: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil && !broken.Load() {
			t.Error(err)
		}
	})
	return New(e, slog.New(slog.DiscardHandler)), e.NewSession(""), broken
}

func get(t *testing.T, h http.Handler, method, path string) (code int, contentType, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	b, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, w.Header().Get("Content-Type"), string(b)
}

func run(t *testing.T, s *session.Session, sql string) error {
	t.Helper()
	r, err := s.Exec(context.Background(), sql)
	if err != nil {
		return err
	}
	_, err = r.All(context.Background())
	return err
}

func must(t *testing.T, s *session.Session, sql string) {
	t.Helper()
	if err := run(t, s, sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func TestHealth(t *testing.T) {
	h, s, broken := newServer(t)
	must(t, s, "CREATE TABLE t (id BIGINT)")
	if code, _, body := get(t, h, "GET", "/health"); code != 200 || body != "ok\n" {
		t.Errorf("a healthy engine: %d %q", code, body)
	}
	if code, _, _ := get(t, h, "HEAD", "/health"); code != 200 {
		t.Errorf("HEAD: %d", code)
	}
	if code, _, _ := get(t, h, "POST", "/health"); code != 405 {
		t.Errorf("POST: %d", code)
	}
	broken.Store(true)
	if err := run(t, s, "INSERT INTO t VALUES (1)"); err == nil {
		t.Fatal("a write succeeded without a sync")
	}
	code, _, body := get(t, h, "GET", "/health")
	if code != 503 || !strings.Contains(body, "the store is read-only after a failed sync") || !strings.Contains(body, "the disk is gone") {
		t.Errorf("an engine that cannot write: %d %q", code, body)
	}
}

// scrape reads the metrics: values by name, and the type of each.
func scrape(t *testing.T, h http.Handler) (values map[string]float64, kinds map[string]string) {
	t.Helper()
	code, contentType, body := get(t, h, "GET", "/metrics")
	if code != 200 || !strings.HasPrefix(contentType, "text/plain") {
		t.Fatalf("metrics: %d %s", code, contentType)
	}
	values, kinds = map[string]float64{}, map[string]string{}
	for line := range strings.Lines(body) {
		f := strings.Fields(line)
		switch {
		case len(f) == 4 && f[1] == "TYPE":
			kinds[f[2]] = f[3]
		case len(f) == 2:
			v, err := strconv.ParseFloat(f[1], 64)
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
			values[f[0]] = v
		}
	}
	return values, kinds
}

func TestMetrics(t *testing.T) {
	h, s, _ := newServer(t)
	before, kinds := scrape(t, h)
	must(t, s, "CREATE TABLE t (id BIGINT)")
	must(t, s, "INSERT INTO t VALUES (1), (2), (3)")
	must(t, s, "SELECT id FROM t WHERE id > 1")
	if run(t, s, "SELECT CAST('x' AS INT) FROM t") == nil {
		t.Fatal("a cast of x succeeded")
	}
	after, _ := scrape(t, h)
	for name, want := range map[string]float64{"ebira_rows_written_total": 3, "ebira_rows_returned_total": 2, "ebira_statements_failed_total": 1, "ebira_sessions": 0} {
		if got := after[name] - before[name]; got != want {
			t.Errorf("%s rose by %v, want %v", name, got, want)
		}
	}
	for name, want := range map[string]float64{"ebira_sessions": 1, "ebira_statements_running": 0, "ebira_memory_limit_bytes": 1 << 30, "ebira_memory_queries_bytes": 0} {
		if got, ok := after[name]; !ok || got != want {
			t.Errorf("%s is %v (%v), want %v", name, got, ok, want)
		}
	}
	for name, kind := range kinds {
		if want := map[bool]string{true: "counter", false: "gauge"}[strings.HasSuffix(name, "_total")]; kind != want {
			t.Errorf("%s is a %s, want %s", name, kind, want)
		}
	}
	if after["ebira_statements_total"] <= before["ebira_statements_total"] || after["ebira_uptime_seconds"] <= 0 || len(kinds) < 20 {
		t.Errorf("%d metrics; statements %v then %v", len(kinds), before["ebira_statements_total"], after["ebira_statements_total"])
	}
	s.Close()
	if now, _ := scrape(t, h); now["ebira_sessions"] != 0 {
		t.Errorf("%v sessions after the last was closed", now["ebira_sessions"])
	}
}

// TestNothingElse makes sure that neither page shows data or more than it should.
func TestNothingElse(t *testing.T) {
	h, s, _ := newServer(t)
	must(t, s, "CREATE TABLE secret_table (secret_column STRING)")
	must(t, s, "INSERT INTO secret_table VALUES ('secret value')")
	for _, path := range []string{"/", "/debug/pprof/", "/metrics/x", "/healthz"} {
		if code, _, _ := get(t, h, "GET", path); code != 404 {
			t.Errorf("%s: %d", path, code)
		}
	}
	for _, path := range []string{"/health", "/metrics"} {
		if _, _, body := get(t, h, "GET", path); strings.Contains(body, "secret") {
			t.Errorf("%s shows data of a table", path)
		}
	}
}
