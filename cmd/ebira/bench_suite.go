package main

import (
	"context"
	"time"
)

// ours is the name of Ebira among the engines.
const ours = "ebira"

// benchEngine is a database under measurement, which runs in a process of its own. It belongs to one goroutine.
type benchEngine interface {
	name() string
	version() string
	// clear removes the database.
	clear() error
	// start opens the database in a new process; what was loaded before is there.
	start(ctx context.Context) error
	// run runs a statement to its last row and returns the time it took; the rows only if asked for.
	run(ctx context.Context, sql string, rows bool) (time.Duration, benchRows, error)
	// bytes is the size of the database on disk, 0 if it has none of its own.
	bytes(ctx context.Context) (int64, error)
	// peak is the most memory that a process of the engine has had.
	peak() int64
	// stop ends the process.
	stop() error
}

// benchRows are the rows of an answer as text, nil for NULL.
type benchRows [][]*string

// benchPart is a piece of a benchmark: tables in one layout, and queries over them.
type benchPart struct {
	name string
	rows int64 // of the data, for the report
	// queries returns the texts for an engine, in the same order for all.
	queries func(engine string) []string
	// load makes and fills the tables; its time is the load time.
	load func(ctx context.Context, e benchEngine) error
	// open are statements that an engine needs in each new process.
	open func(engine string) []string
	// check judges an answer to a query; nil means that the answers of the peers are compared with ours.
	check func(ctx context.Context, query int, engine string, rows benchRows) error
}

// benchOptions are the flags of a measurement.
type benchOptions struct {
	work    string   // folder for data and databases
	allowed []string // other folders that our server reads
	threads int
	memory  byteSize
	runs    int // hot runs, of which the best counts
	cold    bool
	only    []int // queries; empty means all
	timeout time.Duration
	python  string
}

// partResult are the figures of a part.
type partResult struct {
	Part    string          `json:"part"`
	Rows    int64           `json:"rows"`
	Engines []*engineResult `json:"engines"`
}

// engineResult are the figures of an engine; times are seconds.
type engineResult struct {
	Engine    string  `json:"engine"`
	Version   string  `json:"version"`
	Load      float64 `json:"load_seconds"`
	Bytes     int64   `json:"bytes"`
	PeakBytes int64   `json:"peak_bytes"`
	// Queries has the figures of each query that was run, by its number.
	Queries map[int]*queryResult `json:"queries"`
}

// queryResult are the times of a query: Cold in a new process, 0 if it was not measured.
type queryResult struct {
	Cold  float64   `json:"cold,omitempty"`
	Hot   []float64 `json:"hot"`
	Error string    `json:"error,omitempty"`
	// Differs says how the answer is not the expected one.
	Differs string `json:"differs,omitempty"`
}

// best is the best hot time, 0 without one.
func (q *queryResult) best() float64 {
	best := 0.0
	for i, t := range q.Hot {
		if i == 0 || t < best {
			best = t
		}
	}
	return best
}

// engine returns the figures of an engine, nil if it took no part.
func (p *partResult) engine(name string) *engineResult {
	for _, e := range p.Engines {
		if e.Engine == name {
			return e
		}
	}
	return nil
}
