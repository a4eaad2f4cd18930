package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ebira-db/ebira/clickbench"
)

// wideRows bounds the layouts of one column, whose peers need long and much room.
const wideRows = 1_000_000

// clickbenchFlags are the flags of ebira bench clickbench.
type clickbenchFlags struct {
	benchOptions
	rows    rowCount
	seed    uint64
	layouts []string
	peers   []string
	queries string
	json    string
	out     string
	load    bool // nothing but load
	check   bool // nothing but compare answers
	data    []string
	parquet string // of data
	lines   string // of data
}

func benchClickbenchCommand() *cobra.Command {
	f := clickbenchFlags{rows: 1_000_000}
	cmd := &cobra.Command{
		Use:   "clickbench",
		Short: "Measure the 43 queries of ClickBench over predefined columns, VARIANT and JSON",
		Long: "Generate rows, load them into a server of its own and into the peers, compare the answers and measure the 43 queries.\n" +
			"The layouts variant, variant_plain and json have at most 1m rows. Progress goes to the standard error; the last lines on the\n" +
			"standard output are 'ratio PEER WHAT NUMBER', ours / peer. A wrong answer of ours ends with an error.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := untilSignal(cmd.Context())
			defer stop()
			return f.run(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fl := cmd.Flags()
	fl.Var(&f.rows, "rows", "number of rows, such as 20k or 10m")
	fl.StringSliceVar(&f.data, "data", nil, "the published hits.parquet and hits.json (or .json.gz) instead of generated rows; --rows then says how many they have")
	fl.Uint64Var(&f.seed, "seed", 1, "another seed gives other rows")
	fl.StringSliceVar(&f.layouts, "layout", []string{"predefined"}, "layouts: "+strings.Join(clickbench.Layouts[:], ", ")+"; or all")
	fl.StringSliceVar(&f.peers, "peers", []string{"duckdb", "chdb", "datafusion"}, "peers: duckdb, chdb, datafusion; or none")
	fl.StringVar(&f.queries, "queries", "", "numbers of queries such as 0,5,20-22 (default all)")
	fl.BoolVar(&f.load, "only-load", false, "load, and measure no query")
	fl.BoolVar(&f.check, "check", false, "compare the answers with DuckDB's and measure nothing; bounds in the queries are scaled to the rows")
	fl.StringVar(&f.json, "json", "", "write all timings to this file")
	fl.StringVar(&f.out, "out", "", "write report.md, charts and results in ClickBench's format to this folder")
	f.benchOptions.flags(cmd)
	cmd.AddCommand(generateClickbenchCommand())
	return cmd
}

// flags adds the flags that all benchmarks have.
func (o *benchOptions) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&o.work, "work", "", "folder for data and databases (default a temporary one, removed at the end)")
	fl.IntVar(&o.threads, "threads", 2, "threads of each engine")
	fl.Var(&o.memory, "memory-limit", "memory limit of each engine such as 8GiB (default each engine's own)")
	fl.IntVar(&o.runs, "runs", 3, "hot runs, of which the best counts")
	fl.BoolVar(&o.cold, "cold", true, "start each engine anew for the first run of each query")
	fl.DurationVar(&o.timeout, "timeout", 5*time.Minute, "longest time of a run")
	fl.StringVar(&o.python, "python", "", "Python that has the peers (default .venv/bin/python, else python3)")
}

// prepare checks the common flags and makes the folder. The function it returns cleans up.
func (o *benchOptions) prepare(queries string, count int) (func() error, error) {
	if o.threads < 1 || o.runs < 0 {
		return nil, errors.New("--threads must be at least 1 and --runs not negative")
	}
	var err error
	if o.only, err = queryList(queries, count); err != nil {
		return nil, err
	}
	o.python = findPython(o.python)
	clean := func() error { return nil }
	if o.work == "" {
		if o.work, err = os.MkdirTemp("", "ebira-bench-"); err != nil {
			return nil, err
		}
		clean = func() error { return os.RemoveAll(o.work) }
	} else if err := os.MkdirAll(o.work, 0o755); err != nil {
		return nil, err
	}
	o.work, err = filepath.Abs(o.work)
	return clean, err
}

