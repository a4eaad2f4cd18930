package function

import (
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// row is a cursor over the arguments of a call, for functions whose own work outweighs the step from row to row. Its accessors panic if
// the argument has another physical form.
type row struct {
	c *Ctx
	// i is the row number.
	i    int
	args []operand
	// null makes the result of the row NULL, err ends the call; both are set by the function.
	null bool
	err  error
}

// operand is one argument taken apart. Only the slice of its physical form is set.
type operand struct {
	v     *vec.Vector
	mask  int
	views []vec.View
	i64   []int64
	i32   []int32
	f64   []float64
}

func newRow(c *Ctx, args []*vec.Vector) *row {
	r := &row{c: c, args: make([]operand, len(args))}
	for k, v := range args {
		o := operand{v: v, mask: v.Mask()}
		switch d := v.Data.(type) {
		case []vec.View:
			o.views = d
		case []int64:
			o.i64 = d
		case []int32:
			o.i32 = d
		case []float64:
			o.f64 = d
		}
		r.args[k] = o
	}
	return r
}

// has tells whether the optional argument k was given.
func (r *row) has(k int) bool { return k < len(r.args) }

func (r *row) text(k int) []byte {
	o := &r.args[k]
	return o.views[r.i&o.mask].Bytes(o.v.Bufs)
}

func (r *row) int(k int) int64 {
	o := &r.args[k]
	return o.i64[r.i&o.mask]
}

func (r *row) int32(k int) int32 {
	o := &r.args[k]
	return o.i32[r.i&o.mask]
}

func (r *row) float(k int) float64 {
	o := &r.args[k]
	return o.f64[r.i&o.mask]
}

// isNull tells whether argument k is NULL; only functions with the trait nullsIn see that.
func (r *row) isNull(k int) bool { return r.args[k].v.IsNull(r.i) }

// value reads an argument of another physical form.
func value[T any](r *row, k int) T {
	o := &r.args[k]
	return vec.Slice[T](o.v)[r.i&o.mask]
}

// fail ends the call with an error.
func (r *row) fail(kind sqlerr.Kind, format string, args ...any) {
	r.err = sqlerr.New(kind, format, args...)
}

// each runs f for every row of [0, n) that is set in valid and returns valid without the rows that f made NULL.
func (r *row) each(n int, valid vec.Bitmap, f func()) (vec.Bitmap, error) {
	var out vec.Bitmap
	for r.i = 0; r.i < n; r.i++ {
		if !valid.Get(r.i) {
			continue
		}
		f()
		if r.err != nil {
			return nil, r.err
		}
		if r.null {
			r.null = false
			if out == nil {
				out = vec.NewBitmapSet(n)
				if valid != nil {
					copy(out, valid)
				}
			}
			out.Clear(r.i)
		}
	}
	if out == nil {
		return valid, nil
	}
	return out, nil
}

// maker builds the core kernel of a function whose Scalar has its types set; args are those of the call.
type maker func(s *Scalar, args []Arg) (Kernel, error)

// rows makes a kernel of a function from a row to a fixed-width value; T is the physical form of the return type.
func rows[T any](f func(r *row) T) maker {
	return func(s *Scalar, _ []Arg) (Kernel, error) {
		ret, nullsIn := s.Ret, s.nullsIn()
		return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
			r := newRow(c, args)
			out := make([]T, n)
			var valid vec.Bitmap
			if !nullsIn {
				valid = validity(args, n)
			}
			valid, err := r.each(n, valid, func() { out[r.i] = f(r) })
			if err != nil {
				return nil, err
			}
			return vec.NewFlat(ret, out, valid), nil
		}, nil
	}
}

// textRows makes a kernel of a function that appends a text or binary value to dst and returns it.
func textRows(f func(r *row, dst []byte) []byte) maker {
	return textRowsIn(func(out *textOut, args []*vec.Vector, n int) { out.reserve(args, n) }, f)
}

// shortRows is textRows for results that are often much shorter than the first argument.
func shortRows(f func(r *row, dst []byte) []byte) maker {
	return textRowsIn(func(out *textOut, args []*vec.Vector, n int) {
		if views, ok := args[0].Data.([]vec.View); ok && n > 0 {
			out.buf = make([]byte, 0, min(views[0].Len()*n/4, textBufferBytes))
		}
	}, f)
}

