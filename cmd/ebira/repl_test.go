package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is the interactive shell on a pseudo terminal.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	seen safeBuffer
	mark int // how much of seen has been looked at
	done chan error
}

// newTerminal starts ebira sql on a pseudo terminal.
func newTerminal(t *testing.T, home string, args ...string) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo terminal here: %v", err)
	}
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 200}); err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, tty: master, done: make(chan error, 1)}
	x.cmd = exec.Command(binary, append([]string{"sql"}, args...)...)
	x.cmd.Dir = home
	x.cmd.Env = cleanEnv(home, "TERM=xterm")
	x.cmd.Stdin, x.cmd.Stdout, x.cmd.Stderr = slave, slave, slave
	x.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := x.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.cmd.Process.Kill(); master.Close() })
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			x.seen.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	go func() { x.done <- x.cmd.Wait() }()
	return x
}

// expect waits until the terminal shows a text after what was expected before.
func (x *terminal) expect(text string) {
	x.t.Helper()
	for end := time.Now().Add(deadline / 4); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if i := strings.Index(x.seen.String()[x.mark:], text); i >= 0 {
			x.mark += i + len(text)
			return
		}
	}
	x.t.Fatalf("the terminal does not show %q but\n%q", text, x.seen.String()[x.mark:])
}

