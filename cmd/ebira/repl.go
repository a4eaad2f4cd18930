package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
)

// interactive reads statements from the terminal until \q or end of file. A statement ends with a semicolon at the end of a line. Ctrl-C
// drops the statement that is being typed, or cancels the one that runs.
func (s *shell) interactive(ctx context.Context) error {
	fmt.Println("Ebira", version, `- end statements with ; and leave with \q`)
	in := &lineReader{fd: int(os.Stdin.Fd()), history: openHistory()}
	in.renew()
	defer in.history.save()
	defer in.leaveOnSignal()()
	var pending strings.Builder
	for {
		in.history.secret = hasSecret(pending.String())
		prompt := "ebira> "
		if pending.Len() > 0 {
			prompt = "   ... "
		}
		line, err := in.line(prompt)
		switch {
		case errors.Is(err, errInterrupted):
			fmt.Println("^C")
			pending.Reset()
			continue
		case errors.Is(err, io.EOF):
			fmt.Println()
			return nil
		case err != nil:
			return err
		}
		if pending.Len() == 0 && strings.HasPrefix(strings.TrimSpace(line), `\`) {
			if strings.TrimSpace(line) == `\q` {
				return nil
			}
			fmt.Fprintln(os.Stderr, `known is \q`)
			continue
		}
		pending.WriteString(line + "\n")
		if text := pending.String(); strings.TrimSpace(text) == "" || endsStatement(text) {
			pending.Reset()
			s.runInteractive(ctx, text)
		}
	}
}

// runInteractive runs the statements of a text; Ctrl-C cancels them and not the shell.
func (s *shell) runInteractive(ctx context.Context, text string) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	stmts, err := parse.Parse(text)
	if err != nil {
		err = errors.New(sqlerr.Render(err, text))
	}
	for _, st := range stmts {
		if err = s.statement(ctx, st.SourceText()); err != nil {
			break
		}
	}
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "canceled")
	case err != nil:
		fmt.Fprintln(os.Stderr, "error:", err)
	}
}

// endsStatement tells whether a text ends with a semicolon that is not inside quotes or a comment.
func endsStatement(text string) bool {
	ended := false
	for i := 0; i < len(text); {
		rest := text[i:]
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			i++
		case strings.HasPrefix(rest, "--"):
			i += through(rest, "\n", 2)
		case strings.HasPrefix(rest, "/*"):
			n := through(rest, "*/", 2)
			if !strings.HasSuffix(rest[2:n], "*/") {
				return false
			}
			i += n
		case c == '\'' || c == '"' || c == '`':
			// A doubled quote reads as two texts side by side, which ends at the same place.
			n := through(rest, string(c), 1)
			if n < 2 || rest[n-1] != c {
				return false
			}
			i += n
			ended = false
		default:
			ended = c == ';'
			i++
		}
	}
	return ended
}

// through returns the length of s up to and with the first end after skip bytes, or of all of s.
func through(s, end string, skip int) int {
	if n := strings.Index(s[skip:], end); n >= 0 {
		return skip + n + len(end)
	}
	return len(s)
}

// errInterrupted says that Ctrl-C was typed at the prompt.
var errInterrupted = errors.New("interrupted")

// ctrlC is the byte that a terminal in raw mode sends for Ctrl-C.
const ctrlC = 3

// lineReader reads lines from a terminal with editing and history. The terminal is in raw mode only while a line is read.
type lineReader struct {
	fd          int
	term        *term.Terminal
	history     *history
	old         *term.State // the mode to restore
	interrupted bool        // Ctrl-C was read
}

// Read reads keys and remembers Ctrl-C, which term.Terminal does not tell from the end of the file.
func (r *lineReader) Read(b []byte) (int, error) {
	n, err := os.Stdin.Read(b)
	for _, c := range b[:n] {
		r.interrupted = r.interrupted || c == ctrlC
	}
	return n, err
}

// Write writes to the terminal.
func (r *lineReader) Write(b []byte) (int, error) { return os.Stdout.Write(b) }

// renew forgets what is typed.
func (r *lineReader) renew() {
	r.term = term.NewTerminal(r, "")
	r.term.History = r.history
	r.interrupted = false
}

// line reads one line. It returns errInterrupted for Ctrl-C and io.EOF for Ctrl-D on an empty line.
func (r *lineReader) line(prompt string) (string, error) {
	var err error
	if r.old, err = term.MakeRaw(r.fd); err != nil {
		return "", err
	}
	defer term.Restore(r.fd, r.old)
	if w, h, err := term.GetSize(r.fd); err == nil && w > 0 && h > 0 {
		if err := r.term.SetSize(w, h); err != nil {
			return "", err
		}
	}
	r.term.SetPrompt(prompt)
	line, err := r.term.ReadLine()
	if errors.Is(err, term.ErrPasteIndicator) {
		err = nil
	}
	if errors.Is(err, io.EOF) && r.interrupted {
		r.renew()
		return "", errInterrupted
	}
	return line, err
}

// leaveOnSignal restores the terminal and saves the history when the process is asked to end. The returned function stops that.
func (r *lineReader) leaveOnSignal() (stop func()) {
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGTERM, syscall.SIGHUP)
	mode, err := term.GetState(r.fd)
	go func() {
		if _, ok := <-ch; !ok {
			return
		}
		if err == nil {
			_ = term.Restore(r.fd, mode)
		}
		r.history.save()
		os.Exit(1)
	}()
	return func() { signal.Stop(ch); close(ch) }
}
