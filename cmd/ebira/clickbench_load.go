package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"syscall"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ebira-db/ebira/clickbench"
)

// clickbenchData are the rows of a part: a Parquet file for predefined columns, else lines that are made while they are read.
type clickbenchData struct {
	layout    clickbench.Layout
	generator *clickbench.Generator
	file      string
}

func (d *clickbenchData) load(ctx context.Context, e benchEngine) error {
	server, isOurs := e.(*benchServer)
	switch {
	case isOurs && d.layout == clickbench.Predefined:
		return runAll(ctx, e, d.layout.CreateTable("hits"), "COPY INTO hits FROM "+quote(d.file)+" FILE_FORMAT = (TYPE = PARQUET)")
	case isOurs:
		if err := runAll(ctx, e, d.layout.CreateTable("hits")); err != nil {
			return err
		}
		return d.ingest(ctx, server.conn)
	case d.layout == clickbench.Predefined:
		return runAll(ctx, e, clickbench.Dialect(e.name()).Load(d.layout, d.file)...)
	}
	return d.pipe(ctx, e)
}

func runAll(ctx context.Context, e benchEngine, statements ...string) error {
	for _, sql := range statements {
		if _, _, err := e.run(ctx, sql, false); err != nil {
			return err
		}
	}
	return nil
}

// pipe lets a peer read the lines from a named pipe.
func (d *clickbenchData) pipe(ctx context.Context, e benchEngine) error {
	name := d.file + ".pipe.ndjson"
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		return fmt.Errorf("named pipe: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	wrote := make(chan error, 1)
	go func() {
		out, err := os.OpenFile(name, os.O_WRONLY, 0) // waits for the reader
		if err != nil {
			wrote <- err
			return
		}
		wrote <- errors.Join(writeClickbenchLines(ctx, out, d.generator), out.Close())
	}()
	err := runAll(ctx, e, clickbench.Dialect(e.name()).Load(d.layout, name)...)
	if err != nil {
		cancel()
		// The writer may still wait for somebody to open the pipe.
		if in, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
			in.Close()
		}
	}
	if failed := <-wrote; err == nil {
		err = failed
	}
	return errors.Join(err, os.Remove(name))
}

// ingestRows are the rows of a message: about 2 MB of text.
const ingestRows = 1000

// ingest sends the lines to the server as a bulk ingest of text, which becomes documents on its way into column v.
func (d *clickbenchData) ingest(ctx context.Context, c *flightConn) error {
	schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: arrow.BinaryTypes.String}}, nil)
	rd := array.ReaderFromIter(schema, d.records(ctx, schema))
	defer rd.Release()
	n, err := c.client.ExecuteIngest(c.auth(ctx), rd, &flightsql.ExecuteIngestOpts{Table: "hits", TableDefinitionOptions: &flightsql.TableDefinitionOptions{
		IfNotExist: flightsql.TableDefinitionOptionsTableNotExistOptionFail, IfExists: flightsql.TableDefinitionOptionsTableExistsOptionAppend}})
	if err != nil {
		return errors.New(message(err))
	}
	if n != int64(d.generator.Rows()) {
		return fmt.Errorf("%d rows were taken of %d", n, d.generator.Rows())
	}
	return nil
}

// records cuts the lines into messages.
func (d *clickbenchData) records(ctx context.Context, schema *arrow.Schema) iter.Seq2[arrow.RecordBatch, error] {
	lines := func(i int) []byte { return clickbench.AppendNDJSON(nil, d.generator.Block(i)) }
	return func(yield func(arrow.RecordBatch, error) bool) {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		send := func() bool {
			a := b.NewStringArray()
			defer a.Release()
			return yield(array.NewRecordBatch(schema, []arrow.Array{a}, int64(a.Len())), nil)
		}
		err := inOrder(ctx, d.generator.Blocks(), lines, func(block []byte) error {
			for len(block) > 0 {
				end := bytes.IndexByte(block, '\n')
				b.BinaryBuilder.Append(block[:end])
				block = block[end+1:]
				if b.Len() == ingestRows && !send() {
					return context.Canceled
				}
			}
			return nil
		})
		switch {
		case err != nil && !errors.Is(err, context.Canceled):
			yield(nil, err)
		case err == nil && b.Len() > 0:
			send()
		}
	}
}
