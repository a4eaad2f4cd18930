package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"github.com/ebira-db/ebira/sql/parse"
)

// maxHistory is how many lines are kept in the history file.
const maxHistory = 1000

// interactive reads statements from the terminal until \q or end of file. A statement ends with a semicolon.
func (s *shell) interactive(ctx context.Context) error {
	fmt.Println("Ebira", version, `- end statements with ; and leave with \q`)
	history := openHistory()
	defer history.save()
	var pending strings.Builder
	for {
		prompt := "ebira> "
		if pending.Len() > 0 {
			prompt = "   ... "
		}
		line, err := readLine(prompt, history)
		if errors.Is(err, io.EOF) {
			fmt.Println()
			return nil
		}
		if err != nil {
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
		text := strings.TrimSpace(pending.String())
		if text == "" || !strings.HasSuffix(text, ";") {
			continue
		}
		pending.Reset()
		s.runInteractive(ctx, text)
	}
}

// runInteractive runs the statements of a text; Ctrl-C cancels them and not the shell.
func (s *shell) runInteractive(ctx context.Context, text string) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	stmts, err := parse.Parse(text)
	if err == nil {
		for _, st := range stmts {
			if err = s.statement(ctx, st.SourceText()); err != nil {
				break
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
	}
}

// readLine reads a line with editing and history.
func readLine(prompt string, h *history) (string, error) {
	fd := int(os.Stdin.Fd())
	old, err := term.MakeRaw(fd)
	if err != nil {
		return "", err
	}
	defer term.Restore(fd, old)
	t := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{os.Stdin, os.Stdout}, prompt)
	t.History = h
	if w, height, err := term.GetSize(fd); err == nil {
		_ = t.SetSize(w, height)
	}
	line, err := t.ReadLine()
	if errors.Is(err, term.ErrPasteIndicator) {
		err = nil
	}
	return line, err
}

// history is the lines typed, newest last, kept in a file in the user's home.
type history struct {
	path  string
	lines []string
}

func openHistory() *history {
	h := &history{}
	home, err := os.UserHomeDir()
	if err != nil {
		return h
	}
	h.path = filepath.Join(home, ".ebira_history")
	f, err := os.Open(h.path)
	if err != nil {
		return h
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		h.lines = append(h.lines, sc.Text())
	}
	return h
}

// Add appends a line. Lines with passwords are not kept.
func (h *history) Add(line string) {
	if strings.TrimSpace(line) == "" || strings.Contains(strings.ToUpper(line), "IDENTIFIED") {
		return
	}
	h.lines = append(h.lines, line)
}

// Len returns the number of lines.
func (h *history) Len() int { return len(h.lines) }

// At returns a line, 0 being the newest.
func (h *history) At(i int) string { return h.lines[len(h.lines)-1-i] }

func (h *history) save() {
	if h.path == "" {
		return
	}
	lines := h.lines
	if len(lines) > maxHistory {
		lines = lines[len(lines)-maxHistory:]
	}
	if err := os.WriteFile(h.path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, "history not saved:", err)
	}
}
