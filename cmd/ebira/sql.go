package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
)

// connFlags tell a client where to connect.
type connFlags struct {
	url, data, user, passwordFile string
	allowedDirs                   []string
}

func (f *connFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.url, "url", "", "server, as grpc://host:port or grpc+tls://host:port (default grpc://"+defaultListen+")")
	fl.StringVar(&f.data, "data", "", "data directory, for an embedded engine without a server")
	fl.StringVar(&f.user, "user", "", "user name")
	fl.StringVar(&f.passwordFile, "password-file", "", "file with the password")
	fl.StringSliceVar(&f.allowedDirs, "allowed-dirs", nil, "with --data: folders that COPY may use (default the current one)")
	fl.String("config", "", "TOML file with these flags")
}

func (f *connFlags) open(ctx context.Context) (conn, error) {
	password := ""
	if f.passwordFile != "" {
		b, err := os.ReadFile(f.passwordFile)
		if err != nil {
			return nil, fmt.Errorf("--password-file: %w", err)
		}
		password = strings.TrimRight(string(b), "\r\n")
	}
	return connect(ctx, f.url, f.data, f.user, password, f.allowedDirs)
}

func sqlCommand() *cobra.Command {
	var f connFlags
	var command, file, format string
	cmd := &cobra.Command{
		Use:   "sql",
		Short: "Run SQL: interactively, from -c or from a file",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := applyConfig(cmd); err != nil {
				return err
			}
			if command != "" && file != "" {
				return errors.New("give -c or -f, not both")
			}
			if _, err := newWriter(format, io.Discard); err != nil {
				return err
			}
			c, err := f.open(cmd.Context())
			if err != nil {
				return err
			}
			sh := &shell{conn: c, format: format, out: os.Stdout, terminal: term.IsTerminal(int(os.Stdout.Fd()))}
			err = sh.main(cmd.Context(), command, file)
			return errors.Join(err, c.close())
		},
	}
	f.add(cmd)
	cmd.Flags().StringVarP(&command, "command", "c", "", "SQL to run; several statements are separated by semicolons")
	cmd.Flags().StringVarP(&file, "file", "f", "", "file with SQL to run, - for standard input")
	cmd.Flags().StringVar(&format, "format", "table", "table, csv, json (one object per row) or arrow (IPC stream)")
	return cmd
}

// shell runs statements and prints their results.
type shell struct {
	conn     conn
	format   string
	out      io.Writer
	terminal bool
}

func (s *shell) main(ctx context.Context, command, file string) error {
	switch {
	case command != "":
		return s.script(ctx, command)
	case file == "-":
		text, err := io.ReadAll(os.Stdin)
		if err != nil {
			return err
		}
		return s.script(ctx, string(text))
	case file != "":
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return s.script(ctx, string(text))
	case !term.IsTerminal(int(os.Stdin.Fd())):
		text, err := io.ReadAll(os.Stdin)
		if err != nil {
			return err
		}
		return s.script(ctx, string(text))
	}
	return s.interactive(ctx)
}

// script runs the statements of a text and stops at the first error.
func (s *shell) script(ctx context.Context, text string) error {
	stmts, err := parse.Parse(text)
	if err != nil {
		return errors.New(sqlerr.Render(err, text))
	}
	for _, st := range stmts {
		if err := s.statement(ctx, st.SourceText()); err != nil {
			return err
		}
	}
	return nil
}

// statement runs one statement and prints its rows. On a terminal it also says how long it took; elsewhere only the result is printed.
func (s *shell) statement(ctx context.Context, sql string) error {
	start := time.Now()
	stop := s.progress(start)
	r, err := s.conn.run(ctx, sql)
	stop()
	if err != nil {
		return err
	}
	defer r.close()
	for _, n := range r.notices {
		fmt.Fprintln(os.Stderr, "notice:", n)
	}
	if r.schema == nil {
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

// progress shows on a terminal that a long statement still runs. The returned function ends it.
func (s *shell) progress(start time.Time) (stop func()) {
	if !s.terminal {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		t := time.NewTicker(500 * time.Millisecond)
		defer t.Stop()
		shown := false
		for {
			select {
			case <-t.C:
				fmt.Fprintf(os.Stderr, "\rrunning %s ", time.Since(start).Round(100*time.Millisecond))
				shown = true
			case <-done:
				if shown {
					fmt.Fprint(os.Stderr, "\r\x1b[K")
				}
				return
			}
		}
	}()
	return func() { close(done); <-ended }
}
