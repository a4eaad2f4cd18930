package lint

import (
	"go/ast"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// Limits of the house; the tables of exceptions only ever shrink.
const (
	maxFileLines     = 800
	maxFunctionLines = 100
)

// longFunctions are flat dispatch tables that read better in one piece than cut up.
var longFunctions = map[string]bool{}

func TestLengths(t *testing.T) {
	for _, f := range load(t) {
		if f.Lines > maxFileLines {
			t.Errorf("%s has %d lines, more than %d: split it by concept", f.Path, f.Lines, maxFileLines)
		}
		if f.Test {
			continue
		}
		for _, d := range f.AST.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			n := f.Set.Position(fn.End()).Line - f.Set.Position(fn.Pos()).Line + 1
			if key := f.Pkg + "." + fn.Name.Name; n > maxFunctionLines && !longFunctions[key] {
				t.Errorf("%s: function %s has %d lines, more than %d", f.Path, fn.Name.Name, n, maxFunctionLines)
			}
		}
	}
}

// foreign are words that belong to a workplace and not to a product.
var foreign = regexp.MustCompile(`(?i)\b(TODO|FIXME|XXX)\b|/(work|root)/|\bissue #?[0-9]+\b`)

func TestNoForeignWords(t *testing.T) {
	for _, f := range load(t) {
		if f.Pkg == "internal/lint" {
			continue
		}
		for _, g := range f.AST.Comments {
			if m := foreign.FindString(g.Text()); m != "" {
				t.Errorf("%s: a comment has %q", f.Set.Position(g.Pos()), m)
			}
		}
	}
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestGofmt(t *testing.T) {
	var names []string
	for _, f := range load(t) {
		names = append(names, f.Path)
	}
	if out := run(t, "gofmt", append([]string{"-l"}, names...)...); out != "" {
		t.Errorf("not formatted:\n%s", out)
	}
}

func TestVet(t *testing.T) {
	if testing.Short() {
		t.Skip("vet takes long; run without -short")
	}
	run(t, "go", "vet", "./...")
}

func TestStaticcheck(t *testing.T) {
	if testing.Short() {
		t.Skip("staticcheck takes long; run without -short")
	}
	run(t, "go", "tool", "-modfile=internal/devtools/go.mod", "staticcheck", "./...")
}
