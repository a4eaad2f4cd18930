package sqltest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/session"
	"github.com/ebira-db/ebira/sql/function"
)

// chapters are the headings of the page of functions by group, in order.
var chapters = [][2]string{
	{"operator", "Operators"}, {"condition", "Conditions"}, {"number", "Numbers"}, {"text", "Text"}, {"time", "Dates and times"}, {"array", "Arrays"},
	{"map", "Maps"}, {"struct", "Structs"}, {"variant", "VARIANT and JSON"}, {"network", "Addresses"}, {"system", "System"},
	{"aggregate", "Aggregates"}, {"window", "Window functions"},
}

const functionsIntro = `# Functions

Written by a test from the catalogue of the engine, which is also the table ` + "`system.functions`" + `; every example is run. ` + "`T`" + ` stands for the common type
of all arguments declared so, ` + "`first`" + ` for the type of the first argument, ` + "`any`" + ` for every type, ` + "`number`" + ` and ` + "`integer`" + ` for every such type; ` + "`[x]`" + ` may be left
out, ` + "`[x...]`" + ` may be repeated. A VARIANT is taken wherever a scalar is. A function of which an argument is NULL gives NULL unless it says otherwise.
Names match without regard to case.
`

// TestFunctionsPage runs the example of every function and compares docs/FUNCTIONS.md with what the catalogue says; -rewrite writes it.
func TestFunctionsPage(t *testing.T) {
	e, err := openInProcess(session.Config{Dir: filepath.Join(t.TempDir(), "data"), NoBackground: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	names := map[string][]string{}
	for _, f := range function.Names() {
		main := f.AliasOf
		if main == "" {
			main = f.Name
		}
		names[main] = append(names[main], f.Name)
	}
	var page strings.Builder
	page.WriteString(functionsIntro)
	for _, chapter := range chapters {
		fmt.Fprintf(&page, "\n## %s\n\n| function | what it gives | example |\n|---|---|---|\n", chapter[1])
		for _, f := range function.Names() {
			if f.Group == chapter[0] && f.AliasOf == "" {
				page.WriteString(functionLine(t, e, f, names[f.Name]))
			}
		}
	}
	for _, f := range function.Names() {
		if f.AliasOf == "" && !strings.Contains(page.String(), "`"+strings.ReplaceAll(f.Signatures[0], "|", "\\|")) {
			t.Errorf("%s of group %s is not on the page", f.Name, f.Group)
		}
	}
	path := filepath.Join("..", "docs", "FUNCTIONS.md")
	if *rewrite {
		if err := os.WriteFile(path, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, want := strings.Split(page.String(), "\n"), strings.Split(string(have), "\n")
	for i, line := range got {
		if i >= len(want) || want[i] != line {
			t.Fatalf("docs/FUNCTIONS.md is not what the catalogue says (go test ./sqltest -run TestFunctionsPage -args -rewrite); first difference:\n%s", line)
		}
	}
	if len(want) != len(got) {
		t.Errorf("docs/FUNCTIONS.md has lines that the catalogue does not have")
	}
}

// functionLine runs the example of a function and returns its row of the table.
func functionLine(t *testing.T, e *inProcess, f function.Info, names []string) string {
	t.Helper()
	switch {
	case f.About == "" || len(f.Signatures) == 0:
		t.Errorf("%s is not described", f.Name)
	case f.Example == "":
		t.Errorf("%s has no example in sql/function/examples.txt", f.Name)
		return ""
	}
	table, err := e.Run("SELECT " + f.Example)
	if err != nil {
		t.Errorf("%s: %v", f.Name, err)
		return ""
	}
	code := func(s string) string { return "`" + strings.ReplaceAll(s, "|", "\\|") + "`" }
	var what []string
	for _, s := range f.Signatures {
		what = append(what, code(s))
	}
	for _, n := range names {
		if n != f.Name {
			what = append(what, "= "+code(n))
		}
	}
	example := code(f.Example)
	if !f.Varies {
		var rows []string
		for _, r := range table.Rows {
			rows = append(rows, strings.Join(r, " \\| "))
		}
		result := strings.Join(rows, "; ")
		if result == "" {
			result = "''"
		}
		example += " → " + strings.NewReplacer("<", "&lt;", "\n", "<br>").Replace(result)
	}
	return "| " + strings.Join(what, "<br>") + " | " + f.About + " | " + example + " |\n"
}
