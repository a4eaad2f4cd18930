package vexec

import (
	"context"

	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/vec"
)

// status answers a pushed batch: whether the consumer wants another one.
type status bool

const (
	more status = false
	done status = true
)

// source is where the batches of a pipeline come from.
type source interface {
	// open is called once a run, after the pipelines that the source depends on have ended.
	open(r *run) (sourceState, error)
}

// sourceState is the part of a source that the workers of a run share.
type sourceState interface {
	// morsels is the number of independent pieces of work. Workers take them in ascending order.
	morsels() int
	// reader makes the reader of one worker.
	reader(w *worker) (reader, error)
}

// reader yields the batches of one morsel after the other. It belongs to one worker.
type reader interface {
	// start goes to morsel m.
	start(m int) error
	// next returns the next batch of the morsel, which has at least one row, or nil at the end.
	next() (*vec.Batch, error)
	close()
}

// operator changes batches on their way.
type operator interface {
	// open is called once a run, before the first pipeline that contains the operator.
	open(r *run) (operatorState, error)
}

// operatorState is the part of an operator that the workers of a run share.
type operatorState interface {
	// local makes the step of one worker that hands its output to next. It is called once for each pipeline and worker.
	local(w *worker, next step) (step, error)
}

// step takes the batches of one worker. It may keep them and their vectors, which never change.
type step interface {
	// push takes one batch of at least one row.
	push(b *vec.Batch) (status, error)
	// endMorsel says that the batches since the last call were one morsel, the worker's seq. It must be passed on.
	endMorsel() error
	// finish says that the worker has no more batches for this pipeline. It must be passed on.
	finish() error
}

// sink ends pipelines.
type sink interface {
	// open is called once a run, before the first pipeline into the sink.
	open(r *run) (sinkState, error)
}

// sinkState is the part of a sink that the workers of a run share.
type sinkState interface {
	// local returns the step of one worker; pipelines into the same sink share it.
	local(w *worker) (step, error)
	// finalize is called once, when all pipelines into the sink have ended well.
	finalize(ctx context.Context) error
}

// named says what EXPLAIN ANALYZE calls an operator, and the plan node it comes from (nil for auxiliary ones).
type named interface {
	name() string
	node() plan.Node
}

// label is embedded by descriptions to be named.
type label struct {
	text string
	from plan.Node
}

func (l *label) name() string    { return l.text }
func (l *label) node() plan.Node { return l.from }

// pipeline is a path from a source to a sink.
type pipeline struct {
	src  source
	ops  []operator
	sink sink
	// gate is the number of operators before the gate, -1 if there is none. Those behind it, and the sink, are used by one worker
	// at a time, in the order of the morsels.
	gate int
	// serial pipelines have one worker: their source yields rows in an order that must be kept.
	serial bool
	// once says of a pipeline of a recursion's step that it has to run once only.
	once bool
}

// passing is embedded by steps that do nothing at the end of morsels and of input but pass the word on.
type passing struct{ next step }

func (p *passing) endMorsel() error { return p.next.endMorsel() }
func (p *passing) finish() error    { return p.next.finish() }
