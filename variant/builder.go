package variant

import (
	"slices"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

const (
	// blockBytes is the size at which a builder goes on in a new buffer.
	blockBytes = 1 << 20
	// keepNames is the most names that a builder carries on into its next batch.
	keepNames = 4096
)

// BatchBuilder builds a variant vector whose rows share one metadata dictionary. Each row is BeginRow, the events of one JSON value (see
// the methods from BeginObject to String, which make it a visitor of JSON parsers), EndRow; or one of the Append methods.
// Of equal names in one object the last wins. A value may have up to 4 GiB.
type BatchBuilder struct {
	encoder
	t     types.Type
	views []vec.View
	valid vec.Bitmap // nil while no row is NULL
	nulls int
	bufs  [][]byte

	open           bool
	start          int // of the row begun
	dupsBefore     int // duplicates before the last row
	lastTranslated translation
}

// NewBatchBuilder makes a builder with room for that many rows.
func NewBatchBuilder(rows int) *BatchBuilder {
	return &BatchBuilder{t: types.Of(types.Variant), views: make([]vec.View, 0, rows)}
}

// Len returns the number of finished rows.
func (b *BatchBuilder) Len() int { return len(b.views) }

// SizeBytes estimates the memory of the rows so far.
func (b *BatchBuilder) SizeBytes() int {
	n := len(b.views)*16 + cap(b.buf)
	for _, buf := range b.bufs {
		n += len(buf)
	}
	return n
}

// Duplicates returns the number of object members dropped so far because a later one has the same name.
func (b *BatchBuilder) Duplicates() int { return b.dups }

// BeginRow begins a row.
func (b *BatchBuilder) BeginRow() {
	if len(b.buf) >= blockBytes {
		b.bufs = append(b.bufs, b.buf)
		b.buf = make([]byte, 0, blockBytes+blockBytes/8)
	}
	b.open, b.start, b.dupsBefore = true, len(b.buf), b.dups
}

// EndRow ends the row begun, which must hold exactly one value.
func (b *BatchBuilder) EndRow() {
	v := vec.MakeView(b.buf[b.start:], len(b.bufs), b.start)
	if v.Inline() {
		b.buf = b.buf[:b.start]
	}
	b.views = append(b.views, v)
	b.grow(true)
	b.open = false
}

func (b *BatchBuilder) grow(valid bool) {
	n := len(b.views)
	if b.valid == nil {
		if valid {
			return
		}
		b.valid = vec.NewBitmapSet(n - 1)
	}
	if n > len(b.valid)*64 {
		b.valid = append(b.valid, 0)
	}
	if valid {
		b.valid.Set(n - 1)
	}
}

// Undo drops the row begun, or else the last row. It must not be called twice in a row.
func (b *BatchBuilder) Undo() {
	b.dups = b.dupsBefore
	if b.open {
		b.abandon(b.start)
		b.open = false
		return
	}
	last := len(b.views) - 1
	if v := b.views[last]; !v.Inline() && v.Buffer() == len(b.bufs) {
		b.buf = b.buf[:v.Offset()]
	}
	b.views = b.views[:last]
	if b.valid != nil {
		if b.valid.Get(last) {
			b.valid.Clear(last)
		} else {
			b.nulls--
		}
		b.valid = b.valid[:(last+63)/64]
	}
}

// AppendNull appends a SQL NULL row.
func (b *BatchBuilder) AppendNull() {
	b.dupsBefore = b.dups
	b.views = append(b.views, vec.View{})
	b.nulls++
	b.grow(false)
}

// AppendValue appends a value that refers to another dictionary. Parts that cannot be read become JSON null.
func (b *BatchBuilder) AppendValue(meta, value []byte) {
	b.BeginRow()
	b.lastTranslated.write(&b.encoder, meta, value)
	b.EndRow()
}

// AppendScalar appends row i of a vector of any type but ARRAY, MAP, STRUCT and INTERVAL as a value of its kind; NULL becomes a NULL row.
func (b *BatchBuilder) AppendScalar(v *vec.Vector, i int) {
	if v.IsNull(i) {
		b.AppendNull()
		return
	}
	var s scalar
	s.load(v, i)
	b.BeginRow()
	b.scalar(&s)
	b.EndRow()
}

// Finish returns the rows as a flat VARIANT vector with constant metadata. The builder is empty afterwards and may be used again.
func (b *BatchBuilder) Finish() *vec.Vector {
	v := &vec.Vector{Type: b.t, Len: len(b.views), Data: b.views, Bufs: b.bufs, Meta: metaVector(b.dict.encoded(), len(b.views))}
	if len(b.buf) > 0 {
		v.Bufs = append(v.Bufs, b.buf)
	}
	if b.nulls > 0 {
		v.Valid = b.valid
	}
	b.views, b.valid, b.nulls, b.bufs = make([]vec.View, 0, len(b.views)), nil, 0, nil
	b.buf = make([]byte, 0, min(cap(b.buf), blockBytes))
	if len(b.dict.names) > keepNames {
		b.dict, b.root, b.shapes = dict{}, shape{}, 0
	}
	return v
}

// metaVector is a constant vector of n metadata values.
func metaVector(meta []byte, n int) *vec.Vector {
	view := vec.MakeView(meta, 0, 0)
	return &vec.Vector{Type: types.Of(types.Binary), Form: vec.Constant, Len: n, Data: []vec.View{view}, Bufs: [][]byte{meta}}
}

// translation rewrites values of other dictionaries; it remembers the last one.
type translation struct {
	bytes []byte // the metadata that m belongs to
	m     metadata
	// public replaces private types; see Export.
	public bool
}

// open prepares for values of meta.
func (t *translation) open(meta []byte) {
	if t.bytes != nil && sameBytes(t.bytes, meta) {
		return
	}
	t.bytes = slices.Clone(meta)
	t.m, _ = openMetadata(t.bytes)
}

// write sends a value to e as events, so that it refers to e's names.
func (t *translation) write(e *encoder, meta, value []byte) {
	if isContainer(value) {
		t.open(meta)
	}
	t.writeOpened(e, value, MaxDepth)
}

// writeOpened is write for a value of the metadata last opened.
func (t *translation) writeOpened(e *encoder, value []byte, depth int) {
	budget := len(value)
	t.walk(e, value, depth, &budget)
}

func writeLeaf(e *encoder, value []byte) {
	size, ok := valueSize(value)
	if !ok {
		e.Null()
		return
	}
	e.value()
	e.buf = append(e.buf, value[:size]...)
	e.private = e.private || value[0]&3 == basicPrimitive && value[0]>>2 >= privNumber
}

func (t *translation) walk(e *encoder, value []byte, depth int, budget *int) {
	c, nested, ok := enter(value, depth, budget)
	switch {
	case !ok:
		e.Null()
		return
	case !nested && t.public && isPrivate(value):
		var s scalar
		if !s.decode(value) {
			e.Null()
			return
		}
		writePublic(e, &s)
		return
	case !nested:
		writeLeaf(e, value)
		return
	}
	if c.object {
		e.BeginObject()
	} else {
		e.BeginArray()
	}
	for i := range c.n {
		if c.object {
			name, ok := t.m.name(c.id(i))
			if !ok {
				continue
			}
			e.Key(name)
		}
		v, ok := c.value(i)
		if !ok {
			v = nullValue
		}
		t.walk(e, v, depth-1, budget)
	}
	if c.object {
		e.EndObject()
	} else {
		e.EndArray()
	}
}
