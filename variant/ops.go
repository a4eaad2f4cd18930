package variant

import (
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Flatten returns a variant vector in Flat form.
func Flatten(v *vec.Vector) *vec.Vector {
	if v.Form != vec.Shredded {
		return vec.Flatten(v)
	}
	out := &vec.Vector{Type: v.Type, Len: v.Len, Meta: metaVector(emptyMetadata, v.Len)}
	views := make([]vec.View, v.Len)
	valid := vec.NewBitmap(v.Len)
	var rest *vec.Vector
	if v.Rest != nil {
		rest = Flatten(v.Rest)
		out.Bufs = append(out.Bufs, rest.Bufs...)
		out.Meta = restMeta(rest)
		for i, view := range vec.Slice[vec.View](rest) {
			if !rest.IsNull(i) {
				views[i] = view
				valid.Set(i)
			}
		}
	}
	w := viewWriter{bufs: out.Bufs}
	var s scalar
	for i := range v.Len {
		if v.Typed.IsNull(i) {
			continue
		}
		s.load(v.Typed, i)
		w.buf = appendScalar(w.buf, &s)
		views[i] = w.view()
		valid.Set(i)
	}
	out.Data, out.Bufs, out.Valid = views, w.finish(), denseValid(valid, v.Len)
	return out
}

// residue returns the rows of a variant vector that no typed part has, nil if there are none: all its objects and arrays.
func residue(v *vec.Vector) *vec.Vector {
	for v != nil && v.Form == vec.Shredded {
		v = v.Rest
	}
	return v
}

// mergeTyped has f fill the results of a typed part that is not the first: f may write to all rows, and those set in valid count.
func mergeTyped[T any](out []T, valid vec.Bitmap, f func(out []T, valid vec.Bitmap)) {
	part, good := make([]T, len(out)), vec.NewBitmap(len(out))
	f(part, good)
	for i := range out {
		if good.Get(i) {
			out[i] = part[i]
			valid.Set(i)
		}
	}
}

// restMeta returns the metadata of the residual rows, with an empty dictionary in the rows that have none.
func restMeta(rest *vec.Vector) *vec.Vector {
	if rest.Meta.Form == vec.Constant {
		return rest.Meta
	}
	meta := *vec.Flatten(rest.Meta)
	views := append([]vec.View(nil), vec.Slice[vec.View](&meta)...)
	for i := range views {
		if rest.IsNull(i) {
			views[i] = vec.MakeView(emptyMetadata, 0, 0)
		}
	}
	meta.Data, meta.Valid = views, nil
	return &meta
}

// viewWriter collects texts behind the buffers of another vector.
type viewWriter struct {
	bufs [][]byte
	buf  []byte // the texts of earlier views and, from start on, the next one
	from int
}

// share puts the buffers of another vector behind those there are and returns where they begin.
func (w *viewWriter) share(bufs [][]byte) int {
	if len(w.buf) > 0 {
		// Views of the texts so far tell the place that the buffer has now.
		w.bufs = append(w.bufs[:len(w.bufs):len(w.bufs)], w.buf)
		w.buf, w.from = nil, 0
	}
	base := len(w.bufs)
	w.bufs = append(w.bufs[:base:base], bufs...)
	return base
}

// view ends the text written to buf since the last call.
func (w *viewWriter) view() vec.View {
	v := vec.MakeView(w.buf[w.from:], len(w.bufs), w.from)
	if v.Inline() {
		w.buf = w.buf[:w.from]
	} else if len(w.buf) >= blockBytes {
		w.bufs = append(w.bufs[:len(w.bufs):len(w.bufs)], w.buf)
		w.buf = make([]byte, 0, blockBytes)
	}
	w.from = len(w.buf)
	return v
}

// finish returns all buffers.
func (w *viewWriter) finish() [][]byte {
	if len(w.buf) == 0 {
		return w.bufs
	}
	return append(w.bufs[:len(w.bufs):len(w.bufs)], w.buf)
}

// denseValid returns nil for a bitmap with all n bits set.
func denseValid(valid vec.Bitmap, n int) vec.Bitmap {
	if valid != nil && valid.Count(n) == n {
		return nil
	}
	return valid
}

// onConstant runs f over one flat row in place of a Constant vector.
func onConstant(v *vec.Vector, f func(*vec.Vector) *vec.Vector) *vec.Vector {
	if v.Len == 0 {
		return f(vec.Flatten(v))
	}
	return vec.NewConstant(f(vec.Flatten(v.Slice(0, 1))), v.Len)
}

// PathVector reads a path of each row. The result is a variant vector; rows in which the path finds nothing or JSON null are NULL. The
// values share the memory of v.
func PathVector(v *vec.Vector, steps []Step) *vec.Vector {
	switch {
	case len(steps) == 0:
		return v
	case v.Form == vec.Constant:
		return onConstant(v, func(one *vec.Vector) *vec.Vector { return PathVector(one, steps) })
	case v.Form == vec.Shredded:
		if v.Rest == nil {
			return vec.NewNull(types.Of(types.Variant), v.Len)
		}
		return PathVector(v.Rest, steps)
	}
	v = vec.Flatten(v)
	f := newFinder(steps)
	src := vec.Slice[vec.View](v)
	metas := newMetaReader(v.Meta)
	views := make([]vec.View, v.Len)
	valid := vec.NewBitmap(v.Len)
	for i := range src {
		if !v.Valid.Get(i) {
			continue
		}
		found, from := f.find(metas.at(i), src[i].Bytes(v.Bufs))
		if found == nil || IsNull(found) {
			continue
		}
		buf, off := 0, 0
		if !src[i].Inline() {
			buf, off = src[i].Buffer(), src[i].Offset()+from
		}
		views[i] = vec.MakeView(found, buf, off)
		valid.Set(i)
	}
	return &vec.Vector{Type: types.Of(types.Variant), Len: v.Len, Data: views, Bufs: v.Bufs, Meta: v.Meta, Valid: denseValid(valid, v.Len)}
}

// metaReader reads metadata row by row.
type metaReader struct {
	meta     *vec.Vector
	constant []byte
}

func newMetaReader(meta *vec.Vector) metaReader {
	r := metaReader{meta: meta}
	if meta.Form == vec.Constant && meta.Len > 0 {
		r.constant = meta.Bytes(0)
	}
	return r
}

func (r *metaReader) at(i int) []byte {
	if r.constant != nil {
		return r.constant
	}
	return r.meta.Bytes(i)
}

// Exists tells for each row whether the path finds a value, JSON null included; SQL NULL rows give NULL. The result is BOOLEAN.
func Exists(v *vec.Vector, steps []Step) *vec.Vector {
	boolean := types.Of(types.Boolean)
	if v.Form == vec.Constant {
		return onConstant(v, func(one *vec.Vector) *vec.Vector { return Exists(one, steps) })
	}
	out := make([]bool, v.Len)
	valid := vec.NewBitmap(v.Len)
	for i := range out {
		if !v.IsNull(i) {
			valid.Set(i)
		}
	}
	flat := v
	if v.Form == vec.Shredded {
		flat = residue(v)
		if len(steps) == 0 {
			flat = nil
			for i := range out {
				out[i] = valid.Get(i)
			}
		}
	}
	if flat != nil {
		f := newFinder(steps)
		for i := range out {
			if !flat.IsNull(i) {
				found, _ := f.find(flat.VariantAt(i))
				out[i] = found != nil
			}
		}
	}
	return vec.NewFlat(boolean, out, denseValid(valid, v.Len))
}

// NotNull returns a set bit for each row that is not NULL in the sense of SQL, for which JSON null is NULL; nil means all.
func NotNull(v *vec.Vector) vec.Bitmap {
	valid := vec.NewBitmap(v.Len)
	if v.Form == vec.Shredded {
		for i := range v.Len {
			if !v.IsNull(i) {
				valid.Set(i)
			}
		}
		return denseValid(valid, v.Len)
	}
	for i := range v.Len {
		if !v.IsNull(i) && !IsNull(v.Bytes(i)) {
			valid.Set(i)
		}
	}
	return denseValid(valid, v.Len)
}
