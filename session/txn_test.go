package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// TestSnapshotIsolation: a transaction sees the state at its first statement and its own changes, others see nothing of it before COMMIT.
func TestSnapshotIsolation(t *testing.T) {
	e, _ := open(t, nil)
	a, b := e.NewSession(""), e.NewSession("")
	must(t, a, "CREATE TABLE t (id INT, n INT)")
	must(t, a, "INSERT INTO t VALUES (1, 10), (2, 20)")
	must(t, a, "BEGIN")
	// The state is that of the first statement, not of BEGIN.
	must(t, b, "INSERT INTO t VALUES (3, 30)")
	want := func(s *Session, sql string, rows ...string) {
		t.Helper()
		if got := must(t, s, sql); !slices.Equal(got, rows) {
			t.Errorf("%s: got %q, want %q", sql, got, rows)
		}
	}
	want(a, "SELECT sum(n) FROM t", "60")
	must(t, b, "INSERT INTO t VALUES (4, 40)")
	must(t, b, "DELETE FROM t WHERE id = 1")
	must(t, a, "UPDATE t SET n = n + 1 WHERE id = 2")
	want(a, "SELECT id, n FROM t ORDER BY id", "1 10", "2 21", "3 30")
	want(b, "SELECT id, n FROM t ORDER BY id", "2 20", "3 30", "4 40")
	// Moving the rows that the transaction has deleted is no conflict.
	if err := e.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := e.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(a, "SELECT id, n FROM t ORDER BY id", "1 10", "2 21", "3 30")
	must(t, a, "COMMIT")
	for _, s := range []*Session{a, b} {
		want(s, "SELECT id, n FROM t ORDER BY id", "2 21", "3 30", "4 40")
	}
	if st := e.store.Stats(); st.Pins != 0 {
		t.Errorf("%d pins are left", st.Pins)
	}
}

// TestConflicts lets a second session do something between a transaction's statement and its COMMIT.
func TestConflicts(t *testing.T) {
	e, files := open(t, nil)
	a, b := e.NewSession(""), e.NewSession("")
	if err := os.WriteFile(filepath.Join(files, "f.ndjson"), []byte("{\"id\":1}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	load := "COPY INTO t FROM '" + files + "/f.ndjson' FILE_FORMAT = (TYPE = NDJSON MISSING_FIELD_AS = NULL)"
	f := func(mine, others, part string) {
		t.Helper()
		for _, sql := range []string{"DROP DATABASE IF EXISTS d", "DROP STAGE IF EXISTS s", "DROP TABLE IF EXISTS u", "DROP TABLE IF EXISTS w", "CREATE OR REPLACE TABLE t (id INT, n INT)",
			"INSERT INTO t VALUES (1, 10), (2, 20)"} {
			must(t, a, sql)
		}
		must(t, a, "BEGIN")
		for _, sql := range strings.Split(mine, ";") {
			must(t, a, sql)
		}
		for _, sql := range strings.Split(others, ";") {
			must(t, b, sql)
		}
		before := must(t, b, "SELECT * FROM system.tables ORDER BY 1, 2")
		_, err := exec(a, "COMMIT")
		if part == "" {
			if err != nil {
				t.Errorf("%s | %s: %v", mine, others, err)
			}
			return
		}
		if sqlerr.KindOf(err) != sqlerr.Conflict || !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), "run it again") {
			t.Errorf("%s | %s: got %v, want a conflict with %q", mine, others, err, part)
		}
		if after := must(t, b, "SELECT * FROM system.tables ORDER BY 1, 2"); !slices.Equal(before, after) {
			t.Errorf("%s | %s: the failed transaction changed %q to %q", mine, others, before, after)
		}
		if got, err := exec(a, "ROLLBACK"); err != nil || len(got) != 0 {
			t.Errorf("ROLLBACK after a failed COMMIT: %v", err)
		}
	}
	f("DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id = 1", "deleted by another statement")
	f("UPDATE t SET n = 0 WHERE id = 1", "UPDATE t SET n = 1 WHERE id = 1", "deleted by another statement")
	f("UPDATE t SET n = 0 WHERE id = 1", "UPDATE t SET n = 1 WHERE id = 2", "")
	f("INSERT INTO t VALUES (3, 0)", "INSERT INTO t VALUES (3, 0)", "")
	f("INSERT INTO t VALUES (3, 0)", "DROP TABLE t", "dropped")
	f("INSERT INTO t VALUES (3, 0)", "TRUNCATE TABLE t", "")
	f("DELETE FROM t WHERE id = 1", "TRUNCATE TABLE t", "moved by another statement")
	f("TRUNCATE TABLE t", "INSERT INTO t VALUES (3, 0)", "rows of table default.t were added or deleted")
	f("INSERT INTO t VALUES (3, 0)", "ALTER TABLE t ADD COLUMN x INT", "")
	f("INSERT INTO t VALUES (3, 0)", "ALTER TABLE t RENAME TO u", "")
	f("INSERT INTO t VALUES (3, 0)", "ALTER TABLE t DROP COLUMN n", "")
	f("ALTER TABLE t ADD COLUMN x INT", "ALTER TABLE t ADD COLUMN y INT", "changed by another statement")
	f("ALTER TABLE t ADD COLUMN x INT", "INSERT INTO t VALUES (3, 0)", "")
	f("ALTER TABLE t RENAME TO u", "CREATE TABLE u (x INT)", "u was created")
	f("CREATE TABLE u (x INT)", "CREATE TABLE u (x INT)", "u was created")
	f("CREATE TABLE u AS SELECT 1 AS x", "CREATE TABLE w (x INT)", "")
	f("DROP TABLE t", "INSERT INTO t VALUES (3, 0)", "")
	f("DROP TABLE t", "ALTER TABLE t RENAME TO u", "t was created, changed or dropped")
	f("DROP TABLE t", "DROP TABLE t", "dropped")
	f("INSERT OVERWRITE t VALUES (7, 7)", "INSERT INTO t VALUES (3, 0)", "rows of table default.t were added or deleted")
	f("ALTER TABLE t MODIFY COLUMN n BIGINT", "INSERT INTO t VALUES (3, 0)", "rows of table default.t were added or deleted")
	f("INSERT INTO t VALUES (3, 0)", "ALTER TABLE t MODIFY COLUMN n BIGINT", "column n of table default.t was altered")
	f("INSERT INTO t VALUES (3, 0)", "ALTER TABLE t ALTER COLUMN n SET NOT NULL", "column n of table default.t was altered")
	f("MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = 0", "DELETE FROM t WHERE id = 1", "deleted by another statement")
	f("CREATE VIEW u AS SELECT 1 AS x", "CREATE TABLE u (x INT)", "u was created")
	f("CREATE STAGE s", "CREATE STAGE s", "stage s was created")
	f("CREATE DATABASE d", "CREATE DATABASE d", "database d was created")
	f(load, load, "file f.ndjson was loaded by another statement")
	f(load, "INSERT INTO t VALUES (3, 0)", "")
}

