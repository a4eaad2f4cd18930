package vexec

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// keyForm is how the values of the key columns of a row become one key.
type keyForm uint8

const (
	// keyWords packs fixed-width columns into a few 64-bit words.
	keyWords keyForm = iota
	// keyText is a single text or binary column as it is.
	keyText
	// keyRow encodes all columns into one byte string.
	keyRow
)

// maxKeyWords is the most words of a keyWords key; comparing a longer key word by word gains nothing over bytes.
const maxKeyWords = 4

// keyLayout describes the keys of a hash table. Two sides of a join share one.
type keyLayout struct {
	types []types.Type
	// variants has the numbering of each VARIANT column, which then has type BIGINT in types and its own in declared.
	variants []*variantKeys
	declared []types.Type
	form     keyForm
	words    int       // of keyWords
	slots    []keySlot // of keyWords, one a column
	// texts tells, in keyWords, which columns are texts that an interner numbers; nil if none is.
	texts []bool
	// coded is the layout to be taken instead if all texts come in dictionary form, nil if there is none.
	coded *keyLayout
	// looseNull says that NULL is kept beside the keys: layouts of a single column.
	looseNull bool
	// fixed is the size of the part of a keyRow that all rows have.
	fixed int
	// constantHash is Options.ConstantHash.
	constantHash bool
}

// keySlot says where a column lies in a keyWords key.
type keySlot struct {
	word, shift, width uint
	// nullWord and nullShift place the bit that is set for NULL; hasNull is false where the column has none.
	nullWord, nullShift uint
	hasNull             bool
}

// newKeyLayout makes the layout for keys of the given types; nullable[i] says that column i may be NULL and that NULL is a value
// like others.
func newKeyLayout(ts []types.Type, nullable []bool, env *Env) (*keyLayout, error) {
	l := &keyLayout{declared: ts, variants: make([]*variantKeys, len(ts)), constantHash: env.Options.ConstantHash}
	for i, t := range ts {
		if t.IsVariant() {
			if !env.Fn.VariantTotalOrder {
				return nil, sqlerr.New(sqlerr.Type, "a VARIANT cannot be grouped, joined or made distinct; CAST it to a type or SET variant_total_order = true")
			}
			l.variants[i] = newVariantKeys()
			t, nullable[i] = types.Of(types.BigInt), true
		}
		l.types = append(l.types, t)
	}
	ts = l.types
	if len(ts) == 1 {
		l.looseNull = true
		if ts[0].Phys() == types.PhysString {
			l.form = keyText
			return l, nil
		}
	}
	if l.packWords(nullable) {
		return l, nil
	}
	l.form, l.looseNull = keyRow, false
	l.fixed = len(ts)
	for _, t := range ts {
		l.fixed += fixedBits(t) / 8
	}
	l.coded = l.interned(nullable)
	return l, nil
}

// keyTypes returns the types of key expressions and whether they may be NULL.
func keyTypes(keys []expr.Expr) (ts []types.Type, nullable []bool) {
	for _, k := range keys {
		c, isColumn := k.(*expr.Column)
		ts = append(ts, k.Type())
		nullable = append(nullable, !isColumn || !c.NotNull)
	}
	return ts, nullable
}

// fixedBits returns the width of a type whose equal values have equal bits once normalized, 0 for others.
func fixedBits(t types.Type) int {
	switch t.Phys() {
	case types.PhysBool, types.PhysInt8:
		return 8
	case types.PhysInt16:
		return 16
	case types.PhysInt32, types.PhysUint32, types.PhysFloat32:
		return 32
	case types.PhysInt64, types.PhysFloat64:
		return 64
	case types.PhysInt128, types.PhysUint128:
		return 128
	case types.PhysInt256:
		return 256
	}
	return 0
}

// packWords places the columns in words, each within one word or in whole words; it returns false if they do not fit.
func (l *keyLayout) packWords(nullable []bool) bool {
	var free []uint // free bits of each word
	take := func(width uint) (word, shift uint) {
		for w, f := range free {
			if f >= width {
				free[w] -= width
				return uint(w), 64 - f
			}
		}
		free = append(free, 64-width)
		return uint(len(free) - 1), 0
	}
	l.slots = make([]keySlot, len(l.types))
	for i, t := range l.types {
		width := uint(fixedBits(t))
		if l.texts != nil && l.texts[i] {
			width = internedBits
		}
		s := &l.slots[i]
		s.width = width
		switch {
		case width == 0:
			return false
		case width <= 64:
			s.word, s.shift = take(width)
		default:
			s.word = uint(len(free))
			free = append(free, make([]uint, width/64)...)
		}
	}
	for i := range l.types {
		if s := &l.slots[i]; nullable[i] && !l.looseNull {
			s.nullWord, s.nullShift = take(1)
			s.hasNull = true
		}
	}
	l.words = len(free)
	return l.words <= maxKeyWords
}

