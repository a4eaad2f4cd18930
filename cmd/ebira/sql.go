package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/ebira-db/ebira/cache"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/vec"
)

// connFlags tell a client where to connect.
type connFlags struct {
	url, data, user, passwordFile, tlsCA string
	allowedDirs                          []string
}

func (f *connFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.url, "url", "", "server, as grpc://host:port or grpc+tls://host:port (default grpc://"+defaultListen+")")
	fl.StringVar(&f.data, "data", "", "data directory, for an embedded engine without a server")
	fl.StringVar(&f.user, "user", "", "user name")
	fl.StringVar(&f.passwordFile, "password-file", "", "file with the password")
	fl.StringVar(&f.tlsCA, "tls-ca", "", "PEM file with the certificates to trust of a grpc+tls server (default those of the machine)")
	fl.StringSliceVar(&f.allowedDirs, "allowed-dirs", nil, "with --data: folders that COPY may use (default the current one)")
	fl.String("config", "", "TOML file with these flags")
}

// configure fills the flags from the environment and the configuration file. Of --url and --data, one on the command line wins over the
// other from elsewhere.
func (f *connFlags) configure(cmd *cobra.Command) error {
	url, data := cmd.Flags().Changed("url"), cmd.Flags().Changed("data")
	if err := applyConfig(cmd); err != nil {
		return err
	}
	switch {
	case url && !data:
		f.data = ""
	case data && !url:
		f.url = ""
	case f.url != "" && f.data != "":
		return errors.New("give --url or --data, not both")
	}
	return nil
}

// open connects to the server of --url, or opens the data directory of --data.
func (f *connFlags) open(ctx context.Context) (conn, error) {
	if f.data != "" {
		return openEmbedded(f.data, f.allowedDirs)
	}
	password := ""
	if f.passwordFile != "" {
		b, err := os.ReadFile(f.passwordFile)
		if err != nil {
			return nil, fmt.Errorf("--password-file: %w", err)
		}
		password = strings.TrimRight(string(b), "\r\n")
	}
	url := f.url
	if url == "" {
		url = "grpc://" + defaultListen
	}
	return openFlight(ctx, url, f.user, password, f.tlsCA)
}

func sqlCommand() *cobra.Command {
	var f connFlags
	var src source
	var format string
	cmd := &cobra.Command{
		Use:   "sql",
		Short: "Run SQL: interactively, from -c or from a file",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.configure(cmd); err != nil {
				return err
			}
			src.hasCommand = cmd.Flags().Changed("command")
			if src.hasCommand && src.file != "" {
				return errors.New("give -c or -f, not both")
			}
			if _, err := newWriter(format, io.Discard); err != nil {
				return err
			}
			return runSQL(cmd.Context(), &f, &src, format)
		},
	}
	f.add(cmd)
	cmd.Flags().StringVarP(&src.command, "command", "c", "", "SQL to run; several statements are separated by semicolons")
	cmd.Flags().StringVarP(&src.file, "file", "f", "", "file with SQL to run, - for standard input")
	cmd.Flags().StringVar(&format, "format", "table", "table, csv, json (one object per row) or arrow (IPC stream)")
	return cmd
}

// runSQL connects and runs the statements of the source, or the interactive shell.
func runSQL(ctx context.Context, f *connFlags, src *source, format string) error {
	text, interactive, err := src.read()
	if err != nil {
		return err
	}
	if !interactive {
		var stop context.CancelFunc
		ctx, stop = untilSignal(ctx)
		defer stop()
	}
	c, err := f.open(ctx)
	if err != nil {
		return err
	}
	sh := &shell{conn: c, format: format, out: os.Stdout, terminal: term.IsTerminal(int(os.Stdout.Fd()))}
	if interactive {
		err = sh.interactive(ctx)
	} else {
		err = sh.script(ctx, text)
	}
	return errors.Join(err, c.close())
}

// source says where the SQL comes from.
type source struct {
	command, file string
	hasCommand    bool // -c was given, maybe with an empty text
}

