package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Bounds of the history file: the newest lines, none longer than maxHistoryLine bytes.
const (
	maxHistory     = 1000
	maxHistoryLine = 4096
)

// history is the lines typed, newest last, kept in a file in the user's home. It is safe for concurrent use.
type history struct {
	mu    sync.Mutex
	path  string
	lines []string // of the file and of this shell, at most maxHistory
	added []string // of this shell, at most maxHistory
	// secret says that the statement being typed has a password; its lines are not kept.
	secret bool
}

// openHistory reads the history file; without a home there is only the history of this shell.
func openHistory() *history {
	h := &history{}
	home, err := os.UserHomeDir()
	if err != nil {
		return h
	}
	h.path = filepath.Join(home, ".ebira_history")
	h.lines = h.read()
	return h
}

// read returns the newest lines of the file. A file that is not there or cannot be read is empty.
func (h *history) read() []string {
	b, err := os.ReadFile(h.path)
	if err != nil {
		return nil
	}
	var lines []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimRight(line, "\n"); line != "" && len(line) <= maxHistoryLine {
			lines = append(lines, line)
		}
	}
	return newest(lines)
}

func newest(lines []string) []string { return lines[max(len(lines)-maxHistory, 0):] }

// hasSecret tells whether a statement may hold a password.
func hasSecret(sql string) bool {
	sql = strings.ToUpper(sql)
	return strings.Contains(sql, "IDENTIFIED") || strings.Contains(sql, "PASSWORD")
}

// Add appends a line. Lines with passwords and very long ones are not kept.
func (h *history) Add(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if strings.TrimSpace(line) == "" || len(line) > maxHistoryLine || h.secret || hasSecret(line) {
		return
	}
	h.lines = newest(append(h.lines, line))
	h.added = newest(append(h.added, line))
}

// Len returns the number of lines.
func (h *history) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.lines)
}

// At returns a line, 0 being the newest.
func (h *history) At(i int) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lines[len(h.lines)-1-i]
}

// save appends this shell's lines to those that the file has by now, since other shells may have written it, and replaces the file.
func (h *history) save() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.path == "" || len(h.added) == 0 {
		return
	}
	text := strings.Join(newest(append(h.read(), h.added...)), "\n") + "\n"
	h.added = nil
	tmp := fmt.Sprintf("%s.%d.tmp", h.path, os.Getpid())
	err := os.WriteFile(tmp, []byte(text), 0o600)
	if err == nil {
		err = os.Rename(tmp, h.path)
	}
	if err != nil {
		os.Remove(tmp)
		fmt.Fprintln(os.Stderr, "history not saved:", err)
	}
}
