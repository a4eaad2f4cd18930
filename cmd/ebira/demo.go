package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func demoCommand() *cobra.Command {
	var keep bool
	var dir string
	cmd := &cobra.Command{
		Use:   "demo [FILE...]",
		Short: "Start a server on a temporary directory, load sample files (or yours) and show a tour of queries",
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := untilSignal(cmd.Context())
			defer stop()
			return demo(ctx, cmd.OutOrStdout(), args, dir, keep)
		},
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "keep the server running after the tour, and the data directory")
	cmd.Flags().StringVar(&dir, "data", "", "data directory to use instead of a temporary one")
	return cmd
}

// demo runs the whole tour against a real server over Flight.
func demo(ctx context.Context, out io.Writer, files []string, dir string, keep bool) (err error) {
	base := dir
	if base == "" {
		if base, err = os.MkdirTemp("", "ebira-demo-"); err != nil {
			return err
		}
		if !keep {
			defer os.RemoveAll(base)
		}
	}
	d := &tour{out: out, samples: filepath.Join(base, "samples")}
	d.say("1. Sample files")
	allowed, err := d.prepare(files)
	if err != nil {
		return err
	}
	d.say("2. Server")
	s, err := startServer(ctx, &serveFlags{data: filepath.Join(base, "data"), listen: "127.0.0.1:0", allowedDirs: allowed}, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	fmt.Fprintln(out, "   "+s.readyLine())
	if d.conn, err = openFlight(ctx, s.url(), "", "", ""); err != nil {
		return err
	}
	defer d.conn.close()
	if len(files) > 0 {
		err = d.own(ctx, files)
	} else {
		err = d.events(ctx)
	}
	if err != nil {
		return err
	}
	d.connections(s)
	if keep {
		fmt.Fprintf(out, "\nThe server keeps running on %s (data in %s). Stop it with Ctrl-C.\n", s.url(), base)
		<-ctx.Done()
	}
	return nil
}

// tour is a demo while it runs.
type tour struct {
	out     io.Writer
	samples string
	conn    conn
}

func (d *tour) say(s string) { fmt.Fprintln(d.out, s) }

// prepare writes the samples, or checks the user's files, and returns the folders that the server must be allowed to read.
func (d *tour) prepare(files []string) ([]string, error) {
	if len(files) == 0 {
		names, err := writeSamples(d.samples)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(d.out, "   generated %s in %s\n", strings.Join(names, ", "), d.samples)
		return []string{d.samples}, nil
	}
	var dirs []string
	for _, f := range files {
		if _, err := fileType(f); err != nil {
			return nil, err
		}
		if _, err := os.Stat(f); err != nil {
			return nil, err
		}
		dirs = append(dirs, filepath.Dir(f))
	}
	fmt.Fprintf(d.out, "   your files: %s\n", strings.Join(files, ", "))
	return dirs, nil
}

// ask shows a statement, runs it and prints its rows.
func (d *tour) ask(ctx context.Context, why, sql string) error {
	fmt.Fprintf(d.out, "\n   -- %s\n   %s\n", why, strings.ReplaceAll(sql, "\n", "\n   "))
	start := time.Now()
	r, err := d.conn.run(ctx, sql)
	if err != nil {
		return err
	}
	defer r.close()
	if r.schema == nil {
		return nil
	}
	n, err := printRows(ctx, r, &indented{tableWriter: tableWriter{}, out: d.out})
	if err == nil {
		fmt.Fprintf(d.out, "   (%d rows, %s)\n", n, time.Since(start).Round(100*time.Microsecond))
	}
	return err
}

// events is the tour over the generated samples.
func (d *tour) events(ctx context.Context) error {
	folder := quote(d.samples)
	steps := []struct{ head, why, sql string }{
		{"3. Loading, while the files drift", "a table that grows columns when files bring new fields", "CREATE TABLE events (id BIGINT, at VARCHAR) ENABLE_SCHEMA_EVOLUTION = true"},
		{"", "the first day: objects and arrays become VARIANT", "COPY INTO events FROM " + folder + " FILES = ('day1.ndjson')\n  FILE_FORMAT = (TYPE = NDJSON MISSING_FIELD_AS = FIELD_DEFAULT)"},
		{"", "the second day brings new fields; the columns are added with the rows, or not at all", "COPY INTO events FROM " + folder + " FILES = ('day2.ndjson')\n  FILE_FORMAT = (TYPE = NDJSON MISSING_FIELD_AS = FIELD_DEFAULT)"},
		{"", "the third day comes as Parquet", "COPY INTO events FROM " + folder + " FILES = ('day3.parquet')\n  FILE_FORMAT = (TYPE = PARQUET MISSING_FIELD_AS = FIELD_DEFAULT)"},
		{"", "what the table has become", "DESC events"},
		{"", "files that are loaded already are skipped", "COPY INTO events FROM " + folder + " FILES = ('day1.ndjson')\n  FILE_FORMAT = (TYPE = NDJSON MISSING_FIELD_AS = FIELD_DEFAULT)"},
		{"4. Paths of VARIANT are columns", "filter and group on paths of a JSON document", "SELECT payload['page']['section']::STRING AS section, count(*) AS views, round(avg(payload['ms']::DOUBLE), 1) AS avg_ms\nFROM events WHERE kind = 'view' AND payload['ms'] > 100\nGROUP BY section ORDER BY views DESC LIMIT 5"},
		{"", "numbers compare by value, whatever they are written as", "SELECT count(*) AS dear, max(payload['total']::DECIMAL(12,2)) AS highest FROM events WHERE payload['total'] >= 99.90"},
		{"", "arrays become rows", "SELECT CAST(item['sku'] AS STRING) AS sku, sum(item['qty']::BIGINT) AS sold\nFROM events LATERAL VIEW explode(payload['items']) t AS item\nGROUP BY sku ORDER BY sold DESC, sku LIMIT 5"},
		{"", "a whole document", "SELECT id, payload FROM events WHERE kind = 'order' ORDER BY id LIMIT 2"},
		{"", "which types the paths have", "SET describe_extend_variant_column = true"},
		{"", "the paths that became typed subcolumns", "DESC events"},
	}
	return d.steps(ctx, steps)
}

func (d *tour) steps(ctx context.Context, steps []struct{ head, why, sql string }) error {
	for _, st := range steps {
		if st.head != "" {
			d.say("\n" + st.head)
		}
		if err := d.ask(ctx, st.why, st.sql); err != nil {
			return fmt.Errorf("%s: %w", st.why, err)
		}
	}
	return nil
}

// own loads the user's files and looks at them.
func (d *tour) own(ctx context.Context, files []string) error {
	d.say("3. Loading your files into table events")
	if err := loadFiles(ctx, d.conn, &prefixWriter{out: d.out, prefix: "   ", fresh: true}, files, "events", ""); err != nil {
		return err
	}
	d.say("\n4. What is in them")
	return d.steps(ctx, []struct{ head, why, sql string }{
		{"", "the columns that were found", "DESC events"},
		{"", "how many rows", "SELECT count(*) AS n FROM events"},
		{"", "the first rows", "SELECT * FROM events LIMIT 5"},
		{"", "what was loaded", "SELECT file_name, rows_loaded, errors_seen FROM system.load_history"},
	})
}

// connections prints how to go on from other programs.
func (d *tour) connections(s *server) {
	fmt.Fprintf(d.out, `
5. Connect yourself (ebira serve keeps a server up; this one ends with the tour unless --keep is given)
   shell   ebira sql --url %s
   Python  import adbc_driver_flightsql.dbapi as ebira
           with ebira.connect(%q) as c, c.cursor() as cur:
               cur.execute("SELECT 1"); print(cur.fetchall())
   JDBC    jdbc:arrow-flight-sql://%s/?useEncryption=false
`, s.url(), s.url(), s.addr)
}