// TestTransfers moves amounts between rows in concurrent transactions: what is lost to conflicts is tried again, and the sum stays.
func TestTransfers(t *testing.T) {
	e, _ := open(t, nil)
	s := e.NewSession("")
	must(t, s, "CREATE TABLE acct (id INT, n INT)")
	must(t, s, "INSERT INTO acct SELECT number::INT, 100 FROM numbers(4)")
	var wg sync.WaitGroup
	var mu sync.Mutex
	conflicts, moved := 0, 0
	for w := range 4 {
		wg.Go(func() {
			s := e.NewSession("")
			defer s.Close()
			for i := range 15 {
				must := func(sql string) bool {
					_, err := exec(s, sql)
					if err != nil && sqlerr.KindOf(err) != sqlerr.Conflict {
						t.Errorf("%s: %v", sql, err)
					}
					return err == nil
				}
				must("BEGIN")
				must(fmt.Sprintf("UPDATE acct SET n = n - 1 WHERE id = %d", (w+i)%4))
				must(fmt.Sprintf("UPDATE acct SET n = n + 1 WHERE id = %d", (w+i+1)%4))
				ok := must("COMMIT")
				mu.Lock()
				if ok {
					moved++
				} else {
					conflicts++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if got := must(t, s, "SELECT count(*), sum(n) FROM acct"); got[0] != "4 400" {
		t.Errorf("got %s", got[0])
	}
	if moved == 0 || moved+conflicts != 60 {
		t.Errorf("%d committed, %d conflicts", moved, conflicts)
	}
}

// TestManyInserts: single rows that a transaction has inserted become one batch per stretch between changes of the table.
func TestManyInserts(t *testing.T) {
	e, _ := open(t, nil)
	s := e.NewSession("")
	must(t, s, "CREATE TABLE t (id INT, v VARIANT)")
	must(t, s, "BEGIN")
	for i := range 200 {
		must(t, s, fmt.Sprintf(`INSERT INTO t (id, v) VALUES (%d, '{"n":%d}')`, i, i))
		if i == 50 {
			must(t, s, "DELETE FROM t WHERE id IN (7, 8)")
		}
		if i == 100 {
			must(t, s, "ALTER TABLE t ADD COLUMN c INT DEFAULT 5")
			must(t, s, "ALTER TABLE t MODIFY COLUMN c INT DEFAULT 6")
		}
		if i >= 100 && i < 120 {
			must(t, s, fmt.Sprintf("INSERT INTO t VALUES (%d, NULL, %d)", 1000+i, i))
		}
	}
	const sums = "SELECT count(*), count(DISTINCT id), sum(id), sum(v['n']::INT), count(c), sum(c) FROM t"
	before := must(t, s, sums)
	must(t, s, "COMMIT")
	if after := must(t, s, sums); !slices.Equal(before, after) {
		t.Errorf("%q before COMMIT, %q after", before, after)
	}
	if got := must(t, s, "SELECT delta_batches FROM system.tables WHERE name = 't'"); got[0] != "4" {
		t.Errorf("%s batches", got[0])
	}
}

// TestIdleTransaction: a transaction that waits too long is rolled back, and its client is told.
func TestIdleTransaction(t *testing.T) {
	e, _ := open(t, nil)
	s := e.NewSession("")
	must(t, s, "CREATE TABLE t (id INT)")
	must(t, s, "SET idle_transaction_timeout = 1")
	must(t, s, "BEGIN")
	must(t, s, "INSERT INTO t VALUES (1)")
	time.Sleep(1500 * time.Millisecond)
	if st := e.store.Stats(); st.Pins != 0 {
		t.Errorf("%d pins are left", st.Pins)
	}
	for _, sql := range []string{"SELECT * FROM t", "INSERT INTO t VALUES (2)", "COMMIT"} {
		if _, err := exec(s, sql); sqlerr.KindOf(err) != sqlerr.Canceled || !strings.Contains(err.Error(), "idle_transaction_timeout") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if got := must(t, s, "SELECT count(*) FROM t"); got[0] != "0" {
		t.Errorf("%s rows", got[0])
	}
}

// TestTransactionFiles: files of a transaction that is rolled back, by its client or by the end of the session, go; a result that still
// reads them keeps them.
func TestTransactionFiles(t *testing.T) {
	e, _ := open(t, nil)
	s := e.NewSession("")
	must(t, s, "CREATE TABLE t (id INT, s VARCHAR)")
	files := func() int {
		list, err := os.ReadDir(filepath.Join(e.cfg.Dir, "segments"))
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	must(t, s, "BEGIN")
	must(t, s, "INSERT INTO t SELECT number::INT, repeat('x', 200) FROM numbers(200000)")
	if files() == 0 {
		t.Fatal("the transaction wrote no file: the test shows nothing")
	}
	r, err := s.Exec(t.Context(), "SELECT * FROM t")
	if err != nil {
		t.Fatal(err)
	}
	must(t, s, "ROLLBACK")
	n := 0
	for {
		b, err := r.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			break
		}
		n += b.Len
	}
	r.Close()
	if n != 200000 {
		t.Errorf("the result that was open has %d rows", n)
	}
	if files() != 0 {
		t.Errorf("%d files after ROLLBACK", files())
	}
	must(t, s, "BEGIN")
	must(t, s, "INSERT INTO t SELECT number::INT, repeat('x', 200) FROM numbers(200000)")
	s.Close()
	if files() != 0 {
		t.Errorf("%d files after the end of the session", files())
	}
}

// TestChangeParameters: every statement that changes rows takes parameters.
func TestChangeParameters(t *testing.T) {
	e, _ := open(t, nil)
	s := e.NewSession("")
	must(t, s, "CREATE TABLE t (id INT, s VARCHAR)")
	must(t, s, "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
	f := func(sql, kinds, want string) {
		t.Helper()
		p, err := s.Prepare(t.Context(), sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		var got []string
		values := make([]*vec.Vector, len(p.Params))
		for i, k := range p.Params {
			got = append(got, k.String())
			text := vec.NewBuilder(types.Of(types.Varchar), 1)
			text.AppendString(fmt.Sprint(i + 2))
			if values[i], err = function.Cast(&function.Ctx{}, text.Finish(), k, false); err != nil {
				t.Fatal(err)
			}
		}
		if strings.Join(got, " ") != kinds {
			t.Errorf("%s: parameters %v, want %s", sql, got, kinds)
		}
		r, err := p.Execute(t.Context(), values)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		r.Close()
		if rows := strings.Join(must(t, s, "SELECT id || s FROM t ORDER BY id"), ","); rows != want {
			t.Errorf("%s: %s, want %s", sql, rows, want)
		}
	}
	f("MERGE INTO t USING (SELECT CAST(? AS INT) AS id) q ON t.id = q.id AND t.id < ? WHEN MATCHED THEN UPDATE SET s = ? WHEN NOT MATCHED THEN INSERT VALUES (?, ?)", "INT INT VARCHAR INT VARCHAR", "1a,24,3c")
	f("MERGE INTO t USING (SELECT CAST(? AS INT) AS id) q ON t.id = q.id WHEN MATCHED THEN UPDATE SET s = ?", "INT VARCHAR", "1a,23,3c")
	f("UPDATE t SET s = ? FROM (SELECT 3 AS i) q WHERE t.id = q.i AND q.i >= ?", "VARCHAR INT", "1a,23,32")
	f("DELETE FROM t USING (SELECT 3 AS i) q WHERE t.id = q.i AND q.i > ?", "INT", "1a,23")
	f("INSERT OVERWRITE t SELECT id, ? FROM t WHERE id < ?", "VARCHAR INT", "12,22")
}
