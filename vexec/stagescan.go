package vexec

import (
	"math"

	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// stageSource reads staged files, one a morsel.
type stageSource struct {
	label
	n *plan.StageScan
	// direct, if not nil, takes the values of VARIANT columns past the pipeline.
	direct *directWrite
}

func (s *stageSource) open(r *run) (sourceState, error) {
	if r.env.OpenStage == nil {
		return nil, sqlerr.New(sqlerr.Unsupported, "staged files cannot be read here")
	}
	return &stageState{s, s.n, r}, nil
}

type stageState struct {
	s *stageSource
	n *plan.StageScan
	r *run
}

func (s *stageState) morsels() int { return len(s.n.Files) }

func (s *stageState) reader(w *worker) (reader, error) {
	r := &stageFileReader{s: s}
	if s.s.direct != nil {
		var err error
		if r.into, err = s.s.direct.local(w); err != nil {
			return nil, err
		}
	}
	return r, nil
}

type stageFileReader struct {
	s    *stageState
	file StageReader
	into *directStep // nil if all values go into batches
	// rest are the parts of the last batch that have not been handed on.
	rest []*vec.Batch
}

func (r *stageFileReader) start(m int) error {
	if err := r.end(); err != nil {
		return err
	}
	f, err := r.s.r.env.OpenStage(r.s.n.Files[m], r.s.n.Read, r.s.n.Report)
	if err != nil {
		return err
	}
	r.file = f
	return nil
}

func (r *stageFileReader) next() (*vec.Batch, error) {
	for len(r.rest) == 0 {
		limit := math.MaxInt
		var sinks []variant.RowSink
		if r.into != nil {
			sinks, limit = r.into.sinks()
		}
		b, err := r.file.NextInto(sinks, limit)
		if err != nil {
			return nil, err
		}
		if b == nil {
			return nil, r.end()
		}
		if b.Len > 0 {
			r.rest = cut(b, r.s.r.env.batchRows())
		}
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b, nil
}

// end closes the current file, if there is one.
func (r *stageFileReader) end() error {
	f := r.file
	r.file, r.rest = nil, nil
	if f == nil {
		return nil
	}
	return f.Close()
}

func (r *stageFileReader) close() { _ = r.end() }
