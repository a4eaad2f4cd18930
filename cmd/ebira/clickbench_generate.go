package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/ebira-db/ebira/clickbench"
	"github.com/ebira-db/ebira/storage/stage"
	"github.com/ebira-db/ebira/storage/vfs"
)

func generateClickbenchCommand() *cobra.Command {
	rows := rowCount(1_000_000)
	var seed uint64
	var out string
	cmd := &cobra.Command{
		Use:   "generate --rows N --out FILE",
		Short: "Write generated rows as Parquet or NDJSON",
		Long: "Write generated rows to FILE, which ends in .parquet, .ndjson or .json; '-' writes NDJSON to the standard output. The same number of\n" +
			"rows and seed give the same rows.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := untilSignal(cmd.Context())
			defer stop()
			g := clickbench.New(uint64(rows), seed)
			if out == "-" {
				return writeClickbenchLines(ctx, cmd.OutOrStdout(), g)
			}
			kind, err := fileType(out)
			if err != nil {
				return err
			}
			if kind == "PARQUET" {
				return writeClickbenchParquet(ctx, out, g)
			}
			return writeClickbenchLinesFile(ctx, out, g)
		},
	}
	cmd.Flags().Var(&rows, "rows", "number of rows, such as 20k or 10m")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "another seed gives other rows")
	cmd.Flags().StringVar(&out, "out", "", "file to write, or - for NDJSON on the standard output")
	if err := cmd.MarkFlagRequired("out"); err != nil {
		panic("BUG: " + err.Error())
	}
	return cmd
}

// inOrder makes items 0 to n-1 on all processors and hands them to use one after the other, in their order.
func inOrder[T any](ctx context.Context, n int, produce func(int) T, use func(T) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Each channel gets one item; their number bounds how many are made ahead.
	coming := make(chan chan T, runtime.GOMAXPROCS(0))
	go func() {
		defer close(coming)
		for i := range n {
			one := make(chan T, 1)
			select {
			case coming <- one:
				go func() { one <- produce(i) }()
			case <-ctx.Done():
				return
			}
		}
	}()
	for one := range coming {
		if err := use(<-one); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// writeClickbenchParquet writes a table as one file, which other databases read too.
func writeClickbenchParquet(ctx context.Context, name string, g *clickbench.Generator) error {
	path, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	w, err := stage.NewWriter(vfs.OS, path, stage.Format{Type: stage.Parquet, Compression: stage.Snappy}, clickbench.Schema())
	if err != nil {
		return err
	}
	if err := inOrder(ctx, g.Blocks(), g.Block, w.Append); err != nil {
		w.Abort()
		return err
	}
	_, _, err = w.Finish()
	return err
}

// writeClickbenchLines writes a table as lines.
func writeClickbenchLines(ctx context.Context, out io.Writer, g *clickbench.Generator) error {
	lines := func(i int) []byte { return clickbench.AppendNDJSON(nil, g.Block(i)) }
	return inOrder(ctx, g.Blocks(), lines, func(b []byte) error {
		_, err := out.Write(b)
		return err
	})
}

func writeClickbenchLinesFile(ctx context.Context, name string, g *clickbench.Generator) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := errors.Join(writeClickbenchLines(ctx, f, g), f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}
