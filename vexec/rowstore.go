package vexec

import (
	"slices"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// rowStore keeps the batches that one worker collects for a breaker, in a form that refers to nothing else, and charges for them.
type rowStore struct {
	r      *run
	charge charge
	// perRow is charged for each row on top of its values: what the breaker will need to work on it.
	perRow  int64
	batches []storedBatch
	rows    int
	// count is how many rows were ever stored.
	count int64
	dicts map[*vec.Vector]struct{}
}

// storedBatch is a batch with the number of the morsel it came from, and how many rows the worker stored before it.
type storedBatch struct {
	seq    int64
	before int64
	n      int
	cols   []*vec.Vector
}

func newRowStore(r *run) *rowStore {
	return &rowStore{r: r, charge: r.charge(), dicts: map[*vec.Vector]struct{}{}}
}

// ownedRows are rows about to be stored; dicts are the dictionaries that columns refer to.
type ownedRows struct {
	storedBatch
	dicts []*vec.Vector
}

func own(seq int64, n int, cols []*vec.Vector) *ownedRows {
	o := &ownedRows{storedBatch: storedBatch{seq: seq, n: n, cols: make([]*vec.Vector, len(cols))}, dicts: make([]*vec.Vector, len(cols))}
	for i, c := range cols {
		o.cols[i], o.dicts[i] = flatOwned(c)
	}
	return o
}

// add stores rows if take agrees to their size.
func (s *rowStore) add(o *ownedRows, take func(int64) error) error {
	size := int64(o.n) * s.perRow
	for i, v := range o.cols {
		dict := o.dicts[i]
		if dict == nil {
			size += v.SizeBytes()
			continue
		}
		size += int64(v.Len) * 16
		if _, known := s.dicts[dict]; !known {
			size += dict.SizeBytes()
		}
	}
	if err := take(size); err != nil {
		return err
	}
	for _, dict := range o.dicts {
		if dict != nil {
			s.dicts[dict] = struct{}{}
		}
	}
	o.before = s.count
	s.batches = append(s.batches, o.storedBatch)
	s.rows += o.n
	s.count += int64(o.n)
	return nil
}

// addOrSpill stores n rows, and makes room for them where there is none: spill writes what the store holds and empties it. The error is
// of kind Resource if that does not help.
func (s *rowStore) addOrSpill(seq int64, n int, cols []*vec.Vector, spill func() error) error {
	r := s.r
	o := own(seq, n, cols)
	if r.env.Options.ForceSpill && len(s.batches) >= forcedBatches {
		if err := spill(); err != nil {
			return err
		}
	}
	for {
		err := s.add(o, s.charge.grow)
		if err == nil || sqlerr.KindOf(err) != sqlerr.Resource || r.env.Spill == nil {
			return err
		}
		relieved, err := r.relieve(s.charge.used())
		switch {
		case err != nil:
			return err
		case relieved:
			continue
		case s.charge.used() < r.memory.chunk:
			return s.addForced(o, spill)
		}
		if err := spill(); err != nil {
			return err
		}
	}
}

// addForced stores rows at the cost of the reserve. If that is used up too, the rows, which are in memory anyway, go to disk with the others.
func (s *rowStore) addForced(o *ownedRows, spill func() error) error {
	err := s.add(o, s.charge.force)
	if err == nil || sqlerr.KindOf(err) != sqlerr.Resource {
		return err
	}
	if err := s.add(o, func(int64) error { return nil }); err != nil {
		return err
	}
	return spill()
}

// forcedBatches is how many batches operators hold with Options.ForceSpill.
const forcedBatches = 2

// clear forgets all rows.
func (s *rowStore) clear() {
	s.batches, s.rows = nil, 0
	clear(s.dicts)
	s.charge.clear()
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
