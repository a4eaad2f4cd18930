package vexec

import (
	"slices"

	"github.com/ebira-db/ebira/cache"
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// rowStore keeps the batches that one worker collects for a breaker, in a form that refers to nothing else, and charges for them.
type rowStore struct {
	account *cache.Account
	batches []storedBatch
	rows    int
	dicts   map[*vec.Vector]struct{}
}

// storedBatch is a batch with the number of the morsel it came from.
type storedBatch struct {
	seq  int64
	n    int
	cols []*vec.Vector
}

func newRowStore(r *run) *rowStore {
	return &rowStore{account: r.account(), dicts: map[*vec.Vector]struct{}{}}
}

// add stores n rows. The error is of kind Resource.
func (s *rowStore) add(seq int64, n int, cols []*vec.Vector) error {
	own := make([]*vec.Vector, len(cols))
	var size int64
	for i, c := range cols {
		v, dict := flatOwned(c)
		own[i] = v
		if dict == nil {
			size += v.SizeBytes()
			continue
		}
		size += int64(v.Len) * 16
		if _, known := s.dicts[dict]; !known {
			s.dicts[dict] = struct{}{}
			size += dict.SizeBytes()
		}
	}
	if err := s.account.Grow(size); err != nil {
		return err
	}
	s.batches = append(s.batches, storedBatch{seq, n, own})
	s.rows += n
	return nil
}

// gatherStores returns the batches of several stores in the order of the input, and their number of rows. The stores are empty then.
func gatherStores(stores []*rowStore) (batches []storedBatch, rows int) {
	for _, s := range stores {
		batches = append(batches, s.batches...)
		rows += s.rows
		s.batches, s.rows = nil, 0
	}
	slices.SortStableFunc(batches, func(a, b storedBatch) int { return int(min(max(a.seq-b.seq, -1), 1)) })
	return batches, rows
}

// joinBatches makes one vector of each column of the batches, columns in parallel. The batches lose them.
func joinBatches(r *run, batches []storedBatch, ts []types.Type) ([]*vec.Vector, error) {
	out := make([]*vec.Vector, len(ts))
	err := r.parallel(len(ts), func(c int) error {
		parts := make([]*vec.Vector, len(batches))
		for i, b := range batches {
			parts[i] = b.cols[c]
			b.cols[c] = nil
		}
		if len(parts) == 0 {
			out[c] = vec.NewBuilder(ts[c], 0).Finish()
			return nil
		}
		out[c] = vec.Concat(ts[c], parts...)
		return nil
	})
	return out, err
}

// storedKeys says how the key expressions of a breaker are stored beside its columns: a key that is a column is not stored again.
type storedKeys struct {
	// width is the number of columns stored as they come.
	width int
	// extra are the expressions stored behind them, at the place of each key.
	extra []expr.Expr
	at    []int
}

// newStoredKeys plans to store width columns and the keys.
func newStoredKeys(width int, keys []expr.Expr) storedKeys {
	s := storedKeys{width: width}
	for _, k := range keys {
		if c, ok := k.(*expr.Column); ok && c.Index < width {
			s.at = append(s.at, c.Index)
			continue
		}
		s.at = append(s.at, width+len(s.extra))
		s.extra = append(s.extra, k)
	}
	return s
}

// columns returns what is to be stored of a batch.
func (s *storedKeys) columns(c *function.Ctx, b *vec.Batch) ([]*vec.Vector, error) {
	extra, err := evalAll(c, s.extra, b)
	if err != nil {
		return nil, err
	}
	return append(append(make([]*vec.Vector, 0, s.width+len(extra)), b.Cols[:s.width]...), extra...), nil
}

// types returns the types of what is stored, of which those of the columns are given.
func (s *storedKeys) types(columns []types.Type) []types.Type {
	out := append([]types.Type(nil), columns[:s.width]...)
	for _, e := range s.extra {
		out = append(out, e.Type())
	}
	return out
}

// keys picks the keys out of what is stored.
func (s *storedKeys) keys(stored []*vec.Vector) []*vec.Vector {
	out := make([]*vec.Vector, len(s.at))
	for i, at := range s.at {
		out[i] = stored[at]
	}
	return out
}

// schemaTypes returns the types of a schema's fields.
func schemaTypes(s types.Schema) []types.Type {
	out := make([]types.Type, len(s))
	for i, f := range s {
		out[i] = f.Type
	}
	return out
}
