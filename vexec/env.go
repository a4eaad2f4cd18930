package vexec

import (
	"math/bits"

	"github.com/ebira-db/ebira/cache"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/storage/stage"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// Env is what a query may use. It is not changed while the query runs.
type Env struct {
	// Fn is what functions may know of the statement; never nil.
	Fn *function.Ctx
	// Workers is the number of goroutines of a query; less than 1 means 1.
	Workers int
	// BatchRows is the most rows of the batches that sources make, at most vec.MaxSize; 0 means vec.Size.
	BatchRows int
	// Budget is the query's own memory budget: whoever made it closes it after the query. nil means no limit.
	Budget *cache.Budget
	// Spill is where operators put what their budget has no room for; nil makes that an error of kind Resource.
	Spill *SpillSpace
	// OpenSegment opens a segment of a table for reading. Readers are shared by workers and not closed.
	OpenSegment func(*catalog.Table, *segment.Meta) (*segment.Reader, error)
	// NewSegment starts a segment of a table.
	NewSegment func(*catalog.Table) (*segment.Writer, error)
	// OpenStage starts reading a staged file; the report is shared by all readers of a load.
	OpenStage func(stage.File, stage.ReadSpec, *stage.Report) (StageReader, error)
	Options   Options
}

// StageReader yields the batches of one staged file, nil at the end; see stage.Scanner. It belongs to one goroutine.
type StageReader interface {
	NextInto(sinks []variant.RowSink, limit int) (*vec.Batch, error)
	Close() error
}

// Options change how a query runs, never what it answers. The zero value is the usual way; tests run all others.
type Options struct {
	// NoPruning reads all pages, whatever their zone maps say.
	NoPruning bool
	// NoLateMaterialization reads all columns of a page before the first condition.
	NoLateMaterialization bool
	// NoRowFilters keeps what top-n and joins find out while the query runs from the sources of its rows.
	NoRowFilters bool
	// NoDirectVariants makes VARIANT values of staged files pass through vectors on their way into segments.
	NoDirectVariants bool
	// ConstantHash gives all keys the same hash, so that hash tables live on their comparisons.
	ConstantHash bool
	// PartitionGroups is the number of groups of one worker from which an aggregate is partitioned, StoredBytes how much of its rows a
	// worker stores before it aggregates them; 0 means the defaults.
	PartitionGroups int
	StoredBytes     int64
	// ForceSpill makes operators spill after a few batches, however much memory there is, and cut what they spilled to the utmost.
	ForceSpill bool
	// DeltaRows and DeltaBytes bound the rows that ride inside an Edit instead of a segment; 0 means the defaults, below zero none.
	DeltaRows, DeltaBytes int64
}

// The defaults of Options.
const (
	// defaultPartitionGroups is about where the table of a worker outgrows a second-level cache (BenchmarkGroupBy).
	defaultPartitionGroups = 32 << 10
	// defaultStoredBytes is enough for a few million rows: the more come at once, the less often a partition's table enters the cache.
	defaultStoredBytes = 256 << 20
	// defaultDeltaRows and defaultDeltaBytes make writes from which a segment is worth its file go to one at once.
	defaultDeltaRows  = 16 << 10
	defaultDeltaBytes = 4 << 20
)

// batchRows returns the row limit of batches.
func (e *Env) batchRows() int {
	if e.BatchRows <= 0 {
		return vec.Size
	}
	return min(e.BatchRows, vec.MaxSize)
}

// partitionGroups returns Options.PartitionGroups or its default.
func (e *Env) partitionGroups() int {
	if e.Options.PartitionGroups > 0 {
		return e.Options.PartitionGroups
	}
	return defaultPartitionGroups
}

// storedBytes is how much of its rows a worker of an aggregate stores before it aggregates them.
func (e *Env) storedBytes() int64 {
	if e.Options.StoredBytes > 0 {
		return e.Options.StoredBytes
	}
	return defaultStoredBytes
}

// partBits returns the logarithm of the number of partitions of hash tables, two for each worker so that uneven ones do no harm.
func (e *Env) partBits() uint {
	return uint(min(max(bits.Len(uint(2*max(e.Workers, 1)-1)), 2), maxPartBits))
}

// maxPartBits bounds the number of partitions.
const maxPartBits = 6

// deltaLimits returns the bounds of rows that need no segment.
func (e *Env) deltaLimits() (rows, bytes int64) {
	pick := func(given, usual int64) int64 {
		switch {
		case given < 0:
			return 0
		case given == 0:
			return usual
		}
		return given
	}
	return pick(e.Options.DeltaRows, defaultDeltaRows), pick(e.Options.DeltaBytes, defaultDeltaBytes)
}
