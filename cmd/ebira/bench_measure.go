package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// measurement runs parts on engines, which take turns so that a change in the machine's speed hits all.
type measurement struct {
	opts *benchOptions
	log  io.Writer
}

// part loads and measures a part on all engines, of which the first is ours. Engines are stopped at the end.
func (m *measurement) part(ctx context.Context, p *benchPart, engines []benchEngine) (_ *partResult, err error) {
	out := &partResult{Part: p.name, Rows: p.rows}
	defer func() {
		for i, e := range engines {
			err = errors.Join(err, e.stop())
			if i < len(out.Engines) {
				out.Engines[i].PeakBytes = e.peak()
			}
		}
	}()
	for _, e := range engines {
		r := &engineResult{Engine: e.name(), Queries: map[int]*queryResult{}}
		out.Engines = append(out.Engines, r)
		if err := m.load(ctx, p, e, r); err != nil {
			return out, fmt.Errorf("load %s into %s: %w", p.name, e.name(), err)
		}
	}
	for q := range p.queries(ours) {
		if len(m.opts.only) > 0 && !slices.Contains(m.opts.only, q) {
			continue
		}
		if err := m.query(ctx, p, engines, out, q); err != nil {
			return out, err
		}
	}
	return out, nil
}

// load starts an engine with nothing in it and fills it.
func (m *measurement) load(ctx context.Context, p *benchPart, e benchEngine, r *engineResult) error {
	if err := errors.Join(e.clear(), e.start(ctx)); err != nil { // a folder of --work may hold those of another run
		return err
	}
	r.Version = e.version()
	start := time.Now()
	if err := p.load(ctx, e); err != nil {
		return err
	}
	r.Load = time.Since(start).Seconds()
	var err error
	if r.Bytes, err = e.bytes(ctx); err != nil {
		return err
	}
	fmt.Fprintf(m.log, "%s: %s %s loaded %d rows in %.2f s, %.1f MB\n", p.name, e.name(), r.Version, p.rows, r.Load, float64(r.Bytes)/1e6)
	return nil
}

// restart opens the engine in a new process, for the cold run.
func (m *measurement) restart(ctx context.Context, p *benchPart, e benchEngine) error {
	if err := e.stop(); err != nil {
		return err
	}
	if err := e.start(ctx); err != nil {
		return err
	}
	for _, sql := range p.open(e.name()) {
		if _, _, err := e.run(ctx, sql, false); err != nil {
			return err
		}
	}
	return nil
}

// query measures one query: the first run of each engine, whose answers are judged, then the hot runs in turn.
func (m *measurement) query(ctx context.Context, p *benchPart, engines []benchEngine, out *partResult, q int) error {
	results := make([]*queryResult, len(engines))
	var answers []benchRows
	for i, e := range engines {
		results[i] = &queryResult{}
		out.Engines[i].Queries[q] = results[i]
		if m.opts.cold {
			if err := m.restart(ctx, p, e); err != nil {
				return fmt.Errorf("%s: %w", e.name(), err)
			}
		}
		took, rows, err := m.run(ctx, p, e, q, true)
		answers = append(answers, rows)
		if err != nil {
			results[i].Error = err.Error()
			continue
		}
		if m.opts.cold {
			results[i].Cold = took
		}
	}
	for i, e := range engines {
		if results[i].Error == "" {
			if err := m.judge(ctx, p, q, e.name(), answers, i, results); err != nil {
				return err
			}
		}
	}
	for range m.opts.runs {
		for i, e := range engines {
			if results[i].Error != "" {
				continue
			}
			took, _, err := m.run(ctx, p, e, q, false)
			if err != nil {
				results[i].Error = err.Error()
				continue
			}
			results[i].Hot = append(results[i].Hot, took)
		}
	}
	m.show(p, engines, results, q)
	return ctx.Err()
}

// judge notes whether answer i is right: by the part's check, or beside that of the first engine.
func (m *measurement) judge(ctx context.Context, p *benchPart, q int, engine string, answers []benchRows, i int, results []*queryResult) error {
	if p.check != nil {
		err := p.check(ctx, q, engine, answers[i])
		var wrong wrongAnswer
		if errors.As(err, &wrong) {
			results[i].Differs = string(wrong)
			return nil
		}
		return err
	}
	if i > 0 && results[0].Error == "" {
		results[i].Differs = describeDifference(answers[0], answers[i])
	}
	return nil
}

// wrongAnswer is how an answer differs from the expected one.
type wrongAnswer string

// Error is the difference.
func (w wrongAnswer) Error() string { return string(w) }

// run runs a query within the time limit. After a failure the engine may have gone; it is started anew.
func (m *measurement) run(ctx context.Context, p *benchPart, e benchEngine, q int, rows bool) (float64, benchRows, error) {
	limited, cancel := context.WithTimeout(ctx, m.opts.timeout)
	defer cancel()
	took, got, err := e.run(limited, p.queries(e.name())[q], rows)
	if err == nil || ctx.Err() != nil {
		return took.Seconds(), got, err
	}
	if limited.Err() != nil {
		err = fmt.Errorf("took longer than %s", m.opts.timeout)
	}
	return 0, nil, errors.Join(err, m.restart(ctx, p, e))
}

// show writes a line about a query.
func (m *measurement) show(p *benchPart, engines []benchEngine, results []*queryResult, q int) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s Q%02d:", p.name, q)
	for i, r := range results {
		if i > 0 {
			b.WriteString(" |")
		}
		fmt.Fprintf(&b, " %s", engines[i].name())
		switch {
		case r.Error != "":
			b.WriteString(" failed: " + firstLine(r.Error))
			continue
		case len(r.Hot) == 0 && r.Differs == "":
			b.WriteString(" ok")
		case r.Cold > 0:
			fmt.Fprintf(&b, " cold %.1f", r.Cold*1e3)
		}
		if len(r.Hot) > 0 {
			fmt.Fprintf(&b, " hot %.1f ms", r.best()*1e3)
		}
		if r.Differs != "" {
			b.WriteString(" WRONG: " + firstLine(r.Differs))
		}
	}
	fmt.Fprintln(m.log, b.String())
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	const most = 400
	if len(line) > most {
		line = line[:most] + "..."
	}
	return line
}
