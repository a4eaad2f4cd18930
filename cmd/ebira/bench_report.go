package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// benchResult is everything that a measurement found, as --json writes it.
type benchResult struct {
	Suite   string        `json:"suite"`
	Date    string        `json:"date"`
	Machine string        `json:"machine"`
	Threads int           `json:"threads"`
	Parts   []*partResult `json:"parts"`
	Ratios  []benchRatio  `json:"ratios"`
}

// benchRatio is ours / peer; below 1 is better.
type benchRatio struct {
	Peer  string  `json:"peer"`
	What  string  `json:"what"`
	Ratio float64 `json:"ratio"`
}

func newBenchResult(suite string, o *benchOptions) *benchResult {
	return &benchResult{Suite: suite, Date: time.Now().Format(time.DateOnly), Machine: machineName(), Threads: o.threads}
}

// machineName is the processor's name and number.
func machineName() string {
	b, _ := os.ReadFile("/proc/cpuinfo")
	for _, line := range strings.Split(string(b), "\n") {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return fmt.Sprintf("%d x %s", runtime.NumCPU(), strings.TrimLeft(name, "\t :"))
		}
	}
	return fmt.Sprintf("%d x %s", runtime.NumCPU(), runtime.GOARCH)
}

// engineSums are sums over the queries that two engines both have.
type engineSums struct {
	hot, cold [2]float64
	logs      float64 // of the hot ratios
	n, colds  int
}

func addUp(a, b *engineResult) engineSums {
	var s engineSums
	for q, x := range a.Queries {
		y := b.Queries[q]
		if y == nil || x.Error != "" || y.Error != "" {
			continue
		}
		if x.Cold > 0 && y.Cold > 0 {
			s.cold[0] += x.Cold
			s.cold[1] += y.Cold
			s.colds++
		}
		if len(x.Hot) > 0 && len(y.Hot) > 0 {
			s.hot[0] += x.best()
			s.hot[1] += y.best()
			s.logs += math.Log(x.best() / y.best())
			s.n++
		}
	}
	return s
}

// compareEngines adds the ratios of two engines. The sums are called as prefix and suffix say.
func (r *benchResult) compareEngines(peer string, a, b *engineResult, name func(what string) string) {
	add := func(what string, x, y float64) {
		if x > 0 && y > 0 {
			r.Ratios = append(r.Ratios, benchRatio{peer, name(what), x / y})
		}
	}
	s := addUp(a, b)
	if s.n > 0 {
		add("hot_sum", s.hot[0], s.hot[1])
		add("hot_geomean", math.Exp(s.logs/float64(s.n)), 1)
	}
	if s.colds > 0 {
		add("cold_sum", s.cold[0], s.cold[1])
	}
	if b.Bytes > 0 { // else it reads the file in place
		add("load", a.Load, b.Load)
	}
	add("bytes", float64(a.Bytes), float64(b.Bytes))
}

// comparePeers adds the ratios of ours and each peer in each part.
func (r *benchResult) comparePeers() {
	for _, p := range r.Parts {
		a := p.engine(ours)
		for _, b := range p.Engines {
			if b != a {
				r.compareEngines(b.Engine, a, b, func(what string) string { return p.Part + "_" + what })
			}
		}
	}
}

// printRatios writes the lines that programs read.
func (r *benchResult) printRatios() string {
	var b strings.Builder
	for _, x := range r.Ratios {
		fmt.Fprintf(&b, "ratio %s %s %.3f\n", x.Peer, x.What, x.Ratio)
	}
	return b.String()
}

// problems are the queries that failed or were answered wrongly, a line each.
func (r *benchResult) problems() []string {
	var out []string
	for _, p := range r.Parts {
		for _, e := range p.Engines {
			for _, q := range queryNumbers(e) {
				switch x := e.Queries[q]; {
				case x.Error != "":
					out = append(out, fmt.Sprintf("%s Q%02d: %s failed: %s", p.Part, q, e.Engine, firstLine(x.Error)))
				case x.Differs != "":
					out = append(out, fmt.Sprintf("%s Q%02d: %s answered wrongly: %s", p.Part, q, e.Engine, firstLine(x.Differs)))
				}
			}
		}
	}
	return out
}

// oursWrong tells whether one of our answers is missing or wrong.
func (r *benchResult) oursWrong() bool {
	for _, p := range r.Parts {
		for _, x := range p.engine(ours).Queries {
			if x.Error != "" || x.Differs != "" {
				return true
			}
		}
	}
	return false
}

func queryNumbers(e *engineResult) []int {
	most := -1
	for q := range e.Queries {
		most = max(most, q)
	}
	var out []int
	for q := range most + 1 {
		if e.Queries[q] != nil {
			out = append(out, q)
		}
	}
	return out
}

