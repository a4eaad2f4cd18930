package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/ebira-db/ebira/clickbench"
)

// clickbenchRun is a measurement of ClickBench on its way through the layouts.
type clickbenchRun struct {
	flags  *clickbenchFlags
	m      measurement
	result *benchResult
	// references are the judges by number of rows; oracle is the DuckDB that they ask, over predefined columns.
	references map[int64]*judge
	oracle     benchEngine
	oracleRows int64
}

// layout measures a layout. The layouts of one column are measured beside predefined columns of the same rows, which is a part of its own
// if the asked size is larger.
func (b *clickbenchRun) layout(ctx context.Context, l clickbench.Layout) error {
	rows := int64(b.flags.rows)
	if l != clickbench.Predefined && rows > wideRows && b.flags.origin() == clickbench.Generated {
		rows = wideRows
	}
	if l != clickbench.Predefined && b.predefined(rows) == nil {
		if err := b.part(ctx, clickbench.Predefined, rows); err != nil {
			return err
		}
	}
	return b.part(ctx, l, rows)
}

// predefined returns the figures of predefined columns with so many rows, nil if there are none yet.
func (b *clickbenchRun) predefined(rows int64) *partResult {
	for _, p := range b.result.Parts {
		if p.Rows == rows && p.Part == b.partName(clickbench.Predefined, rows) {
			return p
		}
	}
	return nil
}

// partName is the layout's name, with the rows for the smaller of two sizes of predefined columns.
func (b *clickbenchRun) partName(l clickbench.Layout, rows int64) string {
	if l == clickbench.Predefined && rows != int64(b.flags.rows) {
		n := rowCount(rows)
		return l.String() + "_" + n.String()
	}
	return l.String()
}

// part loads and measures a layout.
func (b *clickbenchRun) part(ctx context.Context, l clickbench.Layout, rows int64) error {
	name := b.partName(l, rows)
	data, err := b.data(ctx, l, rows)
	if err != nil {
		return err
	}
	// An oracle has the same file open that the DuckDB of this part may want.
	if err := b.stopOracle(); err != nil {
		return err
	}
	engines := []benchEngine{newBenchServer(&b.flags.benchOptions, name)}
	for _, p := range b.flags.peers {
		if clickbench.Dialect(p).Has(l) && (l == clickbench.Predefined || !b.flags.check) {
			engines = append(engines, newBenchPeer(&b.flags.benchOptions, p, name))
		}
	}
	p := &benchPart{name: name, rows: rows, load: data.load, queries: func(engine string) []string { return b.texts(engine, l, rows) }}
	p.open = func(engine string) []string {
		if engine == string(clickbench.DataFusion) {
			return clickbench.DataFusion.Load(l, data.origin, data.parquet)
		}
		return nil
	}
	if b.flags.load {
		p.queries = func(string) []string { return nil }
	}
	if slices.Contains(b.flags.peers, string(clickbench.DuckDB)) {
		p.check = b.check(rows, l, engines)
	}
	r, err := b.m.part(ctx, p, engines)
	b.result.Parts = append(b.result.Parts, r)
	for _, e := range engines {
		if l != clickbench.Predefined || e.name() != string(clickbench.DuckDB) { // that one later parts ask
			err = errors.Join(err, e.clear())
		}
	}
	return err
}

// data returns the rows of a part: generated, or the published ones of --data.
func (b *clickbenchRun) data(ctx context.Context, l clickbench.Layout, rows int64) (*clickbenchData, error) {
	d := &clickbenchData{layout: l, rows: rows, origin: b.flags.origin(), parquet: b.flags.parquet, lines: b.flags.lines}
	if d.origin == clickbench.Published {
		if l == clickbench.Predefined && d.parquet == "" || l != clickbench.Predefined && d.lines == "" {
			return nil, fmt.Errorf("layout %s needs the other published file: --data takes hits.parquet for predefined columns (with which all layouts are compared) and hits.json for the others", l)
		}
		return d, nil
	}
	d.generator = clickbench.New(uint64(rows), b.flags.seed)
	d.parquet, d.lines = filepath.Join(b.flags.work, "hits.parquet"), filepath.Join(b.flags.work, linesFolder)
	fmt.Fprintf(b.m.log, "%s: writing %d rows to %s\n", l, rows, b.flags.work)
	return d, d.write(ctx)
}