// queryList reads numbers and ranges.
func queryList(s string, count int) ([]int, error) {
	var out []int
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' }) {
		first, last, isRange := strings.Cut(part, "-")
		from, err := strconv.Atoi(first)
		to := from
		if err == nil && isRange {
			to, err = strconv.Atoi(last)
		}
		if err != nil || from > to || to >= count {
			return nil, fmt.Errorf("--queries %s: %q is not a query from 0 to %d", s, part, count-1)
		}
		for q := from; q <= to; q++ {
			out = append(out, q)
		}
	}
	return out, nil
}

func (f *clickbenchFlags) run(ctx context.Context, out, log io.Writer) error {
	if f.check {
		f.peers, f.cold, f.runs = []string{"duckdb"}, false, 0
	}
	layouts, err := f.chosen()
	if err != nil {
		return err
	}
	if err := f.published(); err != nil {
		return err
	}
	clean, err := f.prepare(f.queries, len(clickbench.Checks()))
	if err != nil {
		return err
	}
	b := &clickbenchRun{flags: f, m: measurement{&f.benchOptions, log}, result: newBenchResult("ClickBench", &f.benchOptions), references: map[int64]*judge{}}
	if err := os.RemoveAll(filepath.Join(f.work, linesFolder)); err != nil {
		return errors.Join(err, clean())
	}
	if err := findPeers(ctx, &f.benchOptions, f.peers); err != nil {
		return errors.Join(err, clean())
	}
	for _, l := range layouts {
		if err = b.layout(ctx, l); err != nil {
			break
		}
	}
	err = errors.Join(err, b.stopOracle(), clean())
	if err != nil && len(b.result.Parts) == 0 {
		return err
	}
	// What was measured before a failure or a signal is worth having.
	return errors.Join(err, f.report(b, out))
}

// chosen returns the layouts of the flags, predefined first: the others are compared with it.
func (f *clickbenchFlags) chosen() ([]clickbench.Layout, error) {
	if slices.Equal(f.layouts, []string{"all"}) {
		f.layouts = clickbench.Layouts[:]
	}
	if slices.Equal(f.peers, []string{"none"}) {
		f.peers = nil
	}
	for _, p := range f.peers {
		if !slices.Contains([]string{"duckdb", "chdb", "datafusion"}, p) {
			return nil, fmt.Errorf("--peers: %q is not duckdb, chdb, datafusion or none", p)
		}
	}
	var out []clickbench.Layout
	for _, name := range f.layouts {
		i := slices.Index(clickbench.Layouts[:], name)
		if i < 0 {
			return nil, fmt.Errorf("--layout: %q is not one of %s or all", name, strings.Join(clickbench.Layouts[:], ", "))
		}
		out = append(out, clickbench.Layout(i))
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// published sorts the files of --data.
func (f *clickbenchFlags) published() error {
	for _, name := range f.data {
		kind, err := fileType(name)
		if err != nil {
			return err
		}
		path, err := filepath.Abs(name)
		if err == nil {
			_, err = os.Stat(path)
		}
		if err != nil {
			return fmt.Errorf("--data: %w", err)
		}
		if kind == "PARQUET" {
			f.parquet = path
		} else {
			f.lines = path
		}
		f.allowed = append(f.allowed, filepath.Dir(path))
	}
	return nil
}

func (f *clickbenchFlags) origin() clickbench.Origin {
	if len(f.data) > 0 {
		return clickbench.Published
	}
	return clickbench.Generated
}

// report writes what was asked for and prints the table and the ratios.
func (f *clickbenchFlags) report(b *clickbenchRun, out io.Writer) error {
	if f.check {
		return b.conclude(out)
	}
	b.ratios()
	if f.json != "" {
		if err := writeJSONFile(f.json, b.result); err != nil {
			return err
		}
	}
	if f.out != "" {
		if err := b.result.writeFolder(f.out); err != nil {
			return err
		}
	}
	fmt.Fprint(out, b.result.markdown()+"\n"+b.result.printRatios())
	if b.result.oursWrong() {
		return errors.New("an answer of ebira is missing or wrong; the report says which")
	}
	return nil
}