// read returns the text to run; interactive is true where there is none and standard input is a terminal.
func (s *source) read() (text string, interactive bool, err error) {
	var b []byte
	switch {
	case s.hasCommand:
		return s.command, false, nil
	case s.file != "" && s.file != "-":
		b, err = os.ReadFile(s.file)
	case s.file == "" && term.IsTerminal(int(os.Stdin.Fd())):
		return "", true, nil
	default:
		b, err = io.ReadAll(os.Stdin)
	}
	return string(b), false, err
}

// shell runs statements and prints their results.
type shell struct {
	conn     conn
	format   string
	out      io.Writer
	terminal bool
}

// script runs the statements of a text and stops at the first error. A text with a syntax error anywhere does not run at all.
func (s *shell) script(ctx context.Context, text string) error {
	stmts, err := parse.Parse(text)
	if err != nil {
		return errors.New(sqlerr.Render(err, text))
	}
	for _, st := range stmts {
		if err := s.statement(ctx, st.SourceText()); err != nil {
			if line := 1 + strings.Count(text[:st.Pos()], "\n"); len(stmts) > 1 && line > 1 {
				return fmt.Errorf("statement at line %d: %w", line, err)
			}
			return err
		}
	}
	return nil
}

// statement runs one statement and prints its rows. On a terminal it also says how long it took; elsewhere only the result is printed.
func (s *shell) statement(ctx context.Context, sql string) error {
	start := time.Now()
	stop := sync.OnceFunc(s.progress(ctx, start))
	defer stop()
	r, err := s.conn.run(ctx, sql)
	if err != nil {
		return err
	}
	defer r.close()
	// Rows may come only after long work; the sign that it runs goes away before the first is printed.
	next := r.next
	r.next = func(ctx context.Context) (*vec.Batch, error) {
		b, err := next(ctx)
		stop()
		return b, err
	}
	for _, n := range r.notices {
		fmt.Fprintln(os.Stderr, "notice:", n)
	}
	if r.schema == nil {
		stop()
		s.footer("ok, %d rows affected, %s", r.affected, time.Since(start))
		return nil
	}
	w, err := newWriter(s.format, s.out)
	if err != nil {
		return err
	}
	n, err := printRows(ctx, r, w)
	if err == nil {
		s.footer("%d rows, %s", n, time.Since(start))
	}
	return err
}

func (s *shell) footer(format string, n any, took time.Duration) {
	if s.terminal {
		fmt.Fprintf(os.Stderr, "("+format+")\n", n, took.Round(100*time.Microsecond))
	}
}

// progress shows on a terminal how far a long statement is. The returned function ends it.
func (s *shell) progress(ctx context.Context, start time.Time) (stop func()) {
	if !s.terminal {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer cancel()
		t := time.NewTicker(500 * time.Millisecond)
		defer t.Stop()
		shown := false
		for {
			select {
			case <-t.C:
				fmt.Fprintf(os.Stderr, "\rrunning %s %s\x1b[K", time.Since(start).Round(100*time.Millisecond), howFar(ctx, s.conn))
				shown = true
			case <-done:
				if shown {
					fmt.Fprint(os.Stderr, "\r\x1b[K")
				}
				return
			}
		}
	}()
	return func() { cancel(); close(done); <-ended }
}

// howFar asks on the same connection what the session's statement has read; "" where nothing is known.
func howFar(ctx context.Context, c conn) string {
	r, err := c.run(ctx, "SELECT state, progress, rows_read, rows_total, bytes_read, bytes_total FROM system.queries WHERE own ORDER BY query_id LIMIT 1")
	if err != nil {
		return ""
	}
	defer r.close()
	b, err := r.next(ctx)
	if err != nil || b == nil || b.Len == 0 {
		return ""
	}
	number := func(col int) int64 { h, i := b.Cols[col].At(0); return vec.Slice[int64](h)[i] }
	h, i := b.Cols[0].At(0)
	if state := string(h.Bytes(i)); state != "running" {
		return state
	}
	h, i = b.Cols[1].At(0)
	percent := 100 * vec.Slice[float64](h)[i]
	switch {
	case number(3) > 0:
		return fmt.Sprintf("%.0f %%, %d of %d rows", percent, number(2), number(3))
	case number(5) > 0:
		return fmt.Sprintf("%.0f %%, %s of %s", percent, cache.FormatBytes(number(4)), cache.FormatBytes(number(5)))
	}
	return ""
}