// clickbenchResult is the format of ClickBench's result files: seconds of three runs per query, the first of them cold.
type clickbenchResult struct {
	System      string        `json:"system"`
	Date        string        `json:"date"`
	Machine     string        `json:"machine"`
	ClusterSize int           `json:"cluster_size"`
	Proprietary string        `json:"proprietary"`
	Hardware    string        `json:"hardware"`
	Tuned       string        `json:"tuned"`
	Comment     string        `json:"comment"`
	Tags        []string      `json:"tags"`
	LoadTime    float64       `json:"load_time"`
	DataSize    int64         `json:"data_size"`
	Result      [][3]*float64 `json:"result"`
}

// writeFolder writes the report: report.md, chart.svg, all figures, and a file in ClickBench's format for each engine and part.
func (r *benchResult) writeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := writeJSONFile(filepath.Join(dir, "all.json"), r); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "report.md"), []byte(r.markdown()+"\n## Ratios, ours / peer\n\n```\n"+r.printRatios()+"```\n"), 0o644); err != nil {
		return err
	}
	for _, p := range r.Parts {
		if err := os.WriteFile(filepath.Join(dir, "chart-"+p.Part+".svg"), []byte(chart(p)), 0o644); err != nil {
			return err
		}
		for _, e := range p.Engines {
			if err := writeJSONFile(filepath.Join(dir, e.Engine+"-"+p.Part+".json"), r.clickbenchFormat(p, e)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *benchResult) clickbenchFormat(p *partResult, e *engineResult) clickbenchResult {
	out := clickbenchResult{System: e.Engine + " (" + p.Part + ")", Date: r.Date, Machine: r.Machine, ClusterSize: 1, Proprietary: "no", Hardware: "cpu", Tuned: "no",
		Comment: fmt.Sprintf("%d rows, %d threads, version %s", p.Rows, r.Threads, e.Version), Tags: []string{p.Part}, LoadTime: e.Load, DataSize: e.Bytes}
	for _, q := range queryNumbers(e) {
		var runs [3]*float64
		if x := e.Queries[q]; x.Error == "" {
			times := x.Hot
			if x.Cold > 0 {
				times = append([]float64{x.Cold}, x.Hot...)
			}
			for i := range min(len(times), 3) {
				runs[i] = &times[i]
			}
		}
		out.Result = append(out.Result, runs)
	}
	return out
}

func writeJSONFile(name string, v any) error {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(b, '\n'), 0o644)
}

// markdown is the report for readers: a table per part.
func (r *benchResult) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s, %s, %d threads. Times in milliseconds: cold is the first run in a new process, hot the best of the runs after it.\n", r.Suite, r.Date, r.Machine, r.Threads)
	for _, p := range r.Parts {
		fmt.Fprintf(&b, "\n## %s, %d rows\n\n|", p.Part, p.Rows)
		rule := "|---|"
		for _, e := range p.Engines {
			fmt.Fprintf(&b, " | %s cold | %s hot", e.Engine, e.Engine)
			rule += "--:|--:|"
		}
		b.WriteString(" |\n" + rule + "\n")
		row := func(name string, cell func(e *engineResult) (cold, hot string)) {
			b.WriteString("| " + name)
			for _, e := range p.Engines {
				cold, hot := cell(e)
				b.WriteString(" | " + cold + " | " + hot)
			}
			b.WriteString(" |\n")
		}
		for _, q := range queryNumbers(p.Engines[0]) {
			row(fmt.Sprintf("Q%02d", q), func(e *engineResult) (string, string) { return e.Queries[q].cells() })
		}
		row("sum", func(e *engineResult) (string, string) {
			cold, hot := 0.0, 0.0
			for _, x := range e.Queries {
				cold += x.Cold
				hot += x.best()
			}
			return millis(cold), millis(hot)
		})
		row("load, s", func(e *engineResult) (string, string) { return "", fmt.Sprintf("%.1f", e.Load) })
		row("size, MB", func(e *engineResult) (string, string) { return "", fmt.Sprintf("%.1f", float64(e.Bytes)/1e6) })
		row("peak memory, MB", func(e *engineResult) (string, string) { return "", fmt.Sprintf("%.0f", float64(e.PeakBytes)/1e6) })
	}
	if problems := r.problems(); len(problems) > 0 {
		b.WriteString("\n## Failures and wrong answers\n\n- " + strings.Join(problems, "\n- ") + "\n")
	}
	return b.String()
}

func (q *queryResult) cells() (cold, hot string) {
	switch {
	case q == nil || q.Error != "":
		return "", "failed"
	case q.Differs != "":
		return millis(q.Cold), millis(q.best()) + " wrong"
	}
	return millis(q.Cold), millis(q.best())
}

func millis(seconds float64) string {
	if seconds == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", seconds*1e3)
}
