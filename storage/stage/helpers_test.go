package stage

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/vec"
)

// put writes a file of /stage and describes it.
func put(t testing.TB, fsys vfs.FS, name string, data []byte) File {
	t.Helper()
	full := path.Join("/stage", name)
	if err := fsys.MkdirAll(path.Dir(full)); err != nil {
		t.Fatal(err)
	}
	w, err := fsys.Create(full)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return File{Name: name, Path: full, Size: int64(len(data))}
}

// sharedDir finds the shared test data, or skips the test.
func sharedDir(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("EBIRA_SHARED"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, e := os.Stat(filepath.Join(dir, "go.mod")); e == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	shared := filepath.Join(filepath.Dir(dir), "shared")
	if _, e := os.Stat(shared); e != nil {
		t.Skip("the shared data is not there")
	}
	return shared
}

// shared describes a file of the shared data.
func shared(t testing.TB, elem ...string) File {
	t.Helper()
	f, err := Stat(vfs.OS, filepath.Join(append([]string{sharedDir(t)}, elem...)...))
	if err != nil {
		t.Skipf("%v: the shared data lacks it", err)
	}
	return f
}

// column makes a target from "name TYPE", with NOT NULL behind where wanted.
func column(name string, t types.Type) Target { return Target{Name: name, Type: t} }

func notNull(t Target) Target { t.NotNull = true; return t }

func lines(targets ...Target) ReadSpec {
	return ReadSpec{Format: Format{Type: NDJSON}, Targets: targets, OnError: OnError{Mode: Abort, Limit: 1}}
}

// rowsOf renders a batch, a line for each row, with cells divided by bars.
func rowsOf(b *vec.Batch) []string {
	ctx := &function.Ctx{Zone: time.UTC}
	out := make([]string, b.Len)
	for r := range b.Len {
		var cells []string
		for _, c := range b.Cols {
			cells = append(cells, string(function.AppendText(nil, ctx, vec.Flatten(plain(c)), r)))
		}
		out[r] = strings.Join(cells, "|")
	}
	return out
}

// load reads files one after the other and returns the rows.
func load(t testing.TB, fsys vfs.FS, spec ReadSpec, r *Report, files ...File) ([]string, error) {
	t.Helper()
	var out []string
	for _, f := range files {
		s, err := Open(fsys, f, spec, r)
		if err != nil {
			return out, err
		}
		for {
			b, err := s.Next()
			if err != nil {
				if e := s.Close(); e != nil {
					t.Fatal(e)
				}
				return out, err
			}
			if b == nil {
				break
			}
			for i, c := range b.Cols {
				if c.Len != b.Len {
					t.Fatalf("column %d has %d rows of %d", i, c.Len, b.Len)
				}
				if !spec.WholeRow && !c.Type.Equal(spec.Targets[i].Type) {
					t.Fatalf("column %d has type %s instead of %s", i, c.Type, spec.Targets[i].Type)
				}
			}
			out = append(out, rowsOf(b)...)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out, nil
}

// loadText loads NDJSON text and returns rows and report.
func loadText(t testing.TB, text string, spec ReadSpec) ([]string, *Report, error) {
	t.Helper()
	fsys := vfs.NewMem()
	f := put(t, fsys, "f.ndjson", []byte(text))
	r := NewReport([]File{f}, spec.OnError)
	rows, err := load(t, fsys, spec, r, f)
	return rows, r, err
}

// message returns kind and message of an error, "" for none.
func message(err error) string {
	if e, ok := errors.AsType[*sqlerr.Error](err); ok {
		return e.Error()
	}
	if err != nil {
		return "no kind: " + err.Error()
	}
	return ""
}

func equal(t testing.TB, what string, got, want any) {
	t.Helper()
	if g, w := render(got), render(want); g != w {
		t.Errorf("%s\n got %s\nwant %s", what, g, w)
	}
}

func render(x any) string {
	if list, ok := x.([]string); ok {
		return strings.Join(list, "\n     ")
	}
	return strings.TrimSpace(strings.ReplaceAll(strings.TrimPrefix(sprint(x), "&"), "\n", "\n     "))
}