// textRowsIn is textRows with room for results that reserve makes.
func textRowsIn(reserve func(out *textOut, args []*vec.Vector, n int), f func(r *row, dst []byte) []byte) maker {
	return func(s *Scalar, _ []Arg) (Kernel, error) {
		ret, nullsIn := s.Ret, s.nullsIn()
		return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
			r := newRow(c, args)
			out := newTextOut(n)
			reserve(out, args, n)
			var valid vec.Bitmap
			if !nullsIn {
				valid = validity(args, n)
			}
			valid, err := r.each(n, valid, func() {
				out.put(r.i, f(r, out.buf))
				if out.total > maxBatchTextBytes && r.err == nil {
					r.fail(sqlerr.Resource, "%s makes more than %d bytes of text in one batch", s.Name, maxBatchTextBytes)
				}
			})
			if err != nil {
				return nil, err
			}
			return out.vector(ret, valid), nil
		}, nil
	}
}

// sliceRows makes a kernel of a function whose result is a part of its first argument, which is shared instead of copied.
func sliceRows(f func(r *row, s []byte) (from, to int)) maker {
	return func(s *Scalar, _ []Arg) (Kernel, error) {
		ret := s.Ret
		return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
			r := newRow(c, args)
			out := make([]vec.View, n)
			o := &r.args[0]
			valid, err := r.each(n, validity(args, n), func() {
				v := &o.views[r.i&o.mask]
				b := v.Bytes(o.v.Bufs)
				from, to := f(r, b)
				off := from
				buf := 0
				if !v.Inline() {
					buf, off = v.Buffer(), v.Offset()+from
				}
				out[r.i] = vec.MakeView(b[from:to], buf, off)
			})
			if err != nil {
				return nil, err
			}
			return vec.NewText(ret, out, args[0].Bufs, valid), nil
		}, nil
	}
}

// buildRows makes a kernel of a function that appends exactly one value to b, for lists and other results of varying shape.
func buildRows(f func(r *row, b *vec.Builder)) maker {
	return func(s *Scalar, _ []Arg) (Kernel, error) {
		ret, nullsIn := s.Ret, s.nullsIn()
		return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
			r := newRow(c, args)
			b := vec.NewBuilder(ret, n)
			var valid vec.Bitmap
			if !nullsIn {
				valid = validity(args, n)
			}
			for r.i = 0; r.i < n; r.i++ {
				if !valid.Get(r.i) {
					b.AppendNull()
					continue
				}
				if f(r, b); r.err != nil {
					return nil, r.err
				}
				if ret.Kind == types.Array && b.Child(0).Len() > maxBatchElements {
					return nil, sqlerr.New(sqlerr.Resource, "%s makes more than %d array elements in one batch", s.Name, maxBatchElements)
				}
			}
			return b.Finish(), nil
		}, nil
	}
}

// maxBatchTextBytes and maxBatchElements bound what one call may make of one batch.
const (
	maxBatchTextBytes = 512 << 20
	maxBatchElements  = 32 << 20
)

// textBufferBytes is the size at which a text result begins a new buffer, so that a buffer stays alive for few rows.
const textBufferBytes = 1 << 20

// textOut collects text results. Functions append to buf and hand the longer slice to put.
type textOut struct {
	views []vec.View
	bufs  [][]byte
	buf   []byte
	total int
}

func newTextOut(n int) *textOut { return &textOut{views: make([]vec.View, n)} }

// reserve makes room for results that are as long as all text arguments together, as most are.
func (o *textOut) reserve(args []*vec.Vector, n int) {
	total := 0
	for _, a := range args {
		views, ok := a.Data.([]vec.View)
		switch {
		case !ok:
		case a.Form == vec.Constant:
			total += views[0].Len() * n
		default:
			for i := range views {
				total += views[i].Len()
			}
		}
	}
	o.buf = make([]byte, 0, min(total, textBufferBytes))
}

// put makes what was appended to buf the value of row i.
func (o *textOut) put(i int, longer []byte) {
	start := len(o.buf)
	s := longer[start:]
	o.total += len(s)
	v := vec.MakeView(s, len(o.bufs), start)
	o.views[i] = v
	if v.Inline() {
		o.buf = longer[:start]
		return
	}
	o.buf = longer
	if len(o.buf) >= textBufferBytes {
		o.bufs = append(o.bufs, o.buf)
		o.buf = nil
	}
}

func (o *textOut) vector(t types.Type, valid vec.Bitmap) *vec.Vector {
	if len(o.buf) > 0 {
		o.bufs = append(o.bufs, o.buf)
	}
	return vec.NewText(t, o.views, o.bufs, valid)
}
