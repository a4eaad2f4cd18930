package lint

import (
	"sort"
	"strings"
	"testing"
)

// level gives each package its place in the house; a package imports lower levels only, or siblings named in drawn.
var level = map[string]int{
	"cmd/ebira": 100,
	"flightsrv": 90, "httpsrv": 90,
	"session":  80,
	"sql/bind": 70, "sql/opt": 70, "vexec": 70, "storage/store": 70,
	"sql/parse": 60, "sql/plan": 60,
	"storage/stage":   55,
	"storage/catalog": 54, "storage/segment": 53, "storage/parquetio": 52, "textindex": 52,
	"sql/expr": 41, "sql/function": 40,
	"tpch":       35,
	"clickbench": 31, "bench": 20,
	"variant": 31, "vec/arrowvec": 31, "vec": 30, "jsonparse": 30, "textindex/analysis": 30,
	"sql/types": 21, "sql/sqlerr": 20, "cache": 20, "storage/vfs": 20,
}

// drawn are the imports between packages of one row of the house that the picture in docs/ARCHITECTURE.md shows.
var drawn = map[string][]string{
	"cache": {"sql/sqlerr"}, "storage/vfs/errorfs": {"storage/vfs"},
}

// testOnly packages serve tests and may import anything.
var testOnly = map[string]bool{"sqltest": true, "vexec/optest": true, "sql/bind/bindtest": true, "variant/varianttest": true, "internal/lint": true}

func place(pkg string) (int, bool) {
	if n, ok := level[pkg]; ok {
		return n, true
	}
	for p := pkg; strings.Contains(p, "/"); {
		p = p[:strings.LastIndexByte(p, '/')]
		if n, ok := level[p]; ok {
			return n, true
		}
	}
	return 0, false
}

func load(t *testing.T) []File {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	files, err := Files(root)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestImportsGoDown(t *testing.T) {
	for _, f := range load(t) {
		if f.Test || testOnly[f.Pkg] {
			continue
		}
		from, known := place(f.Pkg)
		if !known {
			t.Errorf("%s: package %s has no place in the import table", f.Path, f.Pkg)
			continue
		}
		for _, imp := range f.Imports() {
			to, own := strings.CutPrefix(imp, Module+"/")
			if !own || strings.HasPrefix(to, f.Pkg+"/") {
				continue
			}
			n, _ := place(to)
			if n >= from && !allowed(f.Pkg, to) {
				t.Errorf("%s imports %s, which is not below %s", f.Path, to, f.Pkg)
			}
		}
	}
}

func allowed(from, to string) bool {
	for _, d := range drawn[from] {
		if d == to {
			return true
		}
	}
	return false
}

// walls says which packages may import a third-party library, by import path prefix.
var walls = map[string][]string{
	"github.com/apache/arrow-go":          {"vec/arrowvec", "flightsrv", "storage/parquetio", "storage/stage", "cmd/ebira"},
	"github.com/parquet-go":               {"storage/parquetio"},
	"google.golang.org/grpc":              {"flightsrv", "cmd/ebira"},
	"google.golang.org/protobuf":          {"flightsrv", "cmd/ebira"},
	"github.com/dgraph-io/ristretto":      {"cache"},
	"github.com/minio/simdjson-go":        {"jsonparse"},
	"github.com/spf13/cobra":              {"cmd/ebira"},
	"github.com/RoaringBitmap/roaring":    {"storage/catalog", "storage/store", "vexec", "session", "textindex"},
	"github.com/klauspost/compress":       {"storage/stage", "storage/store", "storage/parquetio", "storage/segment"},
	"github.com/prometheus/client_golang": {"httpsrv"},
	"golang.org/x/crypto":                 {"session", "storage/catalog", "flightsrv"},
	"github.com/duckdb":                   {},
}

func TestWalls(t *testing.T) {
	for _, f := range load(t) {
		for _, imp := range f.Imports() {
			for prefix, pkgs := range walls {
				if strings.HasPrefix(imp, prefix) && !inside(f.Pkg, pkgs) && !(f.Test || testOnly[f.Pkg]) {
					t.Errorf("%s imports %s, which is for %v only", f.Path, imp, pkgs)
				}
			}
		}
	}
}

func inside(pkg string, pkgs []string) bool {
	for _, p := range pkgs {
		if pkg == p || strings.HasPrefix(pkg, p+"/") {
			return true
		}
	}
	return false
}

// TestFileCalls keeps file system calls in storage/vfs and the command.
func TestFileCalls(t *testing.T) {
	for _, f := range load(t) {
		if f.Test || testOnly[f.Pkg] || inside(f.Pkg, []string{"storage/vfs", "cmd"}) {
			continue
		}
		for _, imp := range f.Imports() {
			if imp == "os" || imp == "io/ioutil" {
				t.Errorf("%s imports %s: file system calls belong to storage/vfs", f.Path, imp)
			}
		}
	}
}

func TestPackageDocs(t *testing.T) {
	docs := map[string]string{}
	for _, f := range load(t) {
		if f.Test {
			continue
		}
		if _, ok := docs[f.Pkg]; !ok {
			docs[f.Pkg] = ""
		}
		if f.AST.Doc != nil {
			docs[f.Pkg] += f.AST.Doc.Text()
		}
	}
	var pkgs []string
	for p := range docs {
		pkgs = append(pkgs, p)
	}
	sort.Strings(pkgs)
	for _, p := range pkgs {
		if len(docs[p]) < 80 {
			t.Errorf("package %s does not say what it is for, what it must not know, and how it may be used concurrently", p)
		}
	}
}
