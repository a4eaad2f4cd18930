package clickbench

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/ebira-db/ebira/vec"
)

func hash(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64()
}

// TestSameRows keeps the rows what they are: measurements of different days must speak of the same data.
func TestSameRows(t *testing.T) {
	check := func(rows, seed uint64, block int, want uint64) {
		t.Helper()
		if got := hash(AppendNDJSON(nil, New(rows, seed).Block(block))); got != want {
			t.Errorf("block %d of %d rows with seed %d: hash %#x, want %#x", block, rows, seed, got, want)
		}
	}
	check(20_000, 1, 1, 0xa8e52722044bed48)
	check(1_000_000, 1, 3, 0x3f2f85230fac2d13)
	check(100_000_000, 1, 2000, 0x5f4d74a3b33827da)
	check(20_000, 2, 1, 0xb1c7141338d9aaf5)
}

// TestWhoMakes has several goroutines make the blocks of one generator at once.
func TestWhoMakes(t *testing.T) {
	g := New(100_000, 1)
	var alone, together [][]byte
	for i := range g.Blocks() {
		alone = append(alone, AppendNDJSON(nil, New(100_000, 1).Block(i)))
	}
	together = make([][]byte, g.Blocks())
	var wg sync.WaitGroup
	for i := g.Blocks() - 1; i >= 0; i-- {
		wg.Go(func() { together[i] = AppendNDJSON(nil, g.Block(i)) })
	}
	wg.Wait()
	rows := 0
	for i := range alone {
		if !bytes.Equal(alone[i], together[i]) {
			t.Errorf("block %d differs", i)
		}
		rows += bytes.Count(alone[i], []byte("\n"))
	}
	if rows != 100_000 {
		t.Errorf("%d rows", rows)
	}
}

// table is a generated table as Go values, column by column.
type table struct {
	t *testing.T
	b []*vec.Batch
	n float64
}

func load(t *testing.T, rows uint64) *table {
	g := New(rows, 1)
	out := &table{t: t, n: float64(rows)}
	for i := range g.Blocks() {
		out.b = append(out.b, g.Block(i))
	}
	return out
}

// value returns a value as a number, or as text.
func value(b *vec.Batch, col, row int) any {
	v := b.Cols[col]
	switch columns[col].kind {
	case smallint:
		return int64(vec.Slice[int16](v)[row])
	case integer, date:
		return int64(vec.Slice[int32](v)[row])
	case bigint, datetime:
		return vec.Slice[int64](v)[row]
	}
	return string(v.Bytes(row))
}

// each calls f with the values of some columns in every row.
func (t *table) each(cols []int, f func(v []any)) {
	for _, b := range t.b {
		for row := range b.Len {
			v := make([]any, len(cols))
			for i, c := range cols {
				v[i] = value(b, c, row)
			}
			f(v)
		}
	}
}

func (t *table) near(what string, got, want, tolerance float64) {
	t.t.Helper()
	if math.Abs(got-want) > float64(tolerance*want) {
		t.t.Errorf("%s: %.6g, published %.6g", what, got, want)
	}
}

func (t *table) share(cols []int, f func(v []any) bool) float64 {
	n := 0.0
	t.each(cols, func(v []any) {
		if f(v) {
			n++
		}
	})
	return n / t.n
}

func (t *table) average(col int) float64 {
	sum := 0.0
	t.each([]int{col}, func(v []any) { sum += float64(v[0].(int64)) })
	return sum / t.n
}

func (t *table) counts(cols ...int) map[[2]any]float64 {
	out := map[[2]any]float64{}
	t.each(cols, func(v []any) {
		var key [2]any
		copy(key[:], v)
		out[key]++
	})
	return out
}

// TestLooksPublished compares many rows with the published figures.
func TestLooksPublished(t *testing.T) {
	if testing.Short() {
		t.Skip("makes many rows")
	}
	d := load(t, 300_000)
	notEmpty := func(v []any) bool { return v[0] != "" }
	d.near("share of searches", d.share([]int{colSearchPhrase}, notEmpty), 0.1317, 0.05)
	d.near("share of AdvEngineID", d.share([]int{colAdvEngineID}, func(v []any) bool { return v[0] != int64(0) }), 0.0063, 0.1)
	d.near("share of counter 62", d.share([]int{colCounterID}, func(v []any) bool { return v[0] == int64(62) }), 0.00738, 0.01)
	d.near("share of google URLs", d.share([]int{colURL}, func(v []any) bool { return strings.Contains(v[0].(string), "google") }), googleURLs, 0.5)
	d.near("average ResolutionWidth", d.average(colResolutionWidth), 1513.49, 0.01)
	d.near("average UserID", d.average(colUserID), 2.529e18, 0.05)

	users, urls, phrases := d.counts(colUserID), d.counts(colURL), d.counts(colSearchPhrase)
	d.near("distinct users", float64(len(users))/d.n, 0.1763, 0.12) // 0.174 with a million rows
	d.near("distinct URLs", float64(len(urls))/d.n, 0.1834, 0.05)
	d.near("distinct phrases", float64(len(phrases))/d.n, 0.0602, 0.1)
	d.near("top user", users[[2]any{int64(1313338681122956954)}]/d.n, 29097.0/fullRows, 0.5)
	if n := users[[2]any{int64(rareUser)}]; n != rareUserRows {
		t.Errorf("user %d has %v rows, published %d", rareUser, n, rareUserRows)
	}
	for _, h := range homePages {
		d.near(h.url, urls[[2]any{h.url}]/d.n, float64(h.rows)/fullRows, 0.1)
	}
	for _, p := range searchPhrases[:2] {
		d.near(p.value, phrases[[2]any{p.value}]/d.n, p.share/fullRows, 0.3)
	}
	regions := d.counts(colRegionID)
	for region, share := range map[int64]float64{229: 0.183, 2: 0.0669, 208: 0.0426, 169: 0.0332} {
		d.near("region", regions[[2]any{region}]/d.n, share, 0.1)
	}
	most, twice := 0.0, 0
	for _, n := range d.counts(colWatchID, colClientIP) {
		if most = max(most, n); n == 2 {
			twice++
		}
	}
	if most != 2 || twice > 10 {
		t.Errorf("a (WatchID, ClientIP) occurs %v times, %d of them twice; published at most 2 times, less than 10 of them", most, twice)
	}
	d.runs()
	d.urlLengths()
}

