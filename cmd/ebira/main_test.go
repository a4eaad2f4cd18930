package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// binary is the program under test, built once. EBIRA_BINARY names one that is built already.
var binary = os.Getenv("EBIRA_BINARY")

func TestMain(m *testing.M) {
	if binary != "" {
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "ebira-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary = filepath.Join(dir, "ebira")
	build := exec.Command("go", "build", "-ldflags", "-s -w -X main.version=v1.2.3", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// deadline ends a child that hangs; no test waits for it.
const deadline = 2 * time.Minute

// call is one run of the program.
type call struct {
	dir   string   // working directory; empty means a new one
	stdin string   // standard input
	env   []string // besides a clean environment
}

// cleanEnv is the environment without the settings of the program, with a home of its own.
func cleanEnv(home string, more ...string) []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, envPrefix) && !strings.HasPrefix(e, "HOME=") {
			env = append(env, e)
		}
	}
	return append(append(env, "HOME="+home), more...)
}

// run runs the program to its end.
func (c call) run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	if c.dir == "" {
		c.dir = t.TempDir()
	}
	cmd := exec.Command(binary, args...)
	cmd.Dir = c.dir
	cmd.Env = cleanEnv(c.dir, c.env...)
	cmd.Stdin = strings.NewReader(c.stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(deadline, func() { cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// ok runs the program, which must end with status 0 and say nothing on standard error, and returns its output.
func (c call) ok(t *testing.T, args ...string) string {
	t.Helper()
	out, errs, code := c.run(t, args...)
	if code != 0 || errs != "" {
		t.Fatalf("ebira %q: status %d\n%s%s", args, code, out, errs)
	}
	return out
}

// fails runs the program, which must end with status 1, and checks that standard error has each of the texts.
func (c call) fails(t *testing.T, want []string, args ...string) string {
	t.Helper()
	out, errs, code := c.run(t, args...)
	if code != 1 {
		t.Fatalf("ebira %q: status %d, want 1\n%s%s", args, code, out, errs)
	}
	for _, w := range want {
		if !strings.Contains(errs, w) {
			t.Errorf("ebira %q: the message lacks %q:\n%s", args, w, errs)
		}
	}
	return out
}

// safeBuffer collects what a running child says.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// daemon is a running ebira serve.
type daemon struct {
	cmd   *exec.Cmd
	ready string // the ready line
	url   string
	log   safeBuffer
	done  chan error // gets the result of Wait
}

var readyURL = regexp.MustCompile(`^ready: data .*Python adbc_driver_flightsql\.dbapi\.connect\("([^"]+)"\), JDBC jdbc:arrow-flight-sql://([0-9.:]+)/\?useEncryption=(true|false)\n$`)

// launch starts ebira serve on a free port and waits for the ready line. The test's end kills it.
func (c call) launch(t *testing.T, args ...string) *daemon {
	t.Helper()
	d, err := c.start(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (c call) start(t *testing.T, args ...string) (*daemon, error) {
	t.Helper()
	if c.dir == "" {
		c.dir = t.TempDir()
	}
	d := &daemon{done: make(chan error, 1)}
	d.cmd = exec.Command(binary, append([]string{"serve"}, args...)...)
	d.cmd.Dir = c.dir
	d.cmd.Env = cleanEnv(c.dir, append([]string{"EBIRA_LISTEN=127.0.0.1:0"}, c.env...)...)
	d.cmd.Stderr = &d.log
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	t.Cleanup(func() { d.cmd.Process.Kill() })
	timer := time.AfterFunc(deadline, func() { d.cmd.Process.Kill() })
	d.ready, err = bufio.NewReader(out).ReadString('\n')
	timer.Stop()
	go func() { d.done <- d.cmd.Wait() }()
	m := readyURL.FindStringSubmatch(d.ready)
	if m == nil {
		d.cmd.Process.Kill()
		<-d.done
		return nil, fmt.Errorf("no ready line but %q (%v)\n%s", d.ready, err, d.log.String())
	}
	d.url = m[1]
	return d, nil
}

// stop sends SIGTERM; the server must end with status 0.
func (d *daemon) stop(t *testing.T) {
	t.Helper()
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-d.done:
		if err != nil {
			t.Fatalf("after SIGTERM: %v\n%s", err, d.log.String())
		}
	case <-time.After(deadline):
		t.Fatalf("the server did not end after SIGTERM\n%s", d.log.String())
	}
}

// sql runs statements on the server and returns the result as CSV.
func (d *daemon) sql(t *testing.T, sql string) string {
	t.Helper()
	return call{}.ok(t, "sql", "--url", d.url, "--format", "csv", "-c", sql)
}

// equal compares texts line by line.
func equal(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestVersionAndHelp(t *testing.T) {
	out := call{}.ok(t, "--version")
	if !regexp.MustCompile(`^ebira \S+ \(go1\.\S+, [a-z]+/[a-z0-9]+\)\n$`).MatchString(out) {
		t.Errorf("version is %q", out)
	}
	help := call{}.ok(t, "--help")
	for _, cmd := range []string{"serve", "sql", "load", "demo", "samples"} {
		if !strings.Contains(help, "\n  "+cmd+" ") {
			t.Errorf("the help lacks %s:\n%s", cmd, help)
		}
	}
	call{}.fails(t, []string{`unknown command "servee"`}, "servee")
	call{}.fails(t, []string{"unknown flag: --datta"}, "serve", "--datta", "x")
}
