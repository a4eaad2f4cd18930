package plan

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Stream yields the batches that a caller hands in while the plan runs: bulk ingestion. It can be run once.
type Stream struct {
	// Next returns the next batch, nil at the end. It is called by one goroutine at a time.
	Next func() (*vec.Batch, error)
	Out  types.Schema
}

// Schema returns the schema of the batches.
func (n *Stream) Schema() types.Schema { return n.Out }

// Children returns nothing: a Stream is a leaf.
func (n *Stream) Children() []Node { return nil }
