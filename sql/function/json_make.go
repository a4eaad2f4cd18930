package function

import (
	"bytes"

	"github.com/ebira-db/ebira/jsonparse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// ignoreVisitor takes JSON events and does nothing.
type ignoreVisitor struct{}

func (ignoreVisitor) BeginObject() {}

func (ignoreVisitor) Key([]byte) {}

func (ignoreVisitor) EndObject() {}

func (ignoreVisitor) BeginArray() {}

func (ignoreVisitor) EndArray() {}

func (ignoreVisitor) Null() {}

func (ignoreVisitor) Bool(bool) {}

func (ignoreVisitor) Int(int64) {}

func (ignoreVisitor) Double(float64) {}

func (ignoreVisitor) Number([]byte) {}

func (ignoreVisitor) String([]byte) {}

// stringVisitor keeps the text of a JSON string.
type stringVisitor struct {
	ignoreVisitor
	text []byte
	ok   bool
}

func (v *stringVisitor) String(s []byte) { v.text, v.ok = bytes.Clone(s), true }

func appendUnquoted(dst, s []byte) []byte {
	t := bytes.TrimSpace(s)
	if len(t) > 1 && t[0] == '"' {
		var v stringVisitor
		if jsonparse.New(jsonparse.Options{}).Parse(t, &v) == nil && v.ok {
			return append(dst, v.text...)
		}
	}
	return append(dst, s...)
}

// jsonObject makes objects; an odd number of arguments is an error, a NULL name too.
func jsonObject(s *Scalar, args []Arg) (Kernel, error) {
	if len(args)%2 != 0 {
		return nil, sqlerr.New(sqlerr.Bind, "json_object takes names and values in turn, but got %d arguments", len(args))
	}
	return jsonRows(func(r *row, b *variant.BatchBuilder, values []*vec.Vector) {
		b.BeginObject()
		for k := 0; k < len(values); k += 2 {
			if r.isNull(k) {
				r.fail(sqlerr.Conversion, "a name of json_object is NULL")
				break
			}
			b.Key(appendValue(nil, r.c, r.args[k].v, r.i))
			addValue(b, values[k+1], r.i)
		}
		b.EndObject()
	}), nil
}

func jsonArray(s *Scalar, args []Arg) (Kernel, error) {
	return jsonRows(func(r *row, b *variant.BatchBuilder, values []*vec.Vector) {
		b.BeginArray()
		for _, v := range values {
			addValue(b, v, r.i)
		}
		b.EndArray()
	}), nil
}

// jsonRows makes one JSON value of each row; values are the arguments as flat variants.
func jsonRows(f func(r *row, b *variant.BatchBuilder, values []*vec.Vector)) Kernel {
	return func(c *Ctx, args []*vec.Vector, n int) (*vec.Vector, error) {
		r := newRow(c, args)
		values := make([]*vec.Vector, len(args))
		for k, a := range args {
			values[k] = flatten(variant.FromVector(a))
		}
		b := variant.NewBatchBuilder(n)
		for r.i = 0; r.i < n; r.i++ {
			b.BeginRow()
			if f(r, b, values); r.err != nil {
				return nil, r.err
			}
			b.EndRow()
		}
		return b.Finish().Retype(types.Of(types.JSON)), nil
	}
}

// addValue writes row i of a flat variant vector as the next element or member.
func addValue(b *variant.BatchBuilder, v *vec.Vector, i int) {
	if v.IsNull(i) {
		b.Null()
		return
	}
	meta, value := v.VariantAt(i)
	emit(b, meta, value)
}

// emit replays a value as events.
func emit(b *variant.BatchBuilder, meta, value []byte) {
	switch variant.KindOf(value) {
	case variant.Object:
		b.BeginObject()
		variant.Members(meta, value, func(name, member []byte) bool {
			b.Key(name)
			emit(b, meta, member)
			return true
		})
		b.EndObject()
	case variant.Array:
		b.BeginArray()
		variant.Elements(value, func(_ int, element []byte) bool {
			emit(b, meta, element)
			return true
		})
		b.EndArray()
	case variant.String:
		b.String(variant.AppendText(nil, meta, value))
	default:
		// Scalars that JSON does not have, such as dates, become what they print as.
		text := variant.AppendJSON(nil, meta, value)
		if err := jsonparse.New(jsonparse.Options{}).Parse(text, b); err != nil {
			panic("BUG: a variant prints " + string(text) + ": " + err.Error())
		}
	}
}
