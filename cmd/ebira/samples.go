package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

//go:generate go run . samples ../../samples

// readmeEvents is the number of records in samples/events.ndjson.
const readmeEvents = 1500

func samplesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "samples DIR",
		Short: "Write events.ndjson, the sample file of the README, into a folder",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return writeReadmeSample(args[0])
		},
	}
}

// writeReadmeSample writes events with an id and a document each. The bytes are the same at every run.
func writeReadmeSample(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, "events.ndjson"))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	r := rand.New(rand.NewPCG(3, 5))
	for id := 1; id <= readmeEvents; id++ {
		fmt.Fprintln(w, readmeEvent(r, id))
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// readmeEvent is one line: a page view, a search or an error, whose documents have different fields.
func readmeEvent(r *rand.Rand, id int) string {
	ms := r.IntN(400) + 1
	var doc string
	switch r.IntN(10) {
	case 0:
		doc = fmt.Sprintf(`{"kind":"error","ms":%d,"code":%d,"where":{"file":"shop.go","line":%d}}`, ms, 500+r.IntN(4), r.IntN(900)+1)
	case 1, 2, 3:
		doc = fmt.Sprintf(`{"kind":"search","ms":%d.5,"words":["%s","%s"],"hits":%d}`, ms, sections[r.IntN(5)], countries[r.IntN(4)], r.IntN(50))
	default:
		doc = fmt.Sprintf(`{"kind":"view","ms":%d,"page":{"section":"%s","path":"/p/%d"}}`, ms, sections[r.IntN(5)], r.IntN(300))
	}
	return fmt.Sprintf(`{"id":%d,"v":%s}`, id, doc)
}
