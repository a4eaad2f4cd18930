package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/ebira-db/ebira/session"
	"github.com/ebira-db/ebira/storage/stage"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/tpch"
	"github.com/ebira-db/ebira/vec"
)

func tpchGenerateCommand() *cobra.Command {
	var scale float64
	var out, format, data, database string
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Make the data of TPC-H, as files or in a data directory",
		Long: "Make the data of TPC-H, bit by bit those of dbgen: with --out as files DIR/TABLE/TABLE.N.parquet (or .tbl), with --data in tables\n" +
			"of a data directory, which is made if needed.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if (out == "") == (data == "") {
				return errors.New("give --out DIR for files or --data DIR for tables")
			}
			g, err := tpch.New(scale)
			if err != nil {
				return err
			}
			ctx, stop := untilSignal(cmd.Context())
			defer stop()
			if out != "" {
				_, err := generateFiles(ctx, cmd.OutOrStdout(), g, out, format)
				return err
			}
			c, err := openEmbedded(data, nil)
			if err != nil {
				return err
			}
			return errors.Join(generateTables(ctx, cmd.OutOrStdout(), g, c, database), c.close())
		},
	}
	cmd.Flags().Float64Var(&scale, "sf", 1, "scale factor; 1 is about a gigabyte of text")
	cmd.Flags().StringVar(&out, "out", "", "folder to write files into")
	cmd.Flags().StringVar(&format, "format", "parquet", "format of the files: parquet or tbl")
	cmd.Flags().StringVar(&data, "data", "", "data directory to make tables in")
	cmd.Flags().StringVar(&database, "database", "tpch", "database to make tables in")
	return cmd
}

// tpchPieceRows is about how many rows one file or one load has.
const tpchPieceRows = 1_000_000

// tpchPiece is a range of a table that one worker makes.
type tpchPiece struct {
	table        tpch.Table
	number       int
	first, count int64
}

// tpchPieces cuts all tables in pieces, the longest first.
func tpchPieces(g *tpch.Generator) []tpchPiece {
	rowsPerUnit := map[tpch.Table]int64{tpch.LineItem: 4, tpch.PartSupp: 4}
	tables := tpch.Tables()
	var pieces []tpchPiece
	for i := range tables {
		t := tables[len(tables)-1-i]
		units, most := g.Units(t), int64(tpchPieceRows)/max(rowsPerUnit[t], 1)
		n := (units + most - 1) / most
		for k := range n {
			first := units * k / n
			pieces = append(pieces, tpchPiece{t, int(k), first, units*(k+1)/n - first})
		}
	}
	return pieces
}

// makePieces makes all pieces by as many workers as there are processors, and reports rows and time. It returns the rows.
func makePieces(ctx context.Context, out io.Writer, g *tpch.Generator, one func(context.Context, tpchPiece, *tpch.Rows) (int64, error)) (int64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pieces, start := tpchPieces(g), time.Now()
	errs := make([]error, len(pieces))
	var next, rows atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(pieces)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(pieces)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				p := pieces[i]
				n, err := one(ctx, p, g.Rows(p.table, p.first, p.count))
				if err != nil {
					errs[i] = fmt.Errorf("%s: %w", p.table, err)
					cancel()
				}
				rows.Add(n)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	fmt.Fprintf(out, "%d rows in %.1f s\n", rows.Load(), time.Since(start).Seconds())
	return rows.Load(), nil
}

// generateFiles writes the tables as files and returns their rows.
func generateFiles(ctx context.Context, out io.Writer, g *tpch.Generator, dir, format string) (int64, error) {
	if format != "parquet" && format != "tbl" {
		return 0, fmt.Errorf("--format %s is not known; there are parquet and tbl", format)
	}
	for _, t := range tpch.Tables() {
		if err := os.MkdirAll(filepath.Join(dir, t.String()), 0o755); err != nil {
			return 0, err
		}
	}
	return makePieces(ctx, out, g, func(ctx context.Context, p tpchPiece, r *tpch.Rows) (int64, error) {
		name := filepath.Join(dir, p.table.String(), fmt.Sprintf("%s.%d.%s", p.table, p.number, format))
		if format == "tbl" {
			return writeLines(ctx, name, p.table, r)
		}
		return writeParquet(ctx, name, p.table, r)
	})
}

func writeParquet(ctx context.Context, name string, t tpch.Table, r *tpch.Rows) (int64, error) {
	w, err := stage.NewWriter(vfs.OS, name, stage.Format{Type: stage.Parquet}, t.Schema())
	if err != nil {
		return 0, err
	}
	for b := r.Next(); b != nil; b = r.Next() {
		err := ctx.Err()
		if err == nil {
			err = w.Append(b)
		}
		if err != nil {
			w.Abort()
			return 0, err
		}
	}
	rows, _, err := w.Finish()
	return rows, err
}

func writeLines(ctx context.Context, name string, t tpch.Table, r *tpch.Rows) (rows int64, err error) {
	f, err := os.Create(name)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var buf []byte
	for b := r.Next(); b != nil; b = r.Next() {
		if err := ctx.Err(); err != nil {
			return rows, err
		}
		buf = tpch.AppendLines(buf[:0], t, b)
		if _, err := f.Write(buf); err != nil {
			return rows, err
		}
		rows += int64(b.Len)
	}
	return rows, nil
}

// generateTables makes the tables in a database, which must not have them yet. A piece is a commit of its own.
func generateTables(ctx context.Context, out io.Writer, g *tpch.Generator, c *embedded, database string) error {
	if err := execute(ctx, c, "CREATE DATABASE IF NOT EXISTS "+database); err != nil {
		return err
	}
	if err := c.sess.SetDatabase(database, false); err != nil {
		return err
	}
	for _, t := range tpch.Tables() {
		if err := execute(ctx, c, t.CreateSQL()); err != nil {
			return err
		}
	}
	_, err := makePieces(ctx, out, g, func(ctx context.Context, p tpchPiece, r *tpch.Rows) (int64, error) {
		o := session.IngestOptions{Table: p.table.String(), IfExists: session.ExistsAppend}
		return c.sess.Ingest(ctx, o, p.table.Schema(), func() (*vec.Batch, error) { return r.Next(), ctx.Err() })
	})
	return err
}
