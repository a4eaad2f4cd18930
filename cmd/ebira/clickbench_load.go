package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"

	"github.com/ebira-db/ebira/clickbench"
)

// clickbenchData are the rows of a part as files that all engines load: one of Parquet for predefined columns, else a folder of lines. The
// lines are compressed to a thirteenth; as text, a million rows are 2.3 GB.
type clickbenchData struct {
	layout    clickbench.Layout
	generator *clickbench.Generator
	origin    clickbench.Origin
	rows      int64
	parquet   string
	lines     string // folder, or the published file
}

// linesFolder is the folder of the lines within the folder of a run.
const linesFolder = "lines"

// lineFiles is the number of files of lines, so that several threads can read.
const lineFiles = 8

// write makes the files that the layout needs and that are not there yet.
func (d *clickbenchData) write(ctx context.Context) error {
	if d.origin == clickbench.Published {
		return nil
	}
	if d.layout == clickbench.Predefined {
		return writeClickbenchFile(ctx, d.parquet, d.generator, 0, d.generator.Blocks())
	}
	if exists(d.lines) {
		return nil
	}
	if err := os.Mkdir(d.lines, 0o755); err != nil {
		return err
	}
	errs := make([]error, lineFiles)
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i := range lineFiles {
		first, end := d.generator.Blocks()*i/lineFiles, d.generator.Blocks()*(i+1)/lineFiles
		if first == end {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			errs[i] = writeClickbenchFile(ctx, filepath.Join(d.lines, fmt.Sprintf("hits%d.ndjson.zst", i)), d.generator, first, end)
			<-slots
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// load makes table hits in an engine and fills it.
func (d *clickbenchData) load(ctx context.Context, e benchEngine) error {
	source := d.parquet
	if d.layout != clickbench.Predefined {
		source = d.lines
	}
	isFolder := source == d.lines && d.origin == clickbench.Generated
	if e.name() != ours {
		if isFolder {
			source = filepath.Join(source, "*.ndjson.zst")
		}
		return runAll(ctx, e, clickbench.Dialect(e.name()).Load(d.layout, d.origin, source)...)
	}
	if isFolder {
		source += "/"
	}
	if err := runAll(ctx, e, d.layout.CreateTable("hits", d.origin), d.layout.Load(d.origin, source)); err != nil {
		return err
	}
	_, count, err := e.run(ctx, "SELECT COUNT(*) FROM hits", true)
	if err == nil && textOf(count[0][0]) != strconv.FormatInt(d.rows, 10) {
		return fmt.Errorf("%s has %s rows, not %d: say so with --rows", source, textOf(count[0][0]), d.rows)
	}
	return err
}

func runAll(ctx context.Context, e benchEngine, statements ...string) error {
	for _, sql := range statements {
		if _, _, err := e.run(ctx, sql, false); err != nil {
			return err
		}
	}
	return nil
}
