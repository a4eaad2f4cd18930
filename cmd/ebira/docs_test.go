package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block is a fenced piece of code of a page.
type block struct {
	language, text string
	line           int
}

// blocks returns the fenced pieces of a page that name their language.
func blocks(page string) []block {
	var out []block
	var b *block
	for i, line := range strings.Split(page, "\n") {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && b == nil:
			b = &block{language: fence, line: i + 1}
		case isFence:
			if b.language != "" {
				out = append(out, *b)
			}
			b = nil
		case b != nil:
			b.text += line + "\n"
		}
	}
	return out
}

// TestPages runs the examples of the README and the docs as a reader would: from the root of a checkout, a page's examples one after the
// other.
func TestPages(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	pages := []string{filepath.Join(root, "README.md")}
	err = filepath.WalkDir(filepath.Join(root, "docs"), func(path string, _ fs.DirEntry, err error) error {
		// The commands of these pages measure for many minutes.
		measures := filepath.Base(path) == "PERFORMANCE.md" || filepath.Base(path) == "BENCHMARKS.md"
		if strings.HasSuffix(path, ".md") && !measures {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	ran := map[string]int{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(root, page)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { newReader(t, root).page(blocks(string(text)), ran) })
	}
	if ran["sh"] < 3 || ran["sql"] < 1 {
		t.Errorf("only these examples were found and run: %v", ran)
	}
}

// reader follows a page in a folder that looks like a checkout after 'make build'.
type reader struct {
	t         *testing.T
	root, dir string
	address   string // of the server that the page has started
}

const defaultAddress = "127.0.0.1:31337"

// newReader makes the folder. Its make does what the targets do that a page may name, without building or testing again.
func newReader(t *testing.T, root string) *reader {
	t.Helper()
	r := &reader{t: t, root: root, dir: t.TempDir()}
	sample, err := os.ReadFile(filepath.Join(root, "samples", "events.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(r.dir, "samples", "events.ndjson"), string(sample))
	write(t, filepath.Join(r.dir, "tools", "make"), "#!/bin/sh\ncase \"$1\" in\nbuild | test | bench) exit 0 ;;\ndemo) exec bin/ebira demo ;;\nesac\necho \"make: no target $1\" >&2\nexit 2\n")
	if err := os.Chmod(filepath.Join(r.dir, "tools", "make"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(r.dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(binary, filepath.Join(r.dir, "bin", "ebira")); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *reader) page(list []block, ran map[string]int) {
	for _, b := range list {
		switch b.language {
		case "sh":
			r.shell(b)
		case "sql":
			c := call{dir: r.dir, stdin: b.text}
			if out, errs, code := c.run(r.t, "sql", "--data", filepath.Join(r.t.TempDir(), "d")); code != 0 || errs != "" {
				r.t.Errorf("line %d: status %d\n%s%s", b.line, code, out, errs)
			}
		case "python":
			r.t.Run("python", func(t *testing.T) { r.python(t, b) })
		case "text":
			continue
		default:
			r.t.Errorf("line %d: no way is known to run a block of %q", b.line, b.language)
			continue
		}
		ran[b.language]++
	}
}

// targets are what a page may call of the Makefile.
var targets = regexp.MustCompile(`(?m)^([a-z]+)(?:\s[a-z]+)*:`)

// shell runs the lines of a block. A line that starts a server goes on while the rest of the page is followed, as in another terminal.
func (r *reader) shell(b block) {
	var lines []string
	for _, line := range strings.Split(strings.ReplaceAll(b.text, "\\\n", " "), "\n") {
		if args, ok := strings.CutPrefix(strings.TrimSpace(line), "bin/ebira serve "); ok {
			r.run(b, "sh", "-euc", strings.Join(lines, "\n"))
			lines = nil
			d := call{dir: r.dir}.launch(r.t, strings.Fields(args)...)
			r.t.Cleanup(func() { d.stop(r.t) })
			r.address = strings.TrimPrefix(d.url, "grpc://")
			continue
		}
		if target, ok := strings.CutPrefix(line, "make "); ok {
			r.checkTarget(b, strings.Fields(target)[0])
		}
		lines = append(lines, line)
	}
	out := r.run(b, "sh", "-euc", strings.Join(lines, "\n"))
	if strings.Contains(b.text, "v['kind']") {
		r.checkKinds(b, out)
	}
}

// checkKinds looks for the groups that the README's query finds in the sample.
func (r *reader) checkKinds(b block, out string) {
	r.t.Helper()
	for _, kind := range []string{"kind", "error", "search", "view"} {
		if !strings.Contains(out, kind) {
			r.t.Errorf("line %d: the result lacks %q:\n%s", b.line, kind, out)
		}
	}
}

func (r *reader) checkTarget(b block, name string) {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.root, "Makefile"))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, m := range targets.FindAllSubmatch(text, -1) {
		if string(m[1]) == name {
			return
		}
	}
	r.t.Errorf("line %d: the Makefile has no target %s", b.line, name)
}

// run runs a program in the folder, with the page's server in place of the default address.
func (r *reader) run(b block, name string, args ...string) string {
	r.t.Helper()
	env := []string{"PATH=" + filepath.Join(r.dir, "tools") + string(os.PathListSeparator) + os.Getenv("PATH")}
	if r.address != "" {
		env = append(env, "EBIRA_URL=grpc://"+r.address)
	}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = r.dir
	cmd.Env = cleanEnv(r.dir, env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		r.t.Errorf("line %d: %v\n%s\n%s", b.line, err, b.text, out.String())
	}
	return out.String()
}

// python runs a block with the interpreter that has the ADBC driver.
func (r *reader) python(t *testing.T, b block) {
	candidates := []string{os.Getenv("EBIRA_PYTHON"), filepath.Join(r.root, ".venv", "bin", "python"), "python3"}
	for _, py := range candidates {
		if py == "" || exec.Command(py, "-c", "import adbc_driver_flightsql.dbapi, pyarrow").Run() != nil {
			continue
		}
		text := strings.ReplaceAll(b.text, defaultAddress, r.address)
		r.checkKinds(b, r.run(b, py, "-c", text))
		return
	}
	t.Skip("the Python example is not run: no python here has adbc_driver_flightsql and pyarrow ('make test' puts them into .venv; EBIRA_PYTHON names another)")
}