// keyBatch is the keys of some rows in the form that hash tables take. Its slices are reused from batch to batch.
type keyBatch struct {
	n     int
	words []uint64 // layout.words a row
	views []vec.View
	bufs  [][]byte
	hash  []uint64
	// valid has the rows with a key: those without NULL in joins, and in single-column layouts.
	valid vec.Bitmap
	// cols are the key columns in any form but Shredded.
	cols []*vec.Vector
	// stored says that the buffers of the views are those of the table that the keys are put into, so that it need not copy them.
	stored bool
	// lazy says that views and hash are not set yet, because the key is a text column in dictionary form: most of its rows can be
	// settled by their codes, see codeCache. Everybody else calls settle first.
	lazy bool

	column    []uint64
	first     []uint64 // of lookups: the first slot of each row
	row       rowEncoder
	interners []*interner // by column, for layouts with texts
}

// nullHash is the hash of a NULL that is kept beside the keys.
const nullHash = 0x9e3779b97f4a7c15

// fill sets kb to the keys of n rows with the given columns. With dropNulls rows with a NULL get no key.
func (l *keyLayout) fill(kb *keyBatch, cols []*vec.Vector, n int, dropNulls bool) error {
	kb.n, kb.valid, kb.lazy = n, nil, false
	kb.cols = kb.cols[:0]
	for i, c := range cols {
		c = plain(c)
		if l.variants[i] != nil {
			c = l.variants[i].numbers(c, n)
		}
		kb.cols = append(kb.cols, c)
		if dropNulls || l.looseNull {
			kb.valid = vec.And(kb.valid, validity(c, n), n)
		}
	}
	kb.hash = sized(kb.hash, n)
	switch l.form {
	case keyText:
		if kb.lazy = kb.cols[0].Form == vec.Dictionary && !l.constantHash; kb.lazy {
			return nil
		}
		kb.texts()
	case keyRow:
		if err := kb.row.encode(l, kb, n); err != nil {
			return err
		}
		for i := range kb.hash {
			kb.hash[i] = vec.HashBytes(kb.views[i].Bytes(kb.bufs))
		}
	default:
		if err := l.fillWords(kb, n); err != nil {
			return err
		}
		hashWords(kb.words, l.words, kb.hash)
		if err := l.addTexts(kb); err != nil {
			return err
		}
	}
	switch {
	case l.constantHash:
		clear(kb.hash)
	case l.looseNull:
		kb.hashNulls()
	}
	return nil
}

// texts sets views and hashes of a single text column.
func (kb *keyBatch) texts() {
	v := vec.Flatten(kb.cols[0])
	kb.views, kb.bufs = viewsOf(v, kb.n), v.Bufs
	if c := kb.cols[0]; c.Form == vec.Dictionary && c.Dict.Len > kb.n {
		// Most entries of the dictionary are of other batches.
		vec.HashColumns([]*vec.Vector{v}, kb.n, kb.hash)
		return
	}
	vec.HashColumns(kb.cols, kb.n, kb.hash)
}

func (kb *keyBatch) hashNulls() {
	if kb.valid == nil {
		return
	}
	for i := range kb.n {
		if !kb.valid.Get(i) {
			kb.hash[i] = nullHash
		}
	}
}

// settle completes keys that are lazy.
func (kb *keyBatch) settle() {
	if kb.lazy {
		kb.lazy = false
		kb.texts()
		kb.hashNulls()
	}
}

// validity returns which of the n rows of v are not NULL, nil if all are.
func validity(v *vec.Vector, n int) vec.Bitmap {
	switch {
	case v.Type.Kind == types.Null:
		return vec.NewBitmap(n)
	case v.Form != vec.Constant:
		return v.Valid
	case v.IsNull(0):
		return vec.NewBitmap(n)
	}
	return nil
}

// viewsOf returns the views of a Flat text vector; a NULL-typed one has none of its own.
func viewsOf(v *vec.Vector, n int) []vec.View {
	if v.Data == nil {
		return make([]vec.View, n)
	}
	return vec.Slice[vec.View](v)
}

// sized returns s with length n, its contents undefined.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
