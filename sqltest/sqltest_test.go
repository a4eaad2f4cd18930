package sqltest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/session"
)

// configuration is a way to run that must not change answers.
type configuration struct {
	name  string
	edit  func(*session.Config)
	setup []string
	// perturb is done after every statement.
	perturb func(*inProcess) error
	// flight runs through a server and a client.
	flight bool
	// anyOrder says that rows may come in another order where the query gives none.
	anyOrder bool
}

var configurations = []configuration{
	{name: "plain"},
	{name: "over flight", flight: true},
	{name: "small batches, no delta, no optimizer", edit: func(c *session.Config) { c.DeltaRows = -1; c.Threads = 8 },
		setup: []string{"SET batch_rows = 3", "SET disabled_optimizer_rules = 'all'", "SET enable_pruning = false"}},
	{name: "forced spill", edit: func(c *session.Config) { c.DeltaRows = -1 }, setup: []string{"SET batch_rows = 5", "SET force_spill = true"}, anyOrder: true},
	{name: "small query memory", setup: []string{"SET max_query_memory = 8000000"}, anyOrder: true},
	{name: "flush always", perturb: func(e *inProcess) error { return e.Flush() }},
	{name: "no caches, compact always", setup: []string{"SET GLOBAL segment_cache_memory_percentage = 0"}, perturb: func(e *inProcess) error {
		if err := e.Flush(); err != nil {
			return err
		}
		return e.Compact()
	}},
}

// perturbed does something after every statement that must not matter.
type perturbed struct {
	*inProcess
	after func(*inProcess) error
}

func (p perturbed) Run(sql string) (Table, error) {
	t, err := p.inProcess.Run(sql)
	if err == nil && p.after != nil {
		err = p.after(p.inProcess)
	}
	return t, err
}

// TestFiles runs every .slt file under every configuration. EBIRA_SLT selects files whose path contains it.
func TestFiles(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	files := sltFiles(t)
	for _, c := range configurations {
		if *rewrite && c.name != "plain" {
			continue
		}
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			for _, f := range files {
				t.Run(strings.TrimSuffix(filepath.ToSlash(f), ".slt"), func(t *testing.T) { runUnder(t, c, root, f) })
			}
		})
	}
}

func sltFiles(t *testing.T) []string {
	var files []string
	err := filepath.WalkDir("testdata", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".slt") && strings.Contains(path, os.Getenv("EBIRA_SLT")) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func runUnder(t *testing.T, c configuration, root, file string) {
	tmp := t.TempDir()
	files := filepath.Join(tmp, "files")
	if err := os.Mkdir(files, 0o755); err != nil {
		t.Fatal(err)
	}
	config := session.Config{Dir: filepath.Join(tmp, "data"), AllowedDirs: []string{files}, NoBackground: true, Threads: 2, MemoryLimit: 1 << 30}
	shared := Shared(root)
	if shared != "" {
		config.AllowedDirs = append(config.AllowedDirs, shared)
	}
	if c.edit != nil {
		c.edit(&config)
	}
	e, closeEngine := openUnder(t, c, config)
	defer func() {
		if err := closeEngine(); err != nil {
			t.Error(err)
		}
	}()
	r := &Runner{Engine: e, Vars: map[string]string{"TMP": files, "SHARED": shared}, Requires: map[string]bool{"shared": shared != ""}, AnyOrder: c.anyOrder}
	r.RunFile(t, file)
}

func openUnder(t *testing.T, c configuration, config session.Config) (Engine, func() error) {
	if c.flight {
		e, err := openFlight(config)
		if err != nil {
			t.Fatal(err)
		}
		return e, e.Close
	}
	e, err := openInProcess(config, c.setup...)
	if err != nil {
		t.Fatal(err)
	}
	return perturbed{e, c.perturb}, e.Close
}
