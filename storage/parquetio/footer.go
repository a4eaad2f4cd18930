package parquetio

// fileMeta is the part of a footer that reading needs.
type fileMeta struct {
	rows      int64
	elems     []schemaElem
	groups    []rowGroup
	keyValues []KeyValue
	encrypted bool
}

// schemaElem is a node of the flat schema. Numbers that are absent are -1.
type schemaElem struct {
	name       string
	typ        int
	typeLength int
	repetition int
	children   int
	converted  int
	scale      int
	precision  int
	fieldID    int32
	annotation Annotation
}

type rowGroup struct {
	rows    int64
	columns []columnChunk
}

type columnChunk struct {
	typ          int
	codec        int
	values       int64
	uncompressed int64
	compressed   int64
	data, dict   int64 // offsets
	elsewhere    bool  // in another file
	encrypted    bool
}

// parseFooter reads a footer. Unlike the library's decoder it takes no more memory than the bytes justify, and it does not mind fields
// that the format calls required and that writers leave out. Fields of unknown meaning are skipped.
func parseFooter(b []byte) (*fileMeta, error) {
	m := new(fileMeta)
	r := &thriftReader{b: b}
	r.fields(func(id int16, typ byte) {
		switch {
		case id == 2 && typ == thriftList:
			r.list(func() {
				e := schemaElem{typ: -1, repetition: -1, converted: -1}
				e.read(r)
				m.elems = append(m.elems, e)
			})
		case id == 3:
			m.rows = r.number(typ)
		case id == 4 && typ == thriftList:
			r.list(func() {
				var g rowGroup
				g.read(r)
				m.groups = append(m.groups, g)
			})
		case id == 5 && typ == thriftList:
			r.list(func() {
				var kv KeyValue
				r.fields(func(id int16, typ byte) {
					switch {
					case id == 1 && typ == thriftBinary:
						kv.Key = r.text()
					case id == 2 && typ == thriftBinary:
						kv.Value = r.text()
					default:
						r.skipValue(typ, 0)
					}
				})
				m.keyValues = append(m.keyValues, kv)
			})
		case id == 8:
			m.encrypted = true
			r.skipValue(typ, 0)
		default:
			r.skipValue(typ, 0)
		}
	})
	if r.bad {
		return nil, errThrift
	}
	return m, nil
}

// fields calls f for each field of a structure; f must consume the value.
func (r *thriftReader) fields(f func(id int16, typ byte)) {
	var id int16
	for !r.bad {
		var typ byte
		if id, typ = r.field(id); typ == thriftStop {
			return
		}
		f(id, typ)
	}
}

// list calls f for each element of a list of structures; a list of anything else is malformed here.
func (r *thriftReader) list(f func()) {
	h := r.byte()
	n := uint64(h >> 4)
	if n == 15 {
		n = r.uvarint()
	}
	if n > 0 && h&0xF != thriftStruct {
		r.fail()
		return
	}
	for ; n > 0 && !r.bad; n-- {
		f()
	}
}

// number reads an integer of any width.
func (r *thriftReader) number(typ byte) int64 {
	switch typ {
	case thriftByte:
		return int64(int8(r.byte()))
	case thriftI16, thriftI32, thriftI64:
		return r.varint()
	}
	r.fail()
	return 0
}

func (r *thriftReader) text() string {
	n := r.uvarint()
	at := r.pos
	r.skip(n)
	if r.bad {
		return ""
	}
	return string(r.b[at:r.pos])
}

func (e *schemaElem) read(r *thriftReader) {
	logical := false
	r.fields(func(id int16, typ byte) {
		switch {
		case id == 4 && typ == thriftBinary:
			e.name = r.text()
		case id == 1:
			e.typ = int(r.number(typ))
		case id == 2:
			e.typeLength = int(r.number(typ))
		case id == 3:
			e.repetition = int(r.number(typ))
		case id == 5:
			e.children = int(r.number(typ))
		case id == 6:
			e.converted = int(r.number(typ))
		case id == 7:
			e.scale = int(r.number(typ))
		case id == 8:
			e.precision = int(r.number(typ))
		case id == 9:
			e.fieldID = int32(r.number(typ))
		case id == 10 && typ == thriftStruct:
			e.annotation, logical = readLogical(r), true
		default:
			r.skipValue(typ, 0)
		}
	})
	if !logical || e.annotation.Logical == LogicalNone {
		e.annotation = convertedType(e)
	}
}

// logicalIDs are the members of the union LogicalType.
var logicalIDs = map[int16]Logical{
	1: LogicalString, 2: LogicalMap, 3: LogicalList, 4: LogicalEnum, 5: LogicalDecimal, 6: LogicalDate, 7: LogicalTime, 8: LogicalTimestamp,
	10: LogicalInt, 11: LogicalNull, 12: LogicalJSON, 13: LogicalBSON, 14: LogicalUUID, 15: LogicalFloat16, 16: LogicalVariant,
	17: LogicalOther, 18: LogicalOther,
}

// readLogical reads the union LogicalType. Members that a later version of the format added count as no annotation.
func readLogical(r *thriftReader) (a Annotation) {
	r.fields(func(id int16, typ byte) {
		a.Logical = logicalIDs[id]
		if typ != thriftStruct {
			r.skipValue(typ, 0)
			return
		}
		r.fields(func(f int16, typ byte) {
			switch {
			case a.Logical == LogicalDecimal && f == 1:
				a.Scale = int(r.number(typ))
			case a.Logical == LogicalDecimal && f == 2:
				a.Precision = int(r.number(typ))
			case (a.Logical == LogicalTime || a.Logical == LogicalTimestamp) && f == 1:
				a.UTC = typ == thriftTrue
			case (a.Logical == LogicalTime || a.Logical == LogicalTimestamp) && f == 2 && typ == thriftStruct:
				r.fields(func(unit int16, typ byte) {
					a.Unit = 3 * int(unit)
					r.skipValue(typ, 0)
				})
			case a.Logical == LogicalInt && f == 1:
				a.Bits = int(r.number(typ))
			case a.Logical == LogicalInt && f == 2:
				a.Signed = typ == thriftTrue
			default:
				r.skipValue(typ, 0)
			}
		})
	})
	return a
}

func (g *rowGroup) read(r *thriftReader) {
	r.fields(func(id int16, typ byte) {
		switch {
		case id == 1 && typ == thriftList:
			r.list(func() {
				var c columnChunk
				c.read(r)
				g.columns = append(g.columns, c)
			})
		case id == 3:
			g.rows = r.number(typ)
		default:
			r.skipValue(typ, 0)
		}
	})
}

func (c *columnChunk) read(r *thriftReader) {
	r.fields(func(id int16, typ byte) {
		switch {
		case id == 1 && typ == thriftBinary:
			c.elsewhere = r.text() != ""
		case id == 3 && typ == thriftStruct:
			c.readMeta(r)
		case id == 8 || id == 9:
			c.encrypted = true
			r.skipValue(typ, 0)
		default:
			r.skipValue(typ, 0)
		}
	})
}

func (c *columnChunk) readMeta(r *thriftReader) {
	r.fields(func(id int16, typ byte) {
		switch id {
		case 1:
			c.typ = int(r.number(typ))
		case 4:
			c.codec = int(r.number(typ))
		case 5:
			c.values = r.number(typ)
		case 6:
			c.uncompressed = r.number(typ)
		case 7:
			c.compressed = r.number(typ)
		case 9:
			c.data = r.number(typ)
		case 11:
			c.dict = r.number(typ)
		default:
			r.skipValue(typ, 0)
		}
	})
}
