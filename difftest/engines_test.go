package difftest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/ebira-db/ebira/session"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vexec"
)

// null is the printed form of SQL NULL; no value prints so.
const null = "\x00NULL"

// result is a printed result. float tells which columns are compared with a tolerance.
type result struct {
	rows  [][]string
	float []bool
}

// ebira is an engine of this process with one session.
type ebira struct {
	dir  string
	eng  *session.Engine
	sess *session.Session
}

// openEbira opens an engine on a new directory that may read and write the folders.
func openEbira(t *testing.T, edit func(*session.Config), folders ...string) *ebira {
	t.Helper()
	c := session.Config{Dir: filepath.Join(t.TempDir(), "data"), AllowedDirs: folders, NoBackground: true, Threads: 2, MemoryLimit: 2 << 30}
	if edit != nil {
		edit(&c)
	}
	eng, err := session.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	e := &ebira{c.Dir, eng, eng.NewSession("")}
	t.Cleanup(func() {
		e.sess.Close()
		if err := eng.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// query runs one statement and prints its rows. A statement that does not end in a minute fails.
func (e *ebira) query(text string) (result, error) { return e.queryIn(e.sess, text) }

func (e *ebira) queryIn(s *session.Session, text string) (out result, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := s.Exec(ctx, text)
	if err != nil {
		return out, described(err, text)
	}
	batches, err := r.All(ctx)
	if err != nil {
		return out, described(err, text)
	}
	for _, f := range r.Schema {
		out.float = append(out.float, f.Type.Kind == types.Double || f.Type.Kind == types.Float)
	}
	for _, b := range batches {
		first := len(out.rows)
		for range b.Len {
			out.rows = append(out.rows, make([]string, len(b.Cols)))
		}
		for c, col := range b.Cols {
			texts, err := session.Texts(col)
			if err != nil {
				return out, err
			}
			for i := range b.Len {
				cell := null
				if !texts.IsNull(i) {
					cell = string(texts.Bytes(i))
				}
				out.rows[first+i][c] = cell
			}
		}
	}
	return out, nil
}

// described is an error as users see it; a bug shows its stack.
func described(err error, text string) error {
	var bug *vexec.Bug
	if errors.As(err, &bug) {
		return fmt.Errorf("%s\n%s", sqlerr.Render(err, text), bug.Stack)
	}
	return errors.New(sqlerr.Render(err, text))
}

// must runs a statement that has to succeed.
func (e *ebira) must(t *testing.T, format string, args ...any) result {
	t.Helper()
	text := fmt.Sprintf(format, args...)
	r, err := e.query(text)
	if err != nil {
		t.Fatalf("ebira: %v\n%s", err, cut(text))
	}
	return r
}

// settle flushes and compacts.
func (e *ebira) settle(t *testing.T) {
	t.Helper()
	if err := e.eng.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := e.eng.Compact(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// segments lists the segment files of the engine.
func (e *ebira) segments(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(e.dir, "segments", "*.parquet"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no segment files in %s (%v)", e.dir, err)
	}
	return files
}

// duck is a DuckDB in memory.
type duck struct{ db *sql.DB }

func openDuck(t *testing.T) *duck {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	d := &duck{db}
	d.must(t, "SET threads = 2")
	d.must(t, "SET memory_limit = '2GB'")
	d.must(t, "SET default_null_order = 'nulls_last'")
	d.must(t, "SET TimeZone = 'UTC'")
	return d
}

// maxResultRows bounds the results that are compared, which lie in memory as text.
const maxResultRows = 200_000

var errTooManyRows = errors.New("the result has too many rows to compare")

func (d *duck) query(text string) (out result, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	rows, err := d.db.QueryContext(ctx, text)
	if err != nil {
		return out, err
	}
	defer rows.Close()
	cols, err := rows.ColumnTypes()
	if err != nil {
		return out, err
	}
	cells, targets := make([]any, len(cols)), make([]any, len(cols))
	for i, c := range cols {
		out.float = append(out.float, c.DatabaseTypeName() == "DOUBLE" || c.DatabaseTypeName() == "FLOAT")
		targets[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return out, err
		}
		row := make([]string, len(cols))
		for i, c := range cells {
			row[i] = duckText(c, cols[i].DatabaseTypeName())
		}
		if out.rows = append(out.rows, row); len(out.rows) > maxResultRows {
			return result{}, errTooManyRows
		}
	}
	return out, rows.Err()
}

// duckText prints a value of the driver as Ebira prints it.
func duckText(v any, typeName string) string {
	switch v := v.(type) {
	case nil:
		return null
	case []byte:
		return string(v)
	case time.Time:
		switch typeName {
		case "DATE":
			return v.Format("2006-01-02")
		case "TIME":
			return v.Format("15:04:05.999999")
		}
		return v.UTC().Format("2006-01-02 15:04:05.999999999")
	case duckdb.Decimal:
		return new(big.Rat).SetFrac(v.Value, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(v.Scale)), nil)).FloatString(int(v.Scale))
	}
	return fmt.Sprint(v)
}

func (d *duck) must(t *testing.T, format string, args ...any) result {
	t.Helper()
	text := fmt.Sprintf(format, args...)
	r, err := d.query(text)
	if err != nil {
		t.Fatalf("duckdb: %v\n%s", err, cut(text))
	}
	return r
}

// cut shortens a text for a message.
func cut(s string) string {
	if len(s) > 1000 {
		return s[:1000] + " …"
	}
	return s
}

// quote writes a string literal of both dialects.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// ident quotes a name of both dialects.
func ident(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// sharedData returns the folder with the real files; the test is skipped where it is not there.
func sharedData(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("EBIRA_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	dir, err := filepath.Abs(filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the shared data files are not here: EBIRA_SHARED names the folder that holds data/")
	}
	return dir
}
