package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebira-db/ebira/tpch"
)

// tpchPart is the name of the part, which its ratios begin with.
const tpchPart = "tpch"

// tpchFlags are the flags of ebira bench tpch.
type tpchFlags struct {
	benchOptions
	scale   float64
	peers   []string
	queries string
	json    string
	out     string
}

func benchTpchCommand() *cobra.Command {
	f := tpchFlags{}
	cmd := &cobra.Command{
		Use:   "tpch",
		Short: "Measure the 22 queries of TPC-H",
		Long: "Make the data, load them into a server of its own and into the peers, compare the answers and measure the 22 queries.\n" +
			"Progress goes to the standard error; the last lines on the standard output are 'ratio PEER WHAT NUMBER', ours / peer.\n" +
			"A wrong answer of ours ends with an error.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := untilSignal(cmd.Context())
			defer stop()
			return f.run(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fl := cmd.Flags()
	fl.Float64Var(&f.scale, "sf", 1, "scale factor; 1 is about a gigabyte of text")
	fl.StringSliceVar(&f.peers, "peers", []string{"duckdb", "chdb", "datafusion"}, "peers: duckdb, chdb, datafusion; or none")
	fl.StringVar(&f.queries, "queries", "", "numbers of queries such as 1,5,20-22 (default all)")
	fl.StringVar(&f.json, "json", "", "write all timings to this file")
	fl.StringVar(&f.out, "out", "", "write report.md, charts and results to this folder")
	f.benchOptions.flags(cmd)
	cmd.AddCommand(tpchGenerateCommand())
	return cmd
}

func (f *tpchFlags) run(ctx context.Context, out, log io.Writer) error {
	g, err := tpch.New(f.scale)
	if err != nil {
		return err
	}
	if slices.Equal(f.peers, []string{"none"}) {
		f.peers = nil
	}
	for _, p := range f.peers {
		if !slices.Contains([]string{"duckdb", "chdb", "datafusion"}, p) {
			return fmt.Errorf("--peers: %q is not duckdb, chdb, datafusion or none", p)
		}
	}
	clean, err := f.prepare(f.queries, tpch.QueryCount+1)
	if err != nil {
		return err
	}
	if slices.Contains(f.only, 0) {
		return errors.Join(errors.New("--queries: the first query is 1"), clean())
	}
	for n := 1; f.queries == "" && n <= tpch.QueryCount; n++ {
		f.only = append(f.only, n)
	}
	result := newBenchResult(fmt.Sprintf("TPC-H SF%v", f.scale), &f.benchOptions)
	part, err := f.measure(ctx, g, log)
	result.Parts = append(result.Parts, part)
	if err = errors.Join(err, clean()); err != nil {
		return err
	}
	return f.report(result, out)
}

// measure loads the data into all engines and runs the queries.
func (f *tpchFlags) measure(ctx context.Context, g *tpch.Generator, log io.Writer) (*partResult, error) {
	dir := filepath.Join(f.work, "tpch-data")
	rows, err := generateFiles(ctx, log, g, dir, "parquet")
	if err != nil {
		return nil, err
	}
	engines := []benchEngine{newBenchServer(&f.benchOptions, tpchPart)}
	for _, p := range f.peers {
		engines = append(engines, newBenchPeer(&f.benchOptions, p, tpchPart))
	}
	p := &benchPart{
		name: tpchPart, rows: rows, queries: tpchTexts,
		load:  func(ctx context.Context, e benchEngine) error { return runAll(ctx, e, tpchLoad(e.name(), dir)...) },
		open:  func(engine string) []string { return tpchOpen(engine, dir) },
		check: f.check(engines),
	}
	return (&measurement{&f.benchOptions, log}).part(ctx, p, engines)
}

// tpchTexts returns the queries for an engine by their numbers; there is no query 0.
func tpchTexts(engine string) []string {
	texts := make([]string, tpch.QueryCount+1)
	for n := 1; n <= tpch.QueryCount; n++ {
		texts[n] = tpch.Query(n)
	}
	if engine == "chdb" {
		// Its numbers with a point are doubles, and the sum of these two is not 0.07.
		texts[6] = strings.ReplaceAll(texts[6], "0.06 - 0.01 and 0.06 + 0.01", "0.05 and 0.07")
	}
	return texts
}

// tpchOpen are the statements that an engine needs in each process.
func tpchOpen(engine, dir string) []string {
	switch engine {
	case "chdb":
		return []string{"SET join_use_nulls = 1"}
	case "datafusion":
		var list []string
		for _, t := range tpch.Tables() {
			list = append(list, fmt.Sprintf("CREATE EXTERNAL TABLE %s STORED AS PARQUET LOCATION %s", t, quote(filepath.Join(dir, t.String())+"/")))
		}
		return list
	}
	return nil
}

// tpchKeys are the sort keys of chDB's tables: the primary keys.
var tpchKeys = map[tpch.Table]string{
	tpch.Region: "r_regionkey", tpch.Nation: "n_nationkey", tpch.Supplier: "s_suppkey", tpch.Customer: "c_custkey", tpch.Part: "p_partkey",
	tpch.PartSupp: "(ps_partkey, ps_suppkey)", tpch.Orders: "o_orderkey", tpch.LineItem: "(l_orderkey, l_linenumber)",
}

// tpchLoad are the statements that load an engine for the first time.
func tpchLoad(engine, dir string) []string {
	list := tpchOpen(engine, dir)
	for _, t := range tpch.Tables() {
		folder := filepath.Join(dir, t.String())
		files := quote(filepath.Join(folder, "*.parquet"))
		switch engine {
		case ours:
			list = append(list, t.CreateSQL(), fmt.Sprintf("COPY INTO %s FROM %s FILE_FORMAT = (TYPE = PARQUET)", t, quote(folder+"/")))
		case "duckdb":
			list = append(list, fmt.Sprintf("CREATE TABLE %s AS SELECT * FROM read_parquet(%s)", t, files))
		case "chdb":
			list = append(list, fmt.Sprintf("CREATE TABLE %s ENGINE = MergeTree ORDER BY %s EMPTY AS SELECT * FROM file(%s, 'Parquet')", t, tpchKeys[t], files),
				fmt.Sprintf("INSERT INTO %s SELECT * FROM file(%s, 'Parquet')", t, files))
		}
	}
	if engine == "duckdb" {
		list = append(list, "CHECKPOINT")
	}
	return list
}

// check compares answers with those of the first peer or, without peers, with the recorded ones at their scale factor.
func (f *tpchFlags) check(engines []benchEngine) func(context.Context, int, string, benchRows) error {
	wants := map[int][][]string{}
	return func(ctx context.Context, query int, engine string, rows benchRows) error {
		want, ok := wants[query]
		switch {
		case ok:
		case len(engines) > 1:
			_, theirs, err := engines[1].run(ctx, tpch.Query(query), true)
			if err != nil {
				return fmt.Errorf("reference answer of query %d: %w", query, err)
			}
			want = plainCells(theirs)
		case f.scale == tpch.AnswerScale:
			want = tpch.Answer(query)
		default:
			return nil
		}
		wants[query] = want
		tolerance := tpch.Tolerance
		if engine != ours {
			tolerance = tpch.OfficialTolerance // chDB and DataFusion keep few digits of quotients and averages
		}
		if err := tpch.Compare(plainCells(rows), want, tolerance); err != nil {
			return wrongAnswer(err.Error())
		}
		return nil
	}
}

// plainCells prints NULL as package tpch does.
func plainCells(rows benchRows) [][]string {
	out := make([][]string, len(rows))
	for i, r := range rows {
		out[i] = make([]string, len(r))
		for c, cell := range r {
			if cell != nil {
				out[i][c] = *cell
			}
		}
	}
	return out
}

// report writes what was asked for and prints the table and the ratios.
func (f *tpchFlags) report(r *benchResult, out io.Writer) error {
	r.comparePeers()
	if f.json != "" {
		if err := writeJSONFile(f.json, r); err != nil {
			return err
		}
	}
	if f.out != "" {
		if err := r.writeFolder(f.out); err != nil {
			return err
		}
	}
	fmt.Fprint(out, r.markdown()+"\n"+r.printRatios())
	if r.oursWrong() {
		return errors.New("a query of ours failed or was answered wrongly; the report says where")
	}
	return nil
}