// texts are the 43 queries for an engine.
func (b *clickbenchRun) texts(engine string, l clickbench.Layout, rows int64) []string {
	var out []string
	if engine == ours {
		for _, q := range clickbench.Queries(l) {
			out = append(out, q.SQL)
		}
	} else {
		out = clickbench.Dialect(engine).Queries(l, b.flags.origin())
	}
	if b.flags.check {
		for i, sql := range out {
			out[i] = clickbench.Scaled(sql, uint64(rows))
		}
	}
	return out
}

// check judges answers by DuckDB's over predefined columns: the one under measurement, or one opened for it.
func (b *clickbenchRun) check(rows int64, l clickbench.Layout, engines []benchEngine) func(context.Context, int, string, benchRows) error {
	if b.references[rows] == nil {
		b.references[rows] = &judge{answers: map[int]benchRows{}}
	}
	j := b.references[rows]
	checks := clickbench.Checks()
	return func(ctx context.Context, query int, _ string, got benchRows) error {
		j.ask = func(ctx context.Context, sql string) (benchRows, error) {
			e, err := b.reference(ctx, rows, l, engines)
			if err != nil {
				return nil, err
			}
			_, r, err := e.run(ctx, sql, true)
			return r, err
		}
		got, err := asColumns(got, query)
		if err != nil {
			return wrongAnswer(err.Error())
		}
		c := checks[query]
		if b.flags.check {
			c.SQL, c.All = clickbench.Scaled(c.SQL, uint64(rows)), clickbench.Scaled(c.All, uint64(rows))
		}
		wrong, err := j.judge(ctx, query, question{sql: c.SQL, all: c.All, keys: c.Keys, limited: c.Limited}, got)
		if err == nil && wrong != "" {
			return wrongAnswer(wrong)
		}
		return err
	}
}

// reference returns the DuckDB to ask.
func (b *clickbenchRun) reference(ctx context.Context, rows int64, l clickbench.Layout, engines []benchEngine) (benchEngine, error) {
	if l == clickbench.Predefined {
		for _, e := range engines {
			if e.name() == string(clickbench.DuckDB) {
				return e, nil
			}
		}
	}
	if b.oracle != nil && b.oracleRows == rows {
		return b.oracle, nil
	}
	b.oracle, b.oracleRows = newBenchPeer(&b.flags.benchOptions, string(clickbench.DuckDB), b.partName(clickbench.Predefined, rows)), rows
	return b.oracle, b.oracle.start(ctx)
}

func (b *clickbenchRun) stopOracle() error {
	if b.oracle == nil {
		return nil
	}
	err := b.oracle.stop()
	b.oracle = nil
	return err
}

// documentQuery is the query that selects whole rows, which are documents in the layouts of one column.
const documentQuery = 23

// asColumns spreads documents over the columns of the table.
func asColumns(rows benchRows, query int) (benchRows, error) {
	if query != documentQuery || len(rows) == 0 || len(rows[0]) != 1 {
		return rows, nil
	}
	var out benchRows
	for i, r := range rows {
		if r[0] == nil {
			return nil, errors.New("row " + strconv.Itoa(i+1) + " is NULL")
		}
		cells, err := clickbench.Cells(*r[0])
		if err != nil {
			return nil, err
		}
		out = append(out, cells)
	}
	return out, nil
}

// conclude says whether all answers are right.
func (b *clickbenchRun) conclude(out io.Writer) error {
	for _, line := range b.result.problems() {
		fmt.Fprintln(out, line)
	}
	if b.result.oursWrong() {
		return errors.New("an answer of ebira is missing or wrong")
	}
	for _, p := range b.result.Parts {
		fmt.Fprintf(out, "%s: %d answers are DuckDB's\n", p.Part, len(p.engine(ours).Queries))
	}
	return nil
}

// ratios compares with the peers, and the other layouts with predefined columns of the same rows.
func (b *clickbenchRun) ratios() {
	b.result.comparePeers()
	for _, p := range b.result.Parts {
		base := b.predefined(p.Rows)
		if base == nil || base == p {
			continue
		}
		b.result.compareEngines("self", p.engine(ours), base.engine(ours), func(what string) string {
			name := p.Part + "_over_predefined"
			if what == "hot_sum" {
				return name
			}
			return name + "_" + what
		})
	}
}
