package vexec

import (
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/vec"
)

// stageSource reads staged files, one a morsel.
type stageSource struct {
	label
	n *plan.StageScan
}

func (s *stageSource) open(r *run) (sourceState, error) {
	if r.env.OpenStage == nil {
		return nil, sqlerr.New(sqlerr.Unsupported, "staged files cannot be read here")
	}
	return &stageState{s.n, r.env}, nil
}

type stageState struct {
	n   *plan.StageScan
	env *Env
}

func (s *stageState) morsels() int { return len(s.n.Files) }

func (s *stageState) reader(*worker) (reader, error) { return &stageFileReader{s: s}, nil }

type stageFileReader struct {
	s    *stageState
	file StageReader
	// rest are the parts of the last batch that have not been handed on.
	rest []*vec.Batch
}

func (r *stageFileReader) start(m int) error {
	if err := r.end(); err != nil {
		return err
	}
	f, err := r.s.env.OpenStage(r.s.n.Files[m], r.s.n.Read, r.s.n.Report)
	if err != nil {
		return err
	}
	r.file = f
	return nil
}

func (r *stageFileReader) next() (*vec.Batch, error) {
	for len(r.rest) == 0 {
		b, err := r.file.Next()
		if err != nil {
			return nil, err
		}
		if b == nil {
			return nil, r.end()
		}
		if b.Len > 0 {
			r.rest = cut(b, r.s.env.batchRows())
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
