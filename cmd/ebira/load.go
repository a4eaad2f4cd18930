package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/ebira-db/ebira/sql/types"
)

func loadCommand() *cobra.Command {
	var f connFlags
	var table, column string
	cmd := &cobra.Command{
		Use:   "load FILE...",
		Short: "Load NDJSON and Parquet files into a table, which grows the columns that the files have",
		Long: "Load NDJSON and Parquet files by COPY INTO, each file as one commit. The table is made if it does not exist, with schema evolution;\n" +
			"with --variant the whole record goes into one VARIANT column. A server must be allowed to read the files' folder (--allowed-dirs).",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.configure(cmd); err != nil {
				return err
			}
			ctx, stop := untilSignal(cmd.Context())
			defer stop()
			if f.data != "" && len(f.allowedDirs) == 0 {
				for _, a := range args {
					f.allowedDirs = append(f.allowedDirs, filepath.Dir(a))
				}
			}
			c, err := f.open(ctx)
			if err != nil {
				return err
			}
			return errors.Join(loadFiles(ctx, c, os.Stdout, args, table, column), c.close())
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&table, "table", "", "table to load into")
	cmd.Flags().StringVar(&column, "variant", "", "load whole NDJSON records into this VARIANT column")
	if err := cmd.MarkFlagRequired("table"); err != nil {
		panic("BUG: " + err.Error())
	}
	return cmd
}

// fileType tells the format of a file by its name.
func fileType(name string) (string, error) {
	base := strings.ToLower(name)
	for _, ext := range []string{".gz", ".zst", ".bz2"} {
		base = strings.TrimSuffix(base, ext)
	}
	switch filepath.Ext(base) {
	case ".ndjson", ".jsonl", ".json", ".log":
		return "NDJSON", nil
	case ".parquet", ".pq":
		return "PARQUET", nil
	}
	return "", fmt.Errorf("%s: the name must end in .ndjson, .jsonl, .json or .parquet (and .gz or .zst)", name)
}

// loadFiles loads files one after the other, shows how far it is and writes a line per file to out.
func loadFiles(ctx context.Context, c conn, out io.Writer, files []string, table, column string) error {
	kinds := make([]string, len(files))
	for i, name := range files {
		var err error
		if kinds[i], err = fileType(name); err != nil {
			return err
		}
		if column != "" && kinds[i] != "NDJSON" {
			return fmt.Errorf("%s: --variant loads the records of NDJSON files; load Parquet files into columns, without it", name)
		}
	}
	bar := newBar(files)
	for i, name := range files {
		kind := kinds[i]
		abs, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		if i == 0 {
			if err := createTable(ctx, c, abs, kind, table, column); err != nil {
				return err
			}
		}
		bar.show(i)
		copySQL := "COPY INTO " + table + " FROM " + quote(abs) + " FILE_FORMAT = (TYPE = " + kind + " MISSING_FIELD_AS = NULL)"
		if column != "" {
			copySQL = "COPY INTO " + table + " FROM (SELECT $1 FROM " + quote(abs) + " (FILE_FORMAT => 'NDJSON'))"
		}
		line, err := copyFile(ctx, c, copySQL)
		if err != nil {
			bar.end()
			return fmt.Errorf("%s: %w", name, err)
		}
		bar.clear()
		fmt.Fprintf(out, "%s: %s\n", name, line)
	}
	bar.show(len(files))
	bar.end()
	return nil
}

// copyFile runs a COPY of one file and puts its report into words.
func copyFile(ctx context.Context, c conn, sql string) (string, error) {
	r, err := c.run(ctx, sql)
	if err != nil {
		return "", err
	}
	defer r.close()
	var parts []string
	for {
		b, err := r.next(ctx)
		if err != nil {
			return "", err
		}
		if b == nil {
			break
		}
		rows, err := texts(b)
		if err != nil {
			return "", err
		}
		for _, row := range rows {
			parts = append(parts, fileReport(r.schema, row))
		}
	}
	return strings.Join(parts, "; "), nil
}

// fileReport is one row of a COPY's result in words.
func fileReport(schema types.Schema, row []*string) string {
	at := func(name string) string {
		for i, f := range schema {
			if strings.EqualFold(f.Name, name) && i < len(row) && row[i] != nil {
				return *row[i]
			}
		}
		return ""
	}
	if s := at("Status"); s != "" && s != "LOADED" {
		return strings.ToLower(s)
	}
	text := at("Rows_loaded") + " rows"
	if bad := at("Errors_seen"); bad != "" && bad != "0" {
		text += fmt.Sprintf(", %s bad rows, the first in line %s: %s", bad, at("First_error_line"), at("First_error"))
	}
	return text
}

// createTable makes the table if it does not exist: with the columns inferred from the first file and schema evolution for the others,
// or with one VARIANT column.
func createTable(ctx context.Context, c conn, file, kind, table, column string) error {
	if column != "" {
		return execute(ctx, c, "CREATE TABLE IF NOT EXISTS "+table+" ("+types.QuoteName(column)+" VARIANT)")
	}
	r, err := c.run(ctx, "SELECT column_name, type FROM infer_schema(location => "+quote(file)+", file_format => "+quote(kind)+") ORDER BY order_id")
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	defer r.close()
	var cols []string
	for {
		b, err := r.next(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if b == nil {
			break
		}
		for i := range b.Len {
			cols = append(cols, types.QuoteName(string(b.Cols[0].Bytes(i)))+" "+string(b.Cols[1].Bytes(i)))
		}
	}
	if len(cols) == 0 {
		return fmt.Errorf("%s: no fields were found to make columns of", file)
	}
	return execute(ctx, c, "CREATE TABLE IF NOT EXISTS "+table+" ("+strings.Join(cols, ", ")+") ENABLE_SCHEMA_EVOLUTION = true")
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// execute runs a statement and reads its result to the end.
func execute(ctx context.Context, c conn, sql string) error {
	r, err := c.run(ctx, sql)
	if err != nil {
		return err
	}
	defer r.close()
	for {
		b, err := r.next(ctx)
		if b == nil || err != nil {
			return err
		}
	}
}

// bar is a progress bar over the bytes of the files; off a terminal it prints nothing.
type bar struct {
	on    bool
	sizes []int64
	total int64
	start time.Time
}

func newBar(files []string) *bar {
	b := &bar{on: term.IsTerminal(int(os.Stderr.Fd())), start: time.Now()}
	for _, f := range files {
		var size int64
		if info, err := os.Stat(f); err == nil {
			size = info.Size()
		}
		b.sizes = append(b.sizes, size)
		b.total += size
	}
	return b
}

const barWidth = 30

// show draws the bar with the first done files loaded.
func (b *bar) show(done int) {
	if !b.on {
		return
	}
	var bytes int64
	for _, s := range b.sizes[:done] {
		bytes += s
	}
	part := 1.0
	if b.total > 0 {
		part = float64(bytes) / float64(b.total)
	}
	full := int(part * barWidth)
	rate := float64(bytes) / 1e6 / max(time.Since(b.start).Seconds(), 1e-9)
	fmt.Fprintf(os.Stderr, "\r[%s%s] %3.0f %%  %d of %d files  %.1f MB/s ", strings.Repeat("#", full), strings.Repeat(".", barWidth-full), part*100, done, len(b.sizes), rate)
}

// clear makes room for a line of text; show draws the bar anew.
func (b *bar) clear() {
	if b.on {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
}

func (b *bar) end() {
	if b.on {
		fmt.Fprintln(os.Stderr)
	}
}