func (x *terminal) send(keys string) {
	x.t.Helper()
	if _, err := x.tty.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// ends waits for the shell to end and returns its status.
func (x *terminal) ends() int {
	x.t.Helper()
	select {
	case <-x.done:
		return x.cmd.ProcessState.ExitCode()
	case <-time.After(deadline):
		x.t.Fatalf("the shell does not end; the terminal shows\n%q", x.seen.String()[x.mark:])
		return 0
	}
}

const endless = "SELECT count(*) AS n FROM numbers(100000000) a, numbers(100000) b WHERE (a.number * b.number) % 7 = 8;\r"

func TestInteractive(t *testing.T) {
	home := t.TempDir()
	x := newTerminal(t, home, "--data", "d")
	x.expect(`leave with \q`)
	x.expect("ebira> ")
	x.send("SELECT 1 AS one,\r")
	x.expect("   ... ")
	x.send("'a;' AS s;\r")
	x.expect("one | s\r\n----+---\r\n  1 | a;\r\n(1 rows, ")
	x.expect("ebira> ")
	// Several statements in one paste, and a semicolon inside quotes.
	x.send("SELECT 2 AS a;\rSELECT ';\r' AS b; -- done;\r")
	x.expect("a\r\n-\r\n2\r\n")
	x.expect("b\r\n---\r\n;\\n\r\n")
	x.expect("ebira> ")
	x.send("SELECT nope;\r")
	x.expect("error: not found: column nope does not exist (line 1, column 8)\r\nSELECT nope\r\n       ^\r\n")
	x.expect("ebira> ")
	x.send("SELECT +;\r")
	x.expect("error: syntax error")
	x.expect("SELECT +;\r\n        ^")
	x.expect("ebira> ")
	x.send(`\x` + "\r")
	x.expect(`known is \q`)
	x.expect("ebira> ")
	// Ctrl-C drops what is typed, and then cancels what runs; the shell goes on, each time.
	x.send("SELECT 99\r")
	x.expect("   ... ")
	x.send("\x03")
	x.expect("^C")
	x.expect("ebira> ")
	for range 2 {
		x.send(endless)
		x.expect("running ")
		x.send("\x03")
		x.expect("canceled")
		x.expect("ebira> ")
	}
	x.send("SELECT 3 AS c;\r")
	x.expect("c\r\n-\r\n3\r\n")
	x.expect("ebira> ")
	// Arrow up brings the last line back.
	x.send("\x1b[A\r")
	x.expect("c\r\n-\r\n3\r\n")
	x.expect("ebira> ")
	x.send("CREATE USER u\r")
	x.expect("   ... ")
	x.send("IDENTIFIED BY\r")
	x.expect("   ... ")
	x.send("'not-in-history';\r")
	x.expect("ok, ")
	x.expect("ebira> ")
	x.send(`\q` + "\r")
	if code := x.ends(); code != 0 {
		t.Errorf("status %d", code)
	}
	b, err := os.ReadFile(filepath.Join(home, ".ebira_history"))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(b); !strings.Contains(text, "SELECT 1 AS one,\n'a;' AS s;\n") || strings.Contains(text, "not-in-history") {
		t.Errorf("the history is\n%s", text)
	}
}

func TestInteractiveOverServer(t *testing.T) {
	home := t.TempDir()
	d := call{}.launch(t, "--data", filepath.Join(home, "d"))
	x := newTerminal(t, home, "--url", d.url)
	x.expect("ebira> ")
	x.send("CREATE TABLE t (a INT);\r")
	x.expect("ok, ")
	x.send("SET variant_total_order = true;\r")
	x.expect("ok, ")
	x.send("SHOW VARIABLES LIKE 'variant_total_order';\r")
	x.expect("| true")
	x.expect("ebira> ")
	x.send(endless)
	x.expect("running ")
	x.send("\x03")
	x.expect("canceled")
	x.expect("ebira> ")
	x.send("SELECT 7 AS seven;\r")
	x.expect("    7\r\n")
	x.expect("ebira> ")
	// SIGTERM ends the shell also while it waits for a line; end of file ends it with status 0.
	if err := x.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := x.ends(); code != 1 {
		t.Errorf("status after SIGTERM is %d, want 1", code)
	}
	x = newTerminal(t, home, "--url", d.url)
	x.expect("ebira> ")
	x.send("\x04")
	if code := x.ends(); code != 0 {
		t.Errorf("status after end of file is %d", code)
	}
	d.stop(t)
}

func TestEndsStatement(t *testing.T) {
	f := func(text string, want bool) {
		t.Helper()
		if got := endsStatement(text); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
	f("SELECT 1;\n", true)
	f("SELECT 1\n", false)
	f("SELECT 1; SELECT 2\n", false)
	f("SELECT ';\n", false)
	f("SELECT ';\n';\n", true)
	f("SELECT 'it''s;';\n", true)
	f("SELECT \"a;\n", false)
	f("SELECT `a;`;\n", true)
	f("SELECT 1; -- note\n", true)
	f("SELECT 1 -- note;\n", false)
	f("SELECT 1; /* a\n", false)
	f("SELECT 1; /* a; */\n", true)
	f("SELECT 1 /*/;\n", false)
	f("-- only a note;\n", false)
	f(";\n", true)
	f("'", false)
	f("'';", true)
	f("/*", false)
	f("", false)
}

func TestHistoryIsBounded(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	path := filepath.Join(home, ".ebira_history")
	write(t, path, strings.Repeat("old\n", 5000)+strings.Repeat("x", 1<<20)+"\n")
	a, b := openHistory(), openHistory()
	for i := range 600 {
		a.Add(fmt.Sprintf("a%d", i))
		b.Add(fmt.Sprintf("b%d", i))
	}
	a.Add(strings.Repeat("y", maxHistoryLine+1))
	a.Add("CREATE USER u IDENTIFIED BY 'p'")
	a.Add("  ")
	if a.At(0) != "a599" || a.Len() != maxHistory {
		t.Errorf("newest is %q of %d", a.At(0), a.Len())
	}
	a.save()
	b.save()
	b.save()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != maxHistory || lines[len(lines)-1] != "b599" || lines[0] != "a200" || lines[399] != "a599" || lines[400] != "b0" {
		t.Errorf("%d lines from %q to %q", len(lines), lines[0], lines[len(lines)-1])
	}
	if left, err := os.ReadDir(home); err != nil || len(left) != 1 {
		t.Errorf("the home has %v, error %v", left, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode of the history is %v, error %v", info.Mode(), err)
	}
}
