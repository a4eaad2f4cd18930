package session

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// hitsFile writes about 64 MB of real web analytics rows (105 fields each) as NDJSON, from the shared test data.
func hitsFile(b *testing.B, dir string) (name string, size int64) {
	shared := os.Getenv("EBIRA_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "shared")
	}
	raw, err := os.ReadFile(filepath.Join(shared, "data", "hits_stats.json"))
	if err != nil {
		b.Skip("the shared test data is not here (set EBIRA_SHARED)")
	}
	var stats struct {
		Columns []struct {
			Name string `json:"name"`
			Type string `json:"duckdb_type"`
		} `json:"columns"`
	}
	if err := json.Unmarshal(raw, &stats); err != nil {
		b.Fatal(err)
	}
	f, err := os.Open(filepath.Join(shared, "data", "duckdb", "data", "csv", "click_mini.tsv.gz"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	var doc bytes.Buffer
	for sc := bufio.NewScanner(z); sc.Scan(); {
		for i, cell := range strings.Split(strings.ToValidUTF8(sc.Text(), "?"), "\t") {
			v, _ := json.Marshal(cell)
			if t := strings.ToUpper(stats.Columns[i].Type); strings.HasSuffix(t, "INT") || t == "INTEGER" {
				if _, err := strconv.ParseInt(cell, 10, 64); err == nil {
					v = []byte(cell)
				}
			}
			fmt.Fprintf(&doc, "%c%q:%s", "{,"[min(i, 1)], stats.Columns[i].Name, v)
		}
		doc.WriteString("}\n")
	}
	name = filepath.Join(dir, "hits.ndjson")
	out, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	for size < 64<<20 {
		n, err := out.Write(doc.Bytes())
		if err != nil {
			b.Fatal(err)
		}
		size += int64(n)
	}
	return name, size
}

func benchmarkCopy(b *testing.B, create, load string) {
	dir := b.TempDir()
	files := filepath.Join(dir, "files")
	if err := os.Mkdir(files, 0o755); err != nil {
		b.Fatal(err)
	}
	name, size := hitsFile(b, files)
	e, err := Open(Config{Dir: filepath.Join(dir, "data"), AllowedDirs: []string{files}, NoBackground: true})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	s := e.NewSession("")
	ctx := context.Background()
	b.SetBytes(size)
	for b.Loop() {
		for _, sql := range []string{create, fmt.Sprintf(load, name)} {
			r, err := s.Exec(ctx, sql)
			if err != nil {
				b.Fatal(err)
			}
			r.Close()
		}
	}
}

func BenchmarkCopyIntoVariant(b *testing.B) {
	benchmarkCopy(b, "CREATE OR REPLACE TABLE t (v VARIANT)", "COPY INTO t FROM (SELECT $1 FROM '%s' (FILE_FORMAT => 'NDJSON'))")
}

func BenchmarkCopyIntoColumns(b *testing.B) {
	benchmarkCopy(b, "CREATE OR REPLACE TABLE t (\"WatchID\" BIGINT) ENABLE_SCHEMA_EVOLUTION = true", "COPY INTO t FROM '%s' FILE_FORMAT = (TYPE = NDJSON)")
}
