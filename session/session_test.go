package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// open makes an engine on a temporary directory; files is a folder that it may read.
func open(t *testing.T, edit func(*Config)) (e *Engine, files string) {
	t.Helper()
	dir := t.TempDir()
	files = filepath.Join(dir, "files")
	if err := os.Mkdir(files, 0o755); err != nil {
		t.Fatal(err)
	}
	c := Config{Dir: filepath.Join(dir, "data"), AllowedDirs: []string{files}, NoBackground: true, Threads: 2, MemoryLimit: 1 << 30}
	if edit != nil {
		edit(&c)
	}
	e, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e, files
}

// exec runs a statement and returns its rows, cells separated by blanks.
func exec(s *Session, sql string) ([]string, error) {
	ctx := context.Background()
	r, err := s.Exec(ctx, sql)
	if err != nil {
		return nil, err
	}
	batches, err := r.All(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, b := range batches {
		for i := range b.Len {
			var cells []string
			for _, c := range b.Cols {
				text, err := Texts(c)
				if err != nil {
					return nil, err
				}
				cell := "NULL"
				if !text.IsNull(i) {
					cell = string(text.Bytes(i))
				}
				cells = append(cells, cell)
			}
			out = append(out, strings.Join(cells, " "))
		}
	}
	return out, nil
}

func must(t *testing.T, s *Session, sql string) []string {
	t.Helper()
	rows, err := exec(s, sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return rows
}

// TestConcurrentWriters lets inserts, deletes, flushes and compactions run beside each other: no row is lost or counted twice.
func TestConcurrentWriters(t *testing.T) {
	e, _ := open(t, nil)
	must(t, e.NewSession(""), "CREATE TABLE t (w INT, n INT)")
	const writers, each = 4, 40
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			s := e.NewSession("")
			for n := range each {
				if _, err := exec(s, fmt.Sprintf("INSERT INTO t VALUES (%d, %d)", w, n)); err != nil {
					t.Error(err)
				}
				if n%4 == 3 {
					if _, err := exec(s, fmt.Sprintf("DELETE FROM t WHERE w = %d AND n = %d", w, n-1)); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	stop := make(chan struct{})
	var mover sync.WaitGroup
	mover.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := e.Flush(t.Context()); err != nil {
				t.Error(err)
			}
			if err := e.Compact(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	close(stop)
	mover.Wait()
	got := must(t, e.NewSession(""), "SELECT count(*), count(DISTINCT w * 1000 + n) FROM t")
	if want := fmt.Sprint(writers*each*3/4, " ", writers*each*3/4); got[0] != want {
		t.Errorf("got %s, want %s", got[0], want)
	}
}

// TestConcurrentLoads: loads that add different columns lose none, and a file is loaded once whoever asks.
func TestConcurrentLoads(t *testing.T) {
	e, files := open(t, nil)
	must(t, e.NewSession(""), "CREATE TABLE t (id INT) ENABLE_SCHEMA_EVOLUTION = true")
	const loads = 6
	for i := range loads {
		text := fmt.Sprintf("{\"id\":%d,\"c%d\":\"x\"}\n", i, i)
		if err := os.WriteFile(filepath.Join(files, fmt.Sprintf("f%d.ndjson", i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for i := range 2 * loads {
		wg.Go(func() {
			sql := fmt.Sprintf("COPY INTO t FROM '%s/f%d.ndjson' FILE_FORMAT = (TYPE = NDJSON MISSING_FIELD_AS = NULL)", files, i%loads)
			if _, err := exec(e.NewSession(""), sql); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got := must(t, e.NewSession(""), "SELECT count(*), count(DISTINCT id), count(c0) + count(c1) + count(c2) + count(c3) + count(c4) + count(c5) FROM t")
	if got[0] != "6 6 6" {
		t.Errorf("got %s, want 6 6 6", got[0])
	}
}

// TestParkedResult: a result that nobody reads holds neither the only slot nor its query's goroutines once closed.
func TestParkedResult(t *testing.T) {
	e, _ := open(t, func(c *Config) { c.MaxRunning = 1 })
	s := e.NewSession("")
	must(t, s, "CREATE TABLE big AS SELECT r.range AS n, repeat('x', 100) AS s FROM range(300000) r")
	before := runtime.NumGoroutine()
	r, err := s.Exec(t.Context(), "SELECT * FROM big")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Wait(t.Context(), 4<<20); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	other, err := s.Exec(ctx, "SELECT count(*) FROM big")
	if err != nil {
		t.Fatalf("the parked result holds the slot: %v", err)
	}
	if _, err := other.All(ctx); err != nil {
		t.Fatal(err)
	}
	r.Close()
	r.Close()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before the query", runtime.NumGoroutine(), before)
}

// TestMemoryLimit: a query over the budget spills. Where that cannot help, because one state is too large, it fails with Resource; the
// engine goes on and the budget is free again.
func TestMemoryLimit(t *testing.T) {
	e, _ := open(t, func(c *Config) { c.MemoryLimit = 48 << 20 })
	s := e.NewSession("")
	for _, sql := range []string{
		"SELECT size(array_agg(r.range)) FROM range(5000000) r",
		"SELECT max(size(a)) FROM (SELECT array_agg(r.range) OVER (ORDER BY r.range) AS a FROM range(20000) r) x",
		"SELECT max(length(a)) FROM (SELECT group_concat(r.range::STRING) OVER (ORDER BY r.range) AS a FROM range(20000) r) x",
	} {
		if _, err := exec(s, sql); sqlerr.KindOf(err) != sqlerr.Resource {
			t.Fatalf("%s: got %v, want a Resource error", sql, err)
		}
	}
	if got := must(t, s, "SELECT count(*), sum(c), sum(n) FROM (SELECT r.range AS n, count(*) AS c FROM range(5000000) r GROUP BY n) x"); got[0] != "5000000 5000000 12499997500000" {
		t.Errorf("groups beyond the limit: %s", got[0])
	}
	if e.spill.Total() == 0 || e.spill.Used() != 0 {
		t.Errorf("%d bytes were spilled, %d are left", e.spill.Total(), e.spill.Used())
	}
	if got := must(t, s, "SELECT count(*) FROM range(1000) r"); got[0] != "1000" {
		t.Errorf("got %s", got[0])
	}
	if used := e.memory.Queries.Used(); used != 0 {
		t.Errorf("%d bytes are still charged", used)
	}
}

func TestTimeoutAndKill(t *testing.T) {
	e, _ := open(t, nil)
	s := e.NewSession("")
	must(t, s, "SET query_timeout = 1")
	_, err := exec(s, "SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b")
	if sqlerr.KindOf(err) != sqlerr.Canceled || !strings.Contains(err.Error(), "query_timeout") {
		t.Errorf("got %v, want a timeout", err)
	}
	if n := len(e.Running()); n != 0 {
		t.Errorf("%d statements still run", n)
	}
}

func TestUsers(t *testing.T) {
	e, _ := open(t, nil)
	s := e.NewSession("")
	must(t, s, "CREATE USER ann IDENTIFIED BY 'correct horse'")
	f := func(name, password string, ok bool) {
		t.Helper()
		if err := e.Authenticate(t.Context(), name, password); (err == nil) != ok {
			t.Errorf("%s/%s: %v", name, password, err)
		}
	}
	f("ann", "correct horse", true)
	f("ann", "correct horse", true)
	f("ann", "wrong", false)
	f("bob", "correct horse", false)
	must(t, s, "ALTER USER ann IDENTIFIED BY 'battery staple'")
	f("ann", "correct horse", false)
	f("ann", "battery staple", true)
	if _, err := exec(s, "DROP USER ann"); sqlerr.KindOf(err) != sqlerr.Constraint {
		t.Errorf("the last user was dropped: %v", err)
	}
	for _, q := range must(t, s, "SELECT query FROM system.query_log") {
		if strings.Contains(q, "battery") || strings.Contains(q, "horse") {
			t.Errorf("a password is shown: %s", q)
		}
	}
}

func TestParameters(t *testing.T) {
	e, _ := open(t, nil)
	s := e.NewSession("")
	must(t, s, "CREATE TABLE t (k INT, s VARCHAR)")
	p, err := s.Prepare(t.Context(), "INSERT INTO t VALUES ($1, $2), ($1 + 1, $2)")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Params) != 2 {
		t.Fatalf("%d parameters", len(p.Params))
	}
	if _, err := p.Execute(t.Context(), nil); sqlerr.KindOf(err) != sqlerr.Bind {
		t.Errorf("too few values: %v", err)
	}
}

// TestRefusedPaths: links out of an allowed folder, the data directory and paths above are refused with one and the same message.
func TestRefusedPaths(t *testing.T) {
	e, files := open(t, nil)
	s := e.NewSession("")
	must(t, s, "CREATE TABLE t (id INT)")
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "x.ndjson"), []byte("{\"id\":1}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.Symlink(filepath.Join(outside, "x.ndjson"), filepath.Join(files, "link.ndjson")), os.Symlink(outside, filepath.Join(files, "linkdir")),
		os.WriteFile(filepath.Join(files, "ok.ndjson"), []byte("{\"id\":7}\n"), 0o644)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"/etc/passwd", files + "/../../etc/passwd", "file:///etc/hostname", files + "/link.ndjson", files + "/linkdir/x.ndjson", e.cfg.Dir + "/", files + "/linkdir/none"} {
		_, err := exec(s, "COPY INTO t FROM '"+path+"' FILE_FORMAT = (TYPE = NDJSON) ON_ERROR = CONTINUE")
		if sqlerr.KindOf(err) != sqlerr.Permission || !strings.Contains(err.Error(), "outside of the allowed folders") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := exec(s, "COPY INTO '"+files+"/../out.ndjson' FROM t FILE_FORMAT = (TYPE = NDJSON)"); sqlerr.KindOf(err) != sqlerr.Permission {
		t.Errorf("unload outside: %v", err)
	}
	must(t, s, "COPY INTO t FROM '"+files+"/' FILE_FORMAT = (TYPE = NDJSON)")
	if got := must(t, s, "SELECT * FROM t"); len(got) != 1 || got[0] != "7" {
		t.Errorf("got %v", got)
	}
}

// TestLossesAreTold loads duplicate members and values that a Schema Template cannot take, as a batch and as segments, and inserts some.
func TestLossesAreTold(t *testing.T) {
	e, files := open(t, nil)
	s := e.NewSession("")
	f := func(sql string, want ...string) {
		t.Helper()
		r, err := s.Exec(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.Notices, want) {
			t.Errorf("%s: notices %q, want %q", sql, r.Notices, want)
		}
		r.Close()
	}
	must(t, s, "CREATE TABLE t (v VARIANT<'d': DATE>)")
	for name, lines := range map[string]int{"few": 10, "many": 40000} {
		text := strings.Repeat(`{"a":1,"a":{"b":2,"b":3},"d":"no date"}`+"\n", lines)
		if err := os.WriteFile(filepath.Join(files, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		f("COPY INTO t FROM (SELECT $1 FROM '"+files+"/"+name+"' (FILE_FORMAT => 'NDJSON'))",
			fmt.Sprintf("%d duplicate keys: the last one of each object was kept", 2*lines),
			fmt.Sprintf("%d values could not be converted to the types of the Schema Template and were removed", lines))
	}
	f(`INSERT INTO t VALUES ('{"d":"x"}'), ('{"d":"2026-01-01"}')`, "1 values could not be converted to the types of the Schema Template and were removed")
	if got := must(t, s, "SELECT v, count(*) FROM (SELECT v::STRING AS v FROM t) x GROUP BY v ORDER BY v"); !slices.Equal(got, []string{`{"a":{"b":3}} 40010`, `{"d":"2026-01-01"} 1`, `{} 1`}) {
		t.Errorf("got %q", got)
	}
}
