package difftest

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// input is a real file as both engines can load it.
type input struct {
	name, path string
	// large inputs are left out of short runs.
	large bool
}

// ndjsonInputs lists the real files as NDJSON; what is zipped or one big document is rewritten into dir.
func ndjsonInputs(t *testing.T, data, dir string) []input {
	t.Helper()
	var out []input
	add := func(path string, large bool) {
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), filepath.Ext(strings.TrimSuffix(path, ".gz")))
		out = append(out, input{name, path, large})
	}
	for _, f := range glob(t, data, "zeek-json/zeek-json/*.gz") {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		add(f, info.Size() > 400<<10)
	}
	for _, f := range glob(t, data, "otrf-windows-events/datasets/atomic/*/*/host/*.zip") {
		add(unzip(t, f, dir), true)
	}
	add(filepath.Join(data, "databend/tests/data/ontime_200.ndjson"), false)
	for _, f := range glob(t, data, "simdjson-go/*/parking-citations.json") {
		add(f, false)
	}
	examples := filepath.Join(data, "simdjson-data/jsonexamples")
	add(spread(t, filepath.Join(examples, "twitter.json"), dir, "statuses"), false)
	add(spread(t, filepath.Join(examples, "github_events.json"), dir, ""), false)
	add(spread(t, filepath.Join(examples, "citm_catalog.json"), dir, "performances"), false)
	add(spread(t, filepath.Join(examples, "canada.json"), dir, "features"), false)
	add(spreadAll(t, glob(t, data, "aws-cloudtrail/CloudTrail/*.json"), filepath.Join(dir, "cloudtrail.ndjson"), "Records"), false)
	return out
}

func glob(t *testing.T, dir, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no file matches %s in the shared data (%v)", pattern, err)
	}
	return files
}

// unzip writes the one file of a zip archive into dir.
func unzip(t *testing.T, archive, dir string) string {
	t.Helper()
	z, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	r, err := z.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	path := filepath.Join(dir, strings.TrimSuffix(filepath.Base(archive), ".zip")+".ndjson")
	w, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, r); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// spread writes the elements of an array of a JSON document, under a key or the document itself, as NDJSON into dir.
func spread(t *testing.T, file, dir, key string) string {
	t.Helper()
	return spreadAll(t, []string{file}, filepath.Join(dir, strings.TrimSuffix(filepath.Base(file), ".json")+".ndjson"), key)
}

func spreadAll(t *testing.T, files []string, to, key string) string {
	t.Helper()
	var out bytes.Buffer
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if key != "" {
			var doc map[string]json.RawMessage
			if err := json.Unmarshal(text, &doc); err != nil {
				t.Fatalf("%s: %v", f, err)
			}
			text = doc[key]
		}
		var elements []json.RawMessage
		if err := json.Unmarshal(text, &elements); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		for _, e := range elements {
			if err := json.Compact(&out, e); err != nil {
				t.Fatal(err)
			}
			out.WriteByte('\n')
		}
	}
	if err := os.WriteFile(to, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return to
}
