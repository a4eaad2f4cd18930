package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestPrecedence checks the order of flag, environment, configuration file and default.
func TestPrecedence(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "ebira.toml"), "data = \"from-file\"\nallowed_dirs = [\""+dir+"\", \""+other+"\"]\nthreads = 2\nmemory-limit = \"512MiB\"\n")
	f := func(want string, env []string, args ...string) {
		t.Helper()
		d := call{dir: dir, env: env}.launch(t, args...)
		if !strings.HasPrefix(d.ready, "ready: data "+want+",") {
			t.Errorf("ready line is %q, want data %s", d.ready, want)
		}
		d.stop(t)
	}
	f("./ebira-data", nil)
	f("from-file", nil, "--config", "ebira.toml")
	f("from-file", []string{"EBIRA_CONFIG=ebira.toml"})
	f("from-env", []string{"EBIRA_DATA=from-env"}, "--config", "ebira.toml")
	f("from-flag", []string{"EBIRA_DATA=from-env"}, "--config", "ebira.toml", "--data", "from-flag")

	write(t, filepath.Join(dir, "in.ndjson"), "{\"a\":1}\n")
	d := call{dir: dir}.launch(t, "--config", "ebira.toml")
	d.sql(t, "CREATE TABLE t (a INT); COPY INTO t FROM '"+dir+"/in.ndjson' FILE_FORMAT = (TYPE = NDJSON)")
	d.stop(t)
	d = call{dir: dir, env: []string{"EBIRA_ALLOWED_DIRS=" + other + "," + dir}}.launch(t, "--data", "from-file")
	d.sql(t, "COPY INTO t FROM '"+dir+"/in.ndjson' FILE_FORMAT = (TYPE = NDJSON) FORCE = TRUE")
	equal(t, d.sql(t, "SELECT count(*) AS n FROM t"), "n\n2\n")

	// A client's --url on the command line wins over EBIRA_DATA, and the other way round.
	c := call{dir: dir, env: []string{"EBIRA_DATA=elsewhere", "EBIRA_FORMAT=csv"}}
	equal(t, c.ok(t, "sql", "--url", d.url, "-c", "SELECT count(*) AS n FROM t"), "n\n2\n")
	c = call{dir: dir, env: []string{"EBIRA_URL=" + d.url, "EBIRA_FORMAT=json"}}
	equal(t, c.ok(t, "sql", "-c", "SELECT count(*) AS n FROM t"), "{\"n\":2}\n")
	equal(t, c.ok(t, "sql", "--data", "elsewhere", "-c", "SELECT 1 AS n"), "{\"n\":1}\n")
	d.stop(t)
}

func TestConfigErrors(t *testing.T) {
	dir := t.TempDir()
	c := call{dir: dir}
	f := func(toml string, want ...string) {
		t.Helper()
		write(t, filepath.Join(dir, "c.toml"), toml)
		c.fails(t, want, "serve", "--config", "c.toml")
	}
	f("dada = 1\n", "config file c.toml: unknown key dada", "ebira serve --help")
	f("data = \n", "config file c.toml")
	f("threads = \"many\"\n", "config file c.toml: --threads", "many")
	f("memory-limit = \"lots\"\n", "config file c.toml: --memory-limit", `"lots" is not a size`)
	c.fails(t, []string{"allowed folder /nowhere is not a folder"}, "serve", "--allowed-dirs", "/nowhere")
	c.fails(t, []string{"config file none.toml", "no such file"}, "serve", "--config", "none.toml")
	c.env = []string{"EBIRA_THREADS=x"}
	c.fails(t, []string{"environment: --threads"}, "serve")
}

func TestByteSize(t *testing.T) {
	f := func(in string, want int64) {
		t.Helper()
		var b byteSize
		err := b.Set(in)
		if want < 0 {
			if err == nil {
				t.Errorf("%q: %d, want an error", in, b)
			}
			return
		}
		if err != nil || int64(b) != want {
			t.Errorf("%q: %d, %v; want %d", in, b, err, want)
		}
	}
	f("8GiB", 8<<30)
	f("8gib", 8<<30)
	f("500MB", 500_000_000)
	f("1.5 KiB", 1536)
	f("123", 123)
	f("7B", 7)
	f("2TiB", 2<<40)
	f("0", 0)
	f("", -1)
	f("-1", -1)
	f("nan", -1)
	f("inf", -1)
	f("1e30", -1)
	f("8GiBB", -1)
	f("GiB", -1)
}
