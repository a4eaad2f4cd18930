// Package lint holds the tests that keep the rules of the house: who may import whom, which library stays behind which wall, how long
// files and functions may be, and that every package says what it is for.
// It knows the source tree only and is imported by nobody.
// Its helpers are pure functions over parsed files.
package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Module is the import path of the root module.
const Module = "github.com/ebira-db/ebira"

// File is one parsed Go file of the root module.
type File struct {
	Path  string // relative to the root, with slashes
	Pkg   string // relative folder, "." for the root
	Test  bool
	Lines int
	Set   *token.FileSet
	AST   *ast.File
}

// Root returns the folder of the nearest go.mod of the module at or above the working folder.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if b, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && strings.HasPrefix(string(b), "module "+Module+"\n") {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", os.ErrNotExist
		}
		dir = up
	}
}

// Files parses all Go files of the root module; nested modules, testdata and hidden folders are left out.
func Files(root string) ([]File, error) {
	var out []File
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			_, nested := os.Stat(filepath.Join(path, "go.mod"))
			name := d.Name()
			if rel != "." && (nested == nil || name == "testdata" || name == "bin" || strings.HasPrefix(name, ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, rel, src, parser.ParseComments)
		if err != nil {
			return err
		}
		pkg := "."
		if i := strings.LastIndexByte(rel, '/'); i >= 0 {
			pkg = rel[:i]
		}
		out = append(out, File{Path: rel, Pkg: pkg, Test: strings.HasSuffix(rel, "_test.go"), Lines: strings.Count(string(src), "\n"), Set: set, AST: f})
		return nil
	})
	return out, err
}

// Imports returns the import paths of a file.
func (f File) Imports() []string {
	var out []string
	for _, spec := range f.AST.Imports {
		out = append(out, strings.Trim(spec.Path.Value, `"`))
	}
	return out
}
