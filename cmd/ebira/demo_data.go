package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/ebira-db/ebira/sql/types"
)

// sampleRows is the number of events in each sample file.
const sampleRows = 2000

// writeSamples generates three days of shop events whose shape drifts: day 2 has fields that day 1 lacks, day 3 is Parquet. The content
// is the same at every run.
func writeSamples(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(7, 11))
	for day := 1; day <= 2; day++ {
		if err := writeDay(filepath.Join(dir, fmt.Sprintf("day%d.ndjson", day)), r, day); err != nil {
			return nil, err
		}
	}
	return []string{"day1.ndjson", "day2.ndjson", "day3.parquet"}, writeParquetDay(dir, r)
}

func writeDay(path string, r *rand.Rand, day int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for i := range sampleRows {
		fmt.Fprintln(w, sampleEvent(r, day, day*100_000+i))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

var (
	sections  = []string{"home", "books", "music", "garden", "tools"}
	countries = []string{"JP", "DE", "BR", "US"}
)

// sampleEvent is one line: a page view or an order.
func sampleEvent(r *rand.Rand, day, id int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"id":%d,"at":"2026-05-%02d %02d:%02d:%02d"`, id, day, r.IntN(24), r.IntN(60), r.IntN(60))
	if r.IntN(4) > 0 {
		fmt.Fprintf(&b, `,"kind":"view","payload":{"page":{"section":%q,"path":"/p/%d"},"ms":%d}`, sections[r.IntN(5)], r.IntN(300), r.IntN(900)+20)
	} else {
		var items []string
		for range r.IntN(3) + 1 {
			items = append(items, fmt.Sprintf(`{"sku":"A-%d","qty":%d}`, r.IntN(40), r.IntN(4)+1))
		}
		fmt.Fprintf(&b, `,"kind":"order","payload":{"total":%d.%02d,"items":[%s]}`, r.IntN(200), r.IntN(100), strings.Join(items, ","))
	}
	if day > 1 {
		fmt.Fprintf(&b, `,"country":%q,"score":%d.%d`, countries[r.IntN(4)], r.IntN(10), r.IntN(10))
		if r.IntN(10) == 0 {
			b.WriteString(`,"tags":["new","beta"]`)
		}
	}
	b.WriteString("}")
	return b.String()
}

// writeParquetDay makes the third day with the engine itself: rows go in as JSON and come out as a Parquet file.
func writeParquetDay(dir string, r *rand.Rand) error {
	tmp, err := os.MkdirTemp(dir, ".make-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := writeDay(filepath.Join(tmp, "day3.ndjson"), r, 3); err != nil {
		return err
	}
	c, err := openEmbedded(filepath.Join(tmp, "data"), []string{dir})
	if err != nil {
		return err
	}
	defer c.close()
	ctx := context.Background()
	for _, sql := range []string{
		"CREATE TABLE d (id BIGINT, at VARCHAR, kind VARCHAR, payload VARIANT, country VARCHAR, score DOUBLE)",
		"COPY INTO d FROM " + quote(filepath.Join(tmp, "day3.ndjson")) + " FILE_FORMAT = (TYPE = NDJSON)",
		"COPY INTO " + quote(filepath.Join(dir, "day3.parquet")) + " FROM d FILE_FORMAT = (TYPE = PARQUET) SINGLE = TRUE USE_RAW_PATH = TRUE OVERWRITE = TRUE",
	} {
		if err := execute(ctx, c, sql); err != nil {
			return err
		}
	}
	return nil
}

// indented prints a table three blanks to the right.
type indented struct {
	tableWriter
	out io.Writer
}

func (w *indented) begin(schema types.Schema) error {
	w.tableWriter.w = bufio.NewWriter(&prefixWriter{out: w.out, prefix: "   ", fresh: true})
	return w.tableWriter.begin(schema)
}

// prefixWriter puts a prefix before each line.
type prefixWriter struct {
	out    io.Writer
	prefix string
	fresh  bool
}

func (p *prefixWriter) Write(b []byte) (int, error) {
	var line []byte
	for _, c := range b {
		if p.fresh {
			line = append(line, p.prefix...)
		}
		line = append(line, c)
		p.fresh = c == '\n'
	}
	if _, err := p.out.Write(line); err != nil {
		return 0, err
	}
	return len(b), nil
}
