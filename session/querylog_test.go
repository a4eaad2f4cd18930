package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// endless runs for hours, in the join's probe.
const endless = "SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b"

// until waits for a condition.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func TestQueryLog(t *testing.T) {
	e, _ := open(t, nil)
	s := e.NewSession("ann")
	must(t, s, "CREATE TABLE t AS SELECT r.range AS n FROM range(100000) r")
	must(t, s, "DELETE FROM t WHERE n < 10")
	must(t, s, "SELECT count(*), sum(n) FROM t WHERE n >= 0")
	must(t, s, "CREATE USER bob IDENTIFIED BY 'secret words'")
	if _, err := exec(s, "SELECT CAST('x' || n AS INT) FROM t"); err == nil {
		t.Fatal("no error")
	}
	want := []string{
		"finished 0 100000 0 CREATE TABLE t AS SELECT r.range AS n FROM range(100000) r NULL",
		"finished 0 10 100000 DELETE FROM t WHERE n < 10 NULL",
		"finished 1 0 100000 SELECT count(*), sum(n) FROM t WHERE n >= 0 NULL",
		"finished 0 0 0 CREATE USER bob IDENTIFIED BY '***' NULL",
		"failed 0 0 100000 SELECT CAST('x' || n AS INT) FROM t conversion error",
	}
	got := must(t, s, "SELECT state, rows, rows_written, rows_read, query, split_part(error, ':', 1) FROM system.query_log ORDER BY query_id")
	if !slices.Equal(got, want) {
		t.Errorf("got %s", strings.Join(got, "\n"))
	}
	if got := must(t, s, "SELECT count(*) FROM system.query_log WHERE peak_bytes > 0 AND bytes_read > 0 AND user = 'ann' AND seconds >= 0"); got[0] == "0" {
		t.Errorf("%s statements have figures", got[0])
	}
	for range 2*maxRecent + 100 {
		must(t, s, "SET batch_rows = 0")
	}
	var n int
	if _, err := fmt.Sscan(must(t, s, "SELECT count(*) FROM system.query_log")[0], &n); err != nil || n < maxRecent || n > 2*maxRecent {
		t.Errorf("%d statements are remembered, %v", n, err)
	}
}

// TestProgress looks at a running statement from its own and another session.
func TestProgress(t *testing.T) {
	e, _ := open(t, nil)
	s, other := e.NewSession(""), e.NewSession("")
	must(t, s, "CREATE TABLE t AS SELECT r.range AS n FROM range(2000000) r")
	must(t, s, "CREATE TABLE u AS SELECT r.range AS n FROM range(200) r")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error)
	go func() {
		r, err := s.Exec(ctx, "SELECT count(*) FROM t, u WHERE (t.n + u.n) % 7 = 9")
		if err == nil {
			_, err = r.All(ctx)
		}
		ended <- err
	}()
	const sql = "SELECT query_id, own, rows_total, bytes_total > 0, memory_bytes > 0 AND peak_bytes >= memory_bytes FROM system.queries WHERE state = 'running' AND rows_read > 50000 AND progress > 0.02 AND progress < 1"
	var mine, theirs []string
	until(t, "the progress of the statement", func() bool {
		mine, theirs = must(t, s, sql), must(t, other, sql)
		return len(mine) == 1 && len(theirs) == 1
	})
	id, _, _ := strings.Cut(mine[0], " ")
	if mine[0] != id+" true 2000200 true true" || theirs[0] != id+" false 2000200 true true" {
		t.Errorf("got %q and %q", mine, theirs)
	}
	start := time.Now()
	must(t, other, "KILL QUERY "+id)
	if err := <-ended; sqlerr.KindOf(err) != sqlerr.Canceled || !strings.Contains(err.Error(), "killed") {
		t.Errorf("got %v", err)
	}
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("it took %s to kill the statement", d)
	}
	if got := must(t, s, "SELECT state FROM system.query_log WHERE query_id = "+id); len(got) != 1 || got[0] != "canceled" {
		t.Errorf("got %q", got)
	}
}

