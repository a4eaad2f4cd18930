package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebira-db/ebira/clickbench"
	"github.com/ebira-db/ebira/storage/stage"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/vec"
)

func generateClickbenchCommand() *cobra.Command {
	rows := rowCount(1_000_000)
	var seed uint64
	var out string
	cmd := &cobra.Command{
		Use:   "generate --rows N --out FILE",
		Short: "Write generated rows as Parquet or NDJSON",
		Long: "Write generated rows to FILE, which ends in .parquet, .ndjson or .json (and .gz or .zst); '-' writes NDJSON to the standard output.\n" +
			"The same number of rows and seed give the same rows.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := untilSignal(cmd.Context())
			defer stop()
			g := clickbench.New(uint64(rows), seed)
			if out == "-" {
				return writeClickbenchLines(ctx, cmd.OutOrStdout(), g)
			}
			return writeClickbenchFile(ctx, out, g, 0, g.Blocks())
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

// writeClickbenchFile writes blocks [first, end) of a table as a file in the format and compression that its name tells. Parquet files are
// compressed as other databases read them fastest.
func writeClickbenchFile(ctx context.Context, name string, g *clickbench.Generator, first, end int) error {
	path, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	kind, err := fileType(path)
	if err != nil {
		return err
	}
	f := stage.Format{Type: stage.NDJSON}
	switch {
	case kind == "PARQUET":
		f = stage.Format{Type: stage.Parquet, Compression: stage.Snappy}
	case strings.HasSuffix(path, ".zst"):
		f.Compression = stage.Zstd
	case strings.HasSuffix(path, ".gz"):
		f.Compression = stage.Gzip
	case strings.HasSuffix(path, ".bz2"):
		return fmt.Errorf("%s: bzip2 is read only; name a file that ends in .gz or .zst", name)
	}
	w, err := stage.NewWriter(vfs.OS, path, f, clickbench.Schema())
	if err != nil {
		return err
	}
	if err := inOrder(ctx, end-first, func(i int) *vec.Batch { return g.Block(first + i) }, w.Append); err != nil {
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
