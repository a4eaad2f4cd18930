package catalog

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/vec"
)

// The encoding of an Edit, see docs/format/log.md: a count, then each operation as tag, length of its JSON head, head, length of its
// binary tail, tail. Vectors and bitmaps travel in the tail, in the order in which the head names their owners.

var newOp = map[opTag]func() Op{
	tagReserve: func() Op { return new(Reserve) }, tagPutDatabase: func() Op { return new(PutDatabase) },
	tagRenameDatabase: func() Op { return new(RenameDatabase) }, tagDropDatabase: func() Op { return new(DropDatabase) },
	tagCreateTable: func() Op { return new(CreateTable) }, tagAlterTable: func() Op { return new(AlterTable) },
	tagDropTable: func() Op { return new(DropTable) }, tagAddSegments: func() Op { return new(AddSegments) },
	tagAddBatch: func() Op { return new(AddBatch) }, tagReplace: func() Op { return new(Replace) },
	tagDeleteRows: func() Op { return new(DeleteRows) }, tagTruncate: func() Op { return new(Truncate) },
	tagPutStage: func() Op { return new(PutStage) }, tagDropStage: func() Op { return new(DropStage) },
	tagPutFormat: func() Op { return new(PutFormat) }, tagDropFormat: func() Op { return new(DropFormat) },
	tagPutUser: func() Op { return new(PutUser) }, tagDropUser: func() Op { return new(DropUser) },
	tagSetGlobal: func() Op { return new(SetGlobal) }, tagAddLoads: func() Op { return new(AddLoads) },
	tagAddChanges: func() Op { return new(AddChanges) }, tagAddErrors: func() Op { return new(AddErrors) },
	tagPutView: func() Op { return new(PutView) }, tagDropView: func() Op { return new(DropView) },
}

// Encode appends the encoding of e.
func (e *Edit) Encode(dst []byte) ([]byte, error) {
	dst = binary.AppendUvarint(dst, uint64(len(e.Ops)))
	for _, op := range e.Ops {
		head, err := json.Marshal(op)
		if err != nil {
			return nil, fmt.Errorf("encode %T: %w", op, err)
		}
		tail, err := encodeTail(op)
		if err != nil {
			return nil, fmt.Errorf("encode %T: %w", op, err)
		}
		dst = append(dst, byte(op.tag()))
		dst = appendBlob(dst, head)
		dst = appendBlob(dst, tail)
	}
	return dst, nil
}

// DecodeEdit reads an encoded Edit. Hostile bytes give an error, never a panic.
func DecodeEdit(data []byte) (*Edit, error) {
	r := &reader{data: data}
	n := r.uvarint()
	e := &Edit{}
	for i := uint64(0); i < n && r.err == nil; i++ {
		tag := opTag(r.byte())
		head, tail := r.blob(), r.blob()
		if r.err != nil {
			break
		}
		make, ok := newOp[tag]
		if !ok {
			return nil, fmt.Errorf("operation %d has unknown tag %d", i, tag)
		}
		op := make()
		if err := json.Unmarshal(head, op); err != nil {
			return nil, fmt.Errorf("operation %d (%T): %w", i, op, err)
		}
		t := &reader{data: tail}
		if decodeTail(op, t); t.err != nil {
			return nil, fmt.Errorf("operation %d (%T): %w", i, op, t.err)
		}
		e.Ops = append(e.Ops, op)
	}
	if r.err == nil && len(r.data) > 0 {
		r.fail("bytes behind the last operation")
	}
	return e, r.err
}

func appendBlob(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

func encodeTail(op Op) (dst []byte, err error) {
	switch o := op.(type) {
	case *CreateTable:
		return appendDefaults(nil, o.Table), nil
	case *AlterTable:
		return appendDefaults(nil, o.Table), nil
	case *AddSegments:
		return appendMetas(nil, o.Segments), nil
	case *Replace:
		return appendMetas(nil, o.Add), nil
	case *AddBatch:
		dst = binary.AppendUvarint(nil, uint64(o.Batch.Data.Len))
		for _, c := range o.Batch.Data.Cols {
			dst = appendVector(dst, c)
		}
	case *DeleteRows:
		return o.Rows.rows.ToBytes()
	}
	return dst, nil
}

func decodeTail(op Op, r *reader) {
	switch o := op.(type) {
	case *CreateTable:
		r.defaults(o.Table)
	case *AlterTable:
		r.defaults(o.Table)
	case *AddSegments:
		o.Segments = r.metas(o.Segments)
	case *Replace:
		o.Add = r.metas(o.Add)
	case *AddBatch:
		if o.Batch == nil {
			r.fail("no batch")
			return
		}
		n := int(r.uvarint())
		cols := make([]*vec.Vector, len(o.Batch.Columns))
		for i := range cols {
			if cols[i] = r.vector(); r.err == nil && (cols[i] == nil || cols[i].Len != n) {
				r.fail("a column of a batch has the wrong length")
			}
		}
		o.Batch.Data = &vec.Batch{Cols: cols, Len: n}
	case *DeleteRows:
		b := roaring.New()
		if _, err := b.ReadFrom(bytes.NewReader(r.data)); err != nil {
			r.fail("deletion vector: " + err.Error())
			return
		}
		if err := b.Validate(); err != nil {
			r.fail("deletion vector: " + err.Error())
		}
		o.Rows = &DeletionVector{b}
	case *PutStage:
		r.need(o.Stage != nil)
	case *PutFormat:
		r.need(o.Format != nil)
	case *PutUser:
		r.need(o.User != nil)
	case *PutView:
		r.need(o.View != nil)
	}
}

// need fails if the head of an operation lacks its object.
func (r *reader) need(present bool) {
	if !present {
		r.fail("the object is missing")
	}
}

func appendDefaults(dst []byte, t *Table) []byte {
	for _, c := range t.Columns {
		dst = appendVector(dst, c.DefaultValue)
	}
	return dst
}

func (r *reader) defaults(t *Table) {
	if t == nil {
		r.fail("no table")
		return
	}
	for i := range t.Columns {
		t.Columns[i].DefaultValue = r.vector()
	}
}

// appendMetas appends what the JSON heads of segments leave out: the bounds of their zone maps.
func appendMetas(dst []byte, metas []*segment.Meta) []byte {
	for _, m := range metas {
		for _, z := range m.Zones {
			dst = appendVector(appendVector(dst, z.Min), z.Max)
		}
	}
	return dst
}

func (r *reader) metas(metas []*segment.Meta) []*segment.Meta {
	for _, m := range metas {
		if m == nil {
			r.fail("no segment")
			return nil
		}
		for i := range m.Zones {
			m.Zones[i].Min, m.Zones[i].Max = r.vector(), r.vector()
		}
	}
	return metas
}
