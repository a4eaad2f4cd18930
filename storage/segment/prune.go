package segment

import (
	"math"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/parquetio"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// Op is a comparison of a Predicate.
type Op uint8

// The comparisons. IsNull and IsNotNull take no values, In any number, the others one.
const (
	Eq Op = iota
	Ne
	Lt
	Le
	Gt
	Ge
	In
	IsNull
	IsNotNull
)

// Predicate is a condition on a column, or on a path of a VARIANT column. A path is compared as decision D2 has it: with a number
// numerically, text rows being read as numbers; with a text as text; with a value of another type under that type.
type Predicate struct {
	Column ColumnID
	Path   []string
	Op     Op
	// Values are the literals, of any scalar type. A NULL among them matches nothing.
	Values *vec.Vector
	// Integer, if not NULL, is the integer type that the path is cast to before it is compared. Something is decided only where that changes
	// no value: where all are integers within its range.
	Integer types.Kind
}

// Verdict says how many rows of a segment or page match.
type Verdict uint8

// The verdicts. Some stands for "perhaps": it is right for any rows.
const (
	None Verdict = iota
	Some
	All
)

// both combines the verdicts of conditions that must hold together.
func both(a, b Verdict) Verdict { return min(a, b) }

// Prune decides on a whole segment from its Meta, without touching the file. Predicates on paths and on columns that the segment does
// not have count as Some.
func Prune(m *Meta, preds []Predicate) Verdict {
	out := All
	for i := range preds {
		out = both(out, pruneMeta(m, &preds[i]))
	}
	return out
}

func pruneMeta(m *Meta, p *Predicate) Verdict {
	for i := range m.Columns {
		if m.Columns[i].ID != p.Column || len(p.Path) > 0 || i >= len(m.Zones) {
			continue
		}
		z := &m.Zones[i]
		if z.Nulls < 0 {
			return Some
		}
		return p.decide(bounds{min: z.Min, max: z.Max, rows: z.Rows, nulls: z.Nulls})
	}
	return Some
}

// Prune decides on the whole segment, with the statistics of paths. A directory that cannot be read gives Some: reading reports it.
func (r *Reader) Prune(preds []Predicate) Verdict {
	out := All
	for i := range preds {
		p := &preds[i]
		if len(p.Path) == 0 {
			out = both(out, pruneMeta(r.meta, p))
			continue
		}
		out = both(out, r.prunePath(p, 0, r.Pages()))
	}
	return out
}

// PrunePage decides on one page.
func (r *Reader) PrunePage(preds []Predicate, page int) Verdict {
	out := All
	for i := range preds {
		if out = both(out, r.prunePath(&preds[i], page, page+1)); out == None {
			break
		}
	}
	return out
}

// prunePath decides on pages [from, to): None or All only if it is so for all of them.
func (r *Reader) prunePath(p *Predicate, from, to int) Verdict {
	var col *Column
	for i := range r.meta.Columns {
		if r.meta.Columns[i].ID == p.Column {
			col = &r.meta.Columns[i]
		}
	}
	if col == nil || from >= to {
		return Some
	}
	root, err := r.file.find(entryKey(col.ID, nil))
	if err != nil || root == nil || root.isVariant() != col.Type.IsVariant() {
		return Some
	}
	var e *entry
	var rest []string
	if root.isVariant() {
		if e, rest, err = r.descend(root, p.Path); err != nil || len(p.Path) == 0 {
			return Some
		}
	}
	out := Verdict(255)
	for page := from; page < to; page++ {
		var v Verdict
		if root.isVariant() {
			v = p.decidePath(r, e, rest, page)
		} else {
			v = p.decideColumn(r, col, root, page)
		}
		if out != 255 && v != out || v == Some {
			return Some
		}
		out = v
	}
	return out
}

// decideColumn decides on a page of a column of a static type.
func (p *Predicate) decideColumn(r *Reader, col *Column, root *entry, page int) Verdict {
	store, scalar := parquetio.StoreOf(col.Type)
	if !scalar || len(root.leaves) != 1 || page >= len(root.leaves[0].pages) {
		return Some
	}
	at := &root.leaves[0].pages[page]
	rows := int64(r.PageRows(page))
	b := bounds{rows: rows, nulls: rows - int64(at.values)}
	b.set(at, store.Leaf, col.Type)
	return p.decide(b)
}

// bounds is what is known of the values of a column in some rows. Without min and max, the values may be anything.
type bounds struct {
	min, max    *vec.Vector
	rows, nulls int64
}

// set takes the bounds of a page whose values have type t.
func (b *bounds) set(at *pageEntry, leaf parquetio.LeafInfo, t types.Type) {
	if lo, hi, ok := zoneBounds(parquetio.Stats{Min: at.min, Max: at.max, NoBounds: at.noBounds}, leaf, t); ok {
		b.min, b.max = lo, hi
	}
}

// within tells whether the values are integers that fit an integer type.
func (b *bounds) within(k types.Kind) bool {
	if b.min == nil || !b.min.Type.IsInteger() || b.min.Type.Kind == types.LargeInt {
		return false
	}
	limit := int64(math.MaxInt64)
	switch k {
	case types.TinyInt:
		limit = math.MaxInt8
	case types.SmallInt:
		limit = math.MaxInt16
	case types.Int:
		limit = math.MaxInt32
	case types.BigInt:
	default:
		return false
	}
	return wideInt(b.min) >= -limit-1 && wideInt(b.max) <= limit
}

// wideInt returns the only value of a vector of an integer type of up to 64 bits.
func wideInt(v *vec.Vector) int64 {
	switch d := v.Data.(type) {
	case []int8:
		return int64(d[0])
	case []int16:
		return int64(d[0])
	case []int32:
		return int64(d[0])
	case []int64:
		return d[0]
	}
	panic("BUG: integer bound of type " + v.Type.String())
}

// decide compares bounds and literals.
func (p *Predicate) decide(b bounds) Verdict {
	switch p.Op {
	case IsNull:
		return share(b.nulls, b.rows)
	case IsNotNull:
		return share(b.rows-b.nulls, b.rows)
	}
	if b.nulls == b.rows {
		return None
	}
	out := None
	for i := range p.Values.Len {
		v := Verdict(None)
		if !p.Values.IsNull(i) {
			v = p.decideValue(b, i)
		}
		if out = max(out, v); p.Op != In {
			break
		}
	}
	if out == All && b.nulls > 0 {
		return Some
	}
	return out
}

func share(n, rows int64) Verdict {
	switch n {
	case 0:
		return None
	case rows:
		return All
	}
	return Some
}

// decideValue compares the bounds with one literal, for the rows that are not NULL.
func (p *Predicate) decideValue(b bounds, i int) Verdict {
	if b.min == nil || b.max == nil {
		return Some
	}
	lo, ok1 := compareCells(b.min, 0, p.Values, i)
	hi, ok2 := compareCells(b.max, 0, p.Values, i)
	if !ok1 || !ok2 {
		return Some
	}
	pick := func(none, all bool) Verdict {
		switch {
		case none:
			return None
		case all:
			return All
		}
		return Some
	}
	outside, same := lo > 0 || hi < 0, lo == 0 && hi == 0
	switch p.Op {
	case Eq, In:
		return pick(outside, same)
	case Ne:
		return pick(same, outside)
	case Lt:
		return pick(lo >= 0, hi < 0)
	case Le:
		return pick(lo > 0, hi <= 0)
	case Gt:
		return pick(hi <= 0, lo > 0)
	case Ge:
		return pick(hi < 0, lo >= 0)
	}
	return Some
}

// decidePath decides on a page of a path.
func (p *Predicate) decidePath(r *Reader, e *entry, rest []string, page int) Verdict {
	rows := int64(r.PageRows(page))
	var res residualStats
	var odd int64 // residual values that are not JSON null
	if hasValues(e.value, page) {
		if page >= len(e.residual) {
			return Some
		}
		res = e.residual[page]
		odd = int64(e.value.pages[page].values - res.nulls)
	}
	switch {
	case len(rest) > 0 && odd > 0:
		// The member may be in the residual, of which only the outside is known.
		return Some
	case len(rest) > 0:
		return p.decide(bounds{rows: rows, nulls: rows})
	case e.node == variant.NodeObject || e.node == variant.NodeList:
		// An object or array has a text, and how many rows have one is not known here.
		return Some
	}
	typed := int64(0)
	if hasValues(e.typed, page) {
		typed = int64(e.typed.pages[page].values)
	}
	b := bounds{rows: rows, nulls: rows - typed - odd}
	if p.Op == IsNull || p.Op == IsNotNull || b.nulls == rows {
		return p.decide(b)
	}
	if !p.covered(e, typed, odd, &res) {
		return p.decide(b)
	}
	if typed > 0 {
		b.set(&e.typed.pages[page], e.typed.chunk.Leaf, storedType(e.t))
		if p.Integer != types.Null && (odd > 0 || !b.within(p.Integer)) {
			return Some
		}
		if b.min == nil {
			return p.decide(b)
		}
	} else if p.Integer != types.Null {
		return Some
	}
	if lo, hi, ok := e.secondBounds(page, odd); ok {
		b.grow(lo, hi)
	} else {
		b.widen(&res)
	}
	return p.decide(b)
}

// secondBounds returns the bounds of the second kind, which are exact, if it is all that the page has in the residual.
func (e *entry) secondBounds(page int, odd int64) (lo, hi *vec.Vector, ok bool) {
	if odd == 0 || !hasValues(e.second, page) || int64(e.second.pages[page].values) != odd {
		return nil, nil, false
	}
	at := &e.second.pages[page]
	return zoneBounds(parquetio.Stats{Min: at.min, Max: at.max, NoBounds: at.noBounds}, e.second.chunk.Leaf, e.secondType)
}

// covered tells whether the bounds of typed leaf and residual say all about the comparison with these literals: for values of other
// kinds only the comparison itself knows what they convert to.
func (p *Predicate) covered(e *entry, typed, odd int64, res *residualStats) bool {
	for i := range p.Values.Len {
		if p.Values.IsNull(i) {
			continue
		}
		t := p.Values.Type
		switch {
		case t.IsNumeric():
			if typed > 0 && !e.t.IsNumeric() || odd > 0 && (res.kinds&^uint32(numberKinds) != 0 || res.noNumbers) {
				return false
			}
		case t.Kind == types.Varchar:
			if typed > 0 && e.t.Kind != types.Varchar || odd > 0 && (res.kinds&^uint32(1<<variant.String) != 0 || res.noTexts) {
				return false
			}
		default:
			if odd > 0 || typed > 0 && (e.t.Kind != t.Kind || !storedType(e.t).Equal(types.Of(e.t.Kind))) {
				return false
			}
		}
	}
	return true
}

// grow extends the bounds over others.
func (b *bounds) grow(lo, hi *vec.Vector) {
	if b.min == nil {
		b.min, b.max = lo, hi
		return
	}
	if c, ok := compareCells(lo, 0, b.min, 0); !ok || c < 0 {
		b.min = lo
	}
	if c, ok := compareCells(hi, 0, b.max, 0); !ok || c > 0 {
		b.max = hi
	}
}

// widen extends the bounds over the residual numbers or texts.
func (b *bounds) widen(res *residualStats) {
	if res.kinds&numberKinds != 0 {
		b.grow(vec.NewFlat(types.Of(types.Double), []float64{res.lo}, nil), vec.NewFlat(types.Of(types.Double), []float64{res.hi}, nil))
	}
	if res.kinds&(1<<variant.String) != 0 {
		b.grow(textVector(res.textMin), textVector(res.textMax))
	}
}

func textVector(b []byte) *vec.Vector {
	return &vec.Vector{Type: types.Of(types.Varchar), Len: 1, Data: []vec.View{vec.MakeView(b, 0, 0)}, Bufs: [][]byte{b}}
}
