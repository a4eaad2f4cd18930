package vec

// Batch is a set of columns of the same length. Batches are dense: a filter gathers the rows it keeps, so no operator downstream
// has to look at a selection. A column that nobody reads may be nil.
type Batch struct {
	Cols []*Vector
	Len  int
}

// Sel is a selection: ascending row numbers of a batch.
type Sel []uint16

// NewBatch makes a batch; all columns must have length n.
func NewBatch(n int, cols ...*Vector) *Batch { return &Batch{Cols: cols, Len: n} }

// Gather returns the rows of sel.
func (b *Batch) Gather(sel Sel) *Batch {
	if len(sel) == b.Len {
		return b
	}
	out := &Batch{Cols: make([]*Vector, len(b.Cols)), Len: len(sel)}
	for i, c := range b.Cols {
		if c != nil {
			out.Cols[i] = GatherSel(c, sel)
		}
	}
	return out
}

// Slice returns rows [from, to) without copying values.
func (b *Batch) Slice(from, to int) *Batch {
	if from == 0 && to == b.Len {
		return b
	}
	out := &Batch{Cols: make([]*Vector, len(b.Cols)), Len: to - from}
	for i, c := range b.Cols {
		if c != nil {
			out.Cols[i] = c.Slice(from, to)
		}
	}
	return out
}

// SizeBytes estimates the memory of the batch.
func (b *Batch) SizeBytes() int64 {
	var n int64
	for _, c := range b.Cols {
		if c != nil {
			n += c.SizeBytes()
		}
	}
	return n
}
