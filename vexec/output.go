package vexec

import (
	"context"

	"github.com/ebira-db/ebira/vec"
)

// output is the sink of the last pipelines: it hands the result to the caller of Run.
type output struct{ label }

type outputState struct{ r *run }

func (o *output) open(r *run) (sinkState, error) { return outputState{r}, nil }

func (s outputState) local(*worker) (step, error) { return s, nil }

func (s outputState) finalize(context.Context) error { return nil }

func (s outputState) push(b *vec.Batch) (status, error) { return more, s.r.emit(b) }

func (s outputState) endMorsel() error { return nil }

func (s outputState) finish() error { return nil }