// runs checks how long searches are, in rows that follow each other.
func (t *table) runs() {
	starts, rows, before := 0.0, 0.0, false
	t.each([]int{colSearchPhrase}, func(v []any) {
		search := v[0] != ""
		if search {
			if rows++; !before {
				starts++
			}
		}
		before = search
	})
	t.near("rows of a search", rows/starts, searchRun, 0.05)
}

// urlLengths checks the average lengths of URLs that query 27 publishes, for counters with more than 1 % of the rows.
func (t *table) urlLengths() {
	sum, n := map[int64]float64{}, map[int64]float64{}
	t.each([]int{colCounterID, colURL}, func(v []any) {
		id := v[0].(int64)
		sum[id] += float64(len(v[1].(string)))
		n[id]++
	})
	for id, want := range map[int64]float64{233773: 469.15, 245438: 271.78, 122612: 238.64, 199550: 109.81, 3922: 87.84, 62: 93.16} {
		t.near("URL bytes of a counter", sum[id]/n[id], want, 0.1)
	}
}

// TestSchema compares the columns with the published list.
func TestSchema(t *testing.T) {
	shared := os.Getenv("EBIRA_SHARED")
	if shared == "" {
		t.Skip("EBIRA_SHARED is not set")
	}
	b, err := os.ReadFile(filepath.Join(shared, "data", "hits_stats.json"))
	if err != nil {
		t.Fatal(err)
	}
	var stats struct {
		Columns []struct {
			Name string
			Type string `json:"duckdb_type"`
		}
	}
	if err := json.Unmarshal(b, &stats); err != nil {
		t.Fatal(err)
	}
	s := Schema()
	if len(s) != len(stats.Columns) {
		t.Fatalf("%d columns, published %d", len(s), len(stats.Columns))
	}
	same := map[string]string{"TEXT": "VARCHAR", "TIMESTAMP": "DATETIME", "INTEGER": "INT", "Date": "DATE", "CHAR": "VARCHAR(1)"}
	for i, c := range stats.Columns {
		want := c.Type
		if other, ok := same[want]; ok {
			want = other
		}
		if got := s[i].Type.String(); s[i].Name != c.Name || strings.TrimSuffix(got, "(6)") != want {
			t.Errorf("column %d is %s %s, published %s %s", i, s[i].Name, got, c.Name, c.Type)
		}
	}
}

// TestNDJSON reads the lines with another reader.
func TestNDJSON(t *testing.T) {
	b := New(20_000, 3).Block(0)
	lines := bytes.Split(bytes.TrimSuffix(AppendNDJSON(nil, b), []byte("\n")), []byte("\n"))
	if len(lines) != b.Len {
		t.Fatalf("%d lines of %d rows", len(lines), b.Len)
	}
	for row, line := range lines {
		if !utf8.Valid(line) {
			t.Fatalf("row %d is not UTF-8: %q", row, line)
		}
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		doc := map[string]any{}
		if err := d.Decode(&doc); err != nil {
			t.Fatalf("row %d: %v", row, err)
		}
		if len(doc) != columnCount || doc["Title"] != value(b, colTitle, row) || doc["ParamCurrency"] != "NH\x1c" || doc["BrowserCountry"] != value(b, colBrowserCountry, row) {
			t.Fatalf("row %d reads as %v", row, doc)
		}
	}
}

// BenchmarkBlock makes rows.
func BenchmarkBlock(b *testing.B) {
	g := New(10_000_000, 1)
	for i := range b.N {
		g.Block(i % g.Blocks())
	}
	b.ReportMetric(float64(b.N)*BlockRows/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkNDJSON writes rows as lines.
func BenchmarkNDJSON(b *testing.B) {
	rows := New(10_000_000, 1).Block(3)
	var buf []byte
	for range b.N {
		buf = AppendNDJSON(buf[:0], rows)
	}
	b.ReportMetric(float64(b.N)*BlockRows/b.Elapsed().Seconds(), "rows/s")
}
