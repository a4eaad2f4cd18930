package parquetio

import (
	"fmt"
	"io"
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// Limits of row groups in files for others.
const (
	foreignGroupRows  = 1 << 17
	foreignGroupBytes = 64 << 20
	foreignPageRows   = 1 << 14
)

// ForeignWriter writes plain Parquet files that other systems read: zstd, logical types, VARIANT unshredded. It belongs to one goroutine.
type ForeignWriter struct {
	schema types.Schema
	root   *Node
	file   *FileWriter
	codec  Codec

	cols    []*foreignColumn
	rows    int64 // of the row group
	pending int   // rows that wait for a page
	total   int64
}

// foreignColumn is a column of the file: its vectors that wait, and the writers of its leaves.
type foreignColumn struct {
	t     types.Type
	node  *Node
	parts []*vec.Vector
	cols  []*ColumnWriter
}

// NewForeignWriter starts a file. Names of columns must be unique, or the other systems could not tell them apart.
func NewForeignWriter(w io.Writer, schema types.Schema, codec Codec) (*ForeignWriter, error) {
	f := &ForeignWriter{schema: schema, codec: codec, root: &Node{Name: "schema", Children: []*Node{}}}
	seen := map[string]bool{}
	for _, c := range schema {
		if seen[c.Name] {
			return nil, sqlerr.New(sqlerr.Bind, "column name %s occurs twice; give the columns different names", types.QuoteName(c.Name))
		}
		seen[c.Name] = true
		t := foreignType(c.Type)
		n := NodeOf(c.Name, t, c.NotNull && t.Kind != types.Null)
		f.root.Children = append(f.root.Children, n)
		f.cols = append(f.cols, &foreignColumn{t: t, node: n})
	}
	if len(schema) == 0 {
		return nil, sqlerr.New(sqlerr.Bind, "a Parquet file needs at least one column")
	}
	var err error
	if f.file, err = NewFileWriter(w, f.root); err != nil {
		return nil, sqlerr.Wrap(sqlerr.IO, err, "write Parquet file")
	}
	f.open()
	return f, nil
}

// foreignType is the type under which a column is written, for the types that Parquet has no form of. A LARGEINT passes for a DECIMAL of
// 38 digits; Write refuses the few that have 39.
func foreignType(t types.Type) types.Type {
	switch t.Kind {
	case types.LargeInt:
		return types.DecimalOf(maxDecimal128, 0)
	case types.Interval, types.IPv4, types.IPv6:
		return types.Of(types.Varchar)
	case types.Array:
		return types.ArrayOf(foreignType(*t.Elem))
	case types.Struct, types.Map:
		out := types.Type{Kind: t.Kind}
		for _, f := range t.Fields {
			f.Type = foreignType(f.Type)
			out.Fields = append(out.Fields, f)
		}
		return out
	}
	return t
}

// open makes the writers of a row group.
func (f *ForeignWriter) open() {
	leaves := f.file.Leaves()
	for _, c := range f.cols {
		c.cols = c.cols[:0]
		store, scalar := StoreOf(c.t)
		for len(leaves) > 0 && leaves[0].Path[0] == c.node.Name {
			order := OrderNone
			if scalar {
				order = store.Order
			}
			c.cols = append(c.cols, NewColumnWriter(leaves[0].Leaf, order, f.codec))
			leaves = leaves[1:]
		}
	}
}

// Rows returns the number of rows written.
func (f *ForeignWriter) Rows() int64 { return f.total }

// Bytes estimates the size that the file would have now, to decide when it is large enough.
func (f *ForeignWriter) Bytes() int64 { return f.file.Pos() + f.groupBytes() }

func (f *ForeignWriter) groupBytes() int64 {
	n := int64(0)
	for _, c := range f.cols {
		for _, w := range c.cols {
			n += int64(len(w.body))
		}
	}
	return n
}

// Write appends the rows of a batch whose columns are those of the schema, in any form.
func (f *ForeignWriter) Write(b *vec.Batch) error {
	if len(b.Cols) != len(f.cols) {
		panic(fmt.Sprintf("BUG: batch of %d columns for a file of %d", len(b.Cols), len(f.cols)))
	}
	f.total += int64(b.Len)
	for at := 0; at < b.Len; {
		n := min(b.Len-at, foreignPageRows-f.pending)
		for i, c := range f.cols {
			v, err := asForeign(b.Cols[i].Slice(at, at+n), c.t)
			if err != nil {
				return sqlerr.Wrap(sqlerr.KindOf(err), err, "column %s", types.QuoteName(c.node.Name))
			}
			c.parts = append(c.parts, v)
		}
		f.pending += n
		at += n
		if f.pending == foreignPageRows {
			if err := f.page(); err != nil {
				return err
			}
		}
	}
	return nil
}

// page writes the waiting rows as a page of each leaf, and the row group if it is large enough.
func (f *ForeignWriter) page() error {
	if f.pending > 0 {
		for _, c := range f.cols {
			v := vec.Concat(c.t, c.parts...)
			for i, in := range Shred(c.node, c.t, v) {
				c.cols[i].WritePage(in)
			}
			c.parts = c.parts[:0]
		}
		f.rows += int64(f.pending)
		f.pending = 0
	}
	if f.rows >= foreignGroupRows || f.groupBytes() >= foreignGroupBytes {
		return f.group()
	}
	return nil
}

func (f *ForeignWriter) group() error {
	if f.rows == 0 {
		return nil
	}
	var cols []*ColumnWriter
	for _, c := range f.cols {
		cols = append(cols, c.cols...)
	}
	if _, err := f.file.WriteRowGroup(cols, f.rows); err != nil {
		return sqlerr.Wrap(sqlerr.IO, err, "write Parquet file")
	}
	f.rows = 0
	f.open()
	return nil
}

// Close writes the rest and the footer. It does not close what it writes to. The file names the SQL types that it holds as text.
func (f *ForeignWriter) Close() error {
	if err := f.page(); err != nil {
		return err
	}
	if err := f.group(); err != nil {
		return err
	}
	var own []string
	for _, c := range f.schema {
		if !foreignType(c.Type).Equal(c.Type) {
			own = append(own, c.Name+"="+c.Type.String())
		}
	}
	var kv []KeyValue
	if len(own) > 0 {
		kv = append(kv, KeyValue{TypeKey, strings.Join(own, "\n")})
	}
	if _, err := f.file.Close(kv); err != nil {
		return sqlerr.Wrap(sqlerr.IO, err, "write Parquet file")
	}
	return nil
}

// asForeign converts a vector to the type under which it is written. Variants lose what the Parquet encoding cannot hold: such numbers
// become the nearest double, or text where there is none.
func asForeign(v *vec.Vector, t types.Type) (*vec.Vector, error) {
	nested := t.Phys() == types.PhysList || t.Phys() == types.PhysStruct
	switch {
	case v.Type.Kind == types.Null && t.Kind != types.Null:
		return vec.NewNull(t, v.Len), nil
	case t.IsVariant():
		return publicVariant(v), nil
	case v.Type.Kind == types.LargeInt:
		return largeAsDecimal(v, t)
	case t.Kind == types.Varchar && v.Type.Kind != types.Varchar:
		return asText(v, t), nil
	case !nested:
		return v.Retype(t), nil
	}
	v = vec.Flatten(v)
	out := *v
	out.Type = t
	out.Children = make([]*vec.Vector, len(v.Children))
	for i, c := range v.Children {
		var err error
		if out.Children[i], err = asForeign(c, childType(t, i)); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// largeAsDecimal checks that LARGEINTs have at most 38 digits.
func largeAsDecimal(v *vec.Vector, t types.Type) (*vec.Vector, error) {
	v = vec.Flatten(v)
	limit := types.Pow10(maxDecimal128)
	for i, x := range vec.Slice[types.Int128](v) {
		if !v.IsNull(i) && (x.Cmp(limit) >= 0 || x.Cmp(limit.Neg()) <= 0) {
			return nil, sqlerr.New(sqlerr.OutOfRange, "%s has more digits than DECIMAL in Parquet files; cast the column to VARCHAR", x)
		}
	}
	return v.Retype(t), nil
}

// childType is the type of child i of vectors of a nested type.
func childType(t types.Type, i int) types.Type {
	switch t.Kind {
	case types.Array:
		return *t.Elem
	case types.Map:
		return types.Type{Kind: types.Struct, Fields: t.Fields}
	}
	return t.Fields[i].Type
}

// asText prints values as CAST to VARCHAR does.
func asText(v *vec.Vector, t types.Type) *vec.Vector {
	x := variant.Flatten(variant.FromVector(v))
	b := vec.NewBuilder(t, v.Len)
	var buf []byte
	for i := range x.Len {
		if x.IsNull(i) {
			b.AppendNull()
			continue
		}
		meta, value := x.VariantAt(i)
		buf = variant.AppendText(buf[:0], meta, value)
		b.AppendBytes(buf)
	}
	return b.Finish()
}

// publicVariant replaces values of the types that exist in memory only.
func publicVariant(v *vec.Vector) *vec.Vector {
	s := variant.NewShredder(nil)
	s.AppendVector(v)
	tree := s.Finish(variant.Options{Plain: true})
	tree.Exact = nil
	return variant.AssembleTree(tree).Retype(v.Type)
}