// TestStatementTimeout: statements of all kinds end soon after their time is over, wherever they are.
func TestStatementTimeout(t *testing.T) {
	e, _ := open(t, func(c *Config) { c.MemoryLimit = 4 << 30 })
	s := e.NewSession("")
	must(t, s, "CREATE TABLE t (n BIGINT)")
	must(t, s, "CREATE TABLE a AS SELECT r.range AS n FROM range(1000000) r")
	must(t, s, "CREATE TABLE b AS SELECT r.range AS n FROM range(1000) r")
	must(t, s, "SET statement_timeout = 1")
	const rows = "(SELECT a.n * 1000 + b.n AS n FROM a, b)"
	for _, sql := range []string{
		endless,
		"SELECT count(*) FROM " + rows + " r WHERE regexp_like(repeat(r.n::STRING, 20), '(1|2)*3.*(4|5)+$')",
		"SELECT max(n) FROM (SELECT n, row_number() OVER (ORDER BY n % 1000, n) AS k FROM " + rows + " r) x WHERE k < 10",
		"SELECT count(*) FROM (SELECT n % 10000000 AS k, count(*) FROM " + rows + " r GROUP BY k) x",
		"SELECT max(x) FROM (SELECT sum(n % 10) OVER (ORDER BY n % 7) AS x FROM " + rows + " r) y",
		"SELECT count(DISTINCT n) FROM " + rows + " r",
		"SELECT count(*) FROM a JOIN a c ON a.n % 10 = c.n % 10",
	} {
		start := time.Now()
		_, err := exec(s, sql)
		if sqlerr.KindOf(err) != sqlerr.Canceled || !strings.Contains(err.Error(), "longer than 1 seconds") {
			t.Errorf("%s: %v", sql, err)
		}
		// A second after its time, and a reserve for a loaded machine.
		if d := time.Since(start); d > 4*time.Second {
			t.Errorf("%s: ended after %s", sql, d)
		}
	}
	// A worker that makes a segment of a million rows ready does that to the end.
	if _, err := exec(s, "INSERT INTO t SELECT a.range FROM range(1000000) a, range(1000000) b"); sqlerr.KindOf(err) != sqlerr.Canceled {
		t.Errorf("INSERT: %v", err)
	}
	until(t, "all workers have ended", func() bool { return len(e.Running()) == 0 && e.memory.Queries.Used() == 0 })
	must(t, s, "SET statement_timeout = 0")
	if got := must(t, s, "SELECT count(*) FROM t"); got[0] != "0" {
		t.Errorf("%s rows", got[0])
	}
}

// TestFairness: ten clients with long statements get on alike, and a short statement is not held up by them.
func TestFairness(t *testing.T) {
	e, _ := open(t, nil)
	s := e.NewSession("")
	must(t, s, "CREATE TABLE t AS SELECT r.range AS n FROM range(2000000) r")
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	const clients = 10
	for range clients {
		wg.Go(func() {
			c := e.NewSession("")
			r, err := c.Exec(ctx, "SELECT sum(sqrt(n) * ln(n + 1) + sin(n)) FROM (SELECT n FROM t UNION ALL SELECT n + 1 FROM t UNION ALL SELECT n + 2 FROM t UNION ALL SELECT n + 3 FROM t UNION ALL SELECT n + 4 FROM t UNION ALL SELECT n + 5 FROM t) x")
			if err == nil {
				_, err = r.All(ctx)
			}
			if err != nil && sqlerr.KindOf(err) != sqlerr.Canceled {
				t.Error(err)
			}
		})
	}
	done := func() (list []int64) {
		for _, q := range e.Running() {
			list = append(list, q.Progress().RowsDone)
		}
		slices.Sort(list)
		return list
	}
	until(t, "all statements run", func() bool { l := done(); return len(l) == clients && l[0] > 0 })
	before := done()
	var worst time.Duration
	for range 20 {
		start := time.Now()
		must(t, s, "SELECT count(*) FROM range(1000) r WHERE r.range % 3 = 0")
		worst = max(worst, time.Since(start))
	}
	until(t, "progress", func() bool { l := done(); return len(l) < clients || l[clients-1] > before[clients-1]+300000 })
	after := done()
	cancel()
	wg.Wait()
	t.Logf("a short statement took at most %s; rows read by the long ones %v", worst, after)
	if worst > 3*time.Second {
		t.Errorf("a short statement took %s", worst)
	}
	if len(after) == clients && after[0]*3 < after[clients-1] {
		t.Errorf("rows read by the clients: %v", after)
	}
}

// TestQueue: statements beyond the limit wait, and are refused when too many do.
func TestQueue(t *testing.T) {
	e, _ := open(t, func(c *Config) { c.MaxRunning, c.MaxQueued = 1, 2 })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	var refused atomic.Int64
	for range 4 {
		wg.Go(func() {
			r, err := e.NewSession("").Exec(ctx, endless)
			if err == nil {
				_, err = r.All(ctx)
			}
			if sqlerr.KindOf(err) == sqlerr.Resource && strings.Contains(err.Error(), "1 statements run and 2 wait") {
				refused.Add(1)
			}
		})
	}
	s := e.NewSession("")
	until(t, "one runs, two wait, one is refused", func() bool {
		return refused.Load() == 1 && fmt.Sprint(states(e)) == "[queued queued running]"
	})
	if got := must(t, s, "SHOW VARIABLES LIKE 'batch_rows'"); len(got) != 1 {
		t.Errorf("got %q", got)
	}
	must(t, s, "SET query_timeout = 1")
	if _, err := exec(s, "SELECT 1"); sqlerr.KindOf(err) != sqlerr.Resource {
		t.Errorf("got %v", err)
	}
	cancel()
	wg.Wait()
	until(t, "all have ended", func() bool { return len(e.Running()) == 0 })
	if got := must(t, s, "SELECT 1"); got[0] != "1" {
		t.Errorf("got %q", got)
	}
}

func states(e *Engine) (list []string) {
	for _, q := range e.Running() {
		list = append(list, q.State())
	}
	slices.Sort(list)
	return list
}
