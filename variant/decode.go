package variant

import (
	"encoding/binary"
	"errors"
	"math"
	"unicode/utf8"

	"github.com/ebira-db/ebira/sql/types"
)

// scalar is a decoded value that is neither object nor array. Which fields count depends on kind.
type scalar struct {
	kind  Kind
	scale uint8  // Decimal
	width uint8  // Decimal: 9, 18, 38 or 76, the class of its precision
	nanos uint16 // DateTime, TimestampTZ: nanoseconds below the microsecond
	i     int64  // Boolean, BigInt, Decimal up to 18 digits, Date (days), Time, DateTime, TimestampTZ (micros), IPv4
	f     float64
	w     types.Int256  // LargeInt, Decimal of more than 18 digits
	u     types.Uint128 // IPv6, UUID
	b     []byte        // String, Binary, Number (its text); aliases the value
}

// wide returns the unscaled number of a Decimal, LargeInt or BigInt.
func (s *scalar) wide() types.Int256 {
	if s.kind == LargeInt || s.kind == Decimal && s.width > 18 {
		return s.w
	}
	return types.Int256From(types.Int128From(s.i))
}

const microsPerDay = 86_400_000_000

// decode reads the scalar at the start of v. It returns false for objects, arrays and bytes that make no value.
func (s *scalar) decode(v []byte) bool {
	size, ok := valueSize(v)
	if !ok {
		return false
	}
	head := v[0]
	v = v[1:size]
	switch head & 3 {
	case basicShortString:
		s.kind, s.b = String, v
		return true
	case basicPrimitive:
		return s.decodePrimitive(head>>2, v)
	}
	return false
}

// plainText returns the text of a short string, the commonest value; false for all others.
func plainText(v []byte) ([]byte, bool) {
	if v[0]&3 != basicShortString {
		return nil, false
	}
	n := 1 + int(v[0]>>2)
	if n > len(v) {
		return nil, false
	}
	return v[1:n], true
}

// plainInt returns the number of an integer value; false for all others.
func plainInt(v []byte) (int64, bool) {
	le := binary.LittleEndian
	switch {
	case v[0] == primInt8<<2 && len(v) >= 2:
		return int64(int8(v[1])), true
	case v[0] == primInt16<<2 && len(v) >= 3:
		return int64(int16(le.Uint16(v[1:]))), true
	case v[0] == primInt32<<2 && len(v) >= 5:
		return int64(int32(le.Uint32(v[1:]))), true
	case v[0] == primInt64<<2 && len(v) >= 9:
		return int64(le.Uint64(v[1:])), true
	}
	return 0, false
}

// decodePrimitive reads the bytes behind the header, whose number valueSize has checked.
func (s *scalar) decodePrimitive(prim byte, v []byte) bool {
	le := binary.LittleEndian
	switch prim {
	case primNull:
		s.kind = Null
	case primTrue:
		s.kind, s.i = Boolean, 1
	case primFalse:
		s.kind, s.i = Boolean, 0
	case primInt8:
		s.kind, s.i = BigInt, int64(int8(v[0]))
	case primInt16:
		s.kind, s.i = BigInt, int64(int16(le.Uint16(v)))
	case primInt32:
		s.kind, s.i = BigInt, int64(int32(le.Uint32(v)))
	case primInt64:
		s.kind, s.i = BigInt, int64(le.Uint64(v))
	case primDouble:
		s.kind, s.f = Double, math.Float64frombits(le.Uint64(v))
	case primFloat:
		s.kind, s.f = Float, float64(math.Float32frombits(le.Uint32(v)))
	case primDecimal4, primDecimal8, primDecimal16, privDecimal256:
		return s.decodeDecimal(prim, v)
	case primDate:
		s.kind, s.i = Date, int64(int32(le.Uint32(v)))
	case primTimestamp, primTimestampNTZ:
		s.kind, s.i, s.nanos = TimestampTZ, int64(le.Uint64(v)), 0
	case primTimestampNanos, primTimestampNTZNanos:
		n := int64(le.Uint64(v))
		rest := n % 1000
		if rest < 0 {
			rest += 1000
		}
		s.kind, s.i, s.nanos = TimestampTZ, (n-rest)/1000, uint16(rest)
	case primTime:
		s.kind, s.i = Time, int64(le.Uint64(v))
		return s.i >= 0 && s.i < microsPerDay
	case primBinary:
		s.kind, s.b = Binary, v[4:]
	case primString:
		s.kind, s.b = String, v[4:]
	case primUUID:
		s.kind, s.u = UUID, types.Uint128FromBytes(v)
	case privNumber:
		s.kind, s.b = Number, v[4:]
	case privLargeInt:
		s.kind, s.w = LargeInt, types.Int256From(types.Int128{Lo: le.Uint64(v), Hi: int64(le.Uint64(v[8:]))})
	case privIPv4:
		s.kind, s.i = IPv4, int64(le.Uint32(v))
	case privIPv6:
		s.kind, s.u = IPv6, types.Uint128FromBytes(v)
	default:
		return false
	}
	if prim == primTimestampNTZ || prim == primTimestampNTZNanos {
		s.kind = DateTime
	}
	return true
}

// decodeDecimal reads scale and unscaled number; a scale of 0 makes it an integer (parquet mapping: BIGINT where it fits, else LARGEINT).
func (s *scalar) decodeDecimal(prim byte, v []byte) bool {
	le := binary.LittleEndian
	s.kind, s.scale = Decimal, v[0]
	v = v[1:]
	limit := uint8(38)
	switch prim {
	case primDecimal4:
		s.width, s.i = 9, int64(int32(le.Uint32(v)))
	case primDecimal8:
		s.width, s.i = 18, int64(le.Uint64(v))
	case primDecimal16:
		wide := types.Int128{Lo: le.Uint64(v), Hi: int64(le.Uint64(v[8:]))}
		s.width, s.w = 38, types.Int256From(wide)
	default:
		for i := range s.w {
			s.w[i] = le.Uint64(v[8*i:])
		}
		s.width, limit = 76, 76
	}
	if s.scale > limit {
		return false
	}
	if s.scale != 0 || s.width == 76 {
		s.widenDecimal()
		return true
	}
	if s.width <= 18 {
		s.kind = BigInt
		return true
	}
	narrow, _ := s.w.Int128()
	if i, ok := narrow.Int64(); ok {
		s.kind, s.i = BigInt, i
	} else {
		s.kind = LargeInt
	}
	return true
}

// widenDecimal gives a number with more digits than its encoding should hold the width that does.
func (s *scalar) widenDecimal() {
	switch {
	case s.width == 9 && (s.i >= 1e9 || s.i <= -1e9):
		s.width = 18
	case s.width == 18 && (s.i >= 1e18 || s.i <= -1e18):
		s.w, s.width = types.Int256From(types.Int128From(s.i)), 38
	case s.width == 38:
		if narrow, _ := s.w.Int128(); !fits38(narrow) {
			s.width = 76
		}
	}
}

// primitiveSizes are the bytes of primitives with their header; 0 stands for a 4-byte length, -1 for an unknown type id.
var primitiveSizes = func() (t [64]int8) {
	for i := range t {
		t[i] = -1
	}
	for prim, size := range map[int]int8{
		primNull: 1, primTrue: 1, primFalse: 1, primInt8: 2, primInt16: 3, primInt32: 5, primInt64: 9, primDouble: 9, primDecimal4: 6,
		primDecimal8: 10, primDecimal16: 18, primDate: 5, primTimestamp: 9, primTimestampNTZ: 9, primFloat: 5, primBinary: 0, primString: 0,
		primTime: 9, primTimestampNanos: 9, primTimestampNTZNanos: 9, primUUID: 17, privNumber: 0, privLargeInt: 17, privDecimal256: 34,
		privIPv4: 5, privIPv6: 17,
	} {
		t[prim] = size
	}
	return t
}()

// valueSize returns the number of bytes of the value at the start of v; false if v ends before it does.
func valueSize(v []byte) (int, bool) {
	if len(v) == 0 {
		return 0, false
	}
	size := 0
	switch v[0] & 3 {
	case basicShortString:
		size = 1 + int(v[0]>>2)
	case basicPrimitive:
		size = int(primitiveSizes[v[0]>>2])
		if size == 0 && len(v) >= 5 {
			size = 5 + int(binary.LittleEndian.Uint32(v[1:]))
		}
	default:
		c, ok := openContainer(v)
		if !ok {
			return 0, false
		}
		size = len(v) - len(c.values) + c.offset(c.n)
	}
	return size, size > 0 && size <= len(v)
}

// container is an object or array taken apart; all its slices lie within the value.
type container struct {
	object          bool
	n               int
	idSize, offSize int
	ids, offs       []byte
	values          []byte // from the first value to the end of the bytes given, which may go beyond the container
}

// openContainer reads the header of an object or array at the start of v.
func openContainer(v []byte) (c container, ok bool) {
	if len(v) < 2 {
		return c, false
	}
	head := v[0]
	c.offSize = int(head>>2&3) + 1
	large := false
	switch head & 3 {
	case basicObject:
		c.object, c.idSize, large = true, int(head>>4&3)+1, head>>6&1 != 0
	case basicArray:
		large = head>>4&1 != 0
	default:
		return c, false
	}
	rest := v[2:]
	c.n = int(v[1])
	if large {
		if len(v) < 5 {
			return c, false
		}
		c.n, rest = int(binary.LittleEndian.Uint32(v[1:])), v[5:]
	}
	ids, offs := c.n*c.idSize, (c.n+1)*c.offSize
	if c.n > len(v) || ids+offs > len(rest) {
		return c, false
	}
	c.ids, c.offs, c.values = rest[:ids], rest[ids:ids+offs], rest[ids+offs:]
	return c, c.offset(c.n) <= len(c.values)
}

// uintAt reads the i-th little-endian number of size bytes.
func uintAt(b []byte, i, size int) int {
	switch size {
	case 1:
		return int(b[i])
	case 2:
		return int(binary.LittleEndian.Uint16(b[2*i:]))
	case 3:
		return int(b[3*i]) | int(b[3*i+1])<<8 | int(b[3*i+2])<<16
	}
	return int(binary.LittleEndian.Uint32(b[4*i:]))
}

// offset returns the i-th offset into values, 0 <= i <= n.
func (c *container) offset(i int) int { return uintAt(c.offs, i, c.offSize) }

// id returns the field id of the i-th member of an object.
func (c *container) id(i int) int { return uintAt(c.ids, i, c.idSize) }

// value returns the bytes of the i-th member or element, exactly as long as it is.
func (c *container) value(i int) ([]byte, bool) {
	off := c.offset(i)
	if off >= len(c.values) {
		return nil, false
	}
	v := c.values[off:]
	size, ok := valueSize(v)
	if !ok {
		return nil, false
	}
	return v[:size], true
}

// enter opens a value that is reached at a depth and charges the bytes of its own, without those of its members, to a budget that began
// as the length of the root. ok is false for damaged containers and where depth or budget is used up, as happens if members share bytes:
// the work on a value stays proportional to its length. nested tells that c holds an object or array.
func enter(v []byte, depth int, budget *int) (c container, nested, ok bool) {
	ok = true
	if isContainer(v) {
		nested = true
		c, ok = openContainer(v)
		*budget -= len(v) - len(c.values)
	} else {
		*budget -= len(v)
	}
	return c, nested, ok && *budget >= 0 && depth > 0
}

// isContainer tells whether v starts like an object or array.
func isContainer(v []byte) bool { return len(v) > 0 && v[0]&3 >= basicObject }

// KindOf returns the kind of a value, Missing if the bytes make none.
func KindOf(value []byte) Kind {
	if len(value) == 0 {
		return Missing
	}
	switch value[0] & 3 {
	case basicShortString:
		return String
	case basicObject:
		return Object
	case basicArray:
		return Array
	}
	var s scalar
	if !s.decode(value) {
		return Missing
	}
	return s.kind
}

// IsNull tells whether a value is JSON null, which SQL reads as NULL.
func IsNull(value []byte) bool { return len(value) > 0 && value[0] == primNull<<2 }

var errValue = errors.New("variant value is damaged")

// Validate checks that a pair of metadata and value from outside can be read in full: sizes, field ids, UTF-8 of texts and names, order
// and uniqueness of names within objects, nesting up to MaxDepth, and no private type ids unless private is true.
func Validate(meta, value []byte, private bool) error {
	var v Validator
	return v.Validate(meta, value, private)
}

// Validator is Validate for many values, of which most share their metadata with the one before.
type Validator struct {
	meta []byte // the last metadata, nil before the first
	m    metadata
	err  error
}

func (v *Validator) open(meta []byte) error {
	if v.meta != nil && sameBytes(v.meta, meta) {
		return v.err
	}
	v.meta, v.err = meta, nil
	ok := false
	if v.m, ok = openMetadata(meta); !ok {
		v.err = errors.New("variant metadata is damaged")
	}
	for i := range v.m.n {
		if name, ok := v.m.name(i); !ok || !utf8.Valid(name) {
			v.err = errors.New("variant metadata has a damaged name")
		}
	}
	return v.err
}

// Validate: see the function. meta must stay as it is up to the next call.
func (v *Validator) Validate(meta, value []byte, private bool) error {
	if err := v.open(meta); err != nil {
		return err
	}
	size, ok := valueSize(value)
	if !ok || size != len(value) {
		return errValue
	}
	budget := len(value)
	return validate(&v.m, value, private, MaxDepth, &budget)
}

func validate(m *metadata, v []byte, private bool, depth int, budget *int) error {
	c, nested, ok := enter(v, depth, budget)
	if !ok {
		return errValue
	}
	if !nested {
		var s scalar
		if !s.decode(v) || s.kind == String && !utf8.Valid(s.b) {
			return errValue
		}
		if s.kind == Number {
			if _, ok := parseNumber(s.b); !ok {
				return errValue
			}
		}
		if v[0]&3 == basicPrimitive && v[0]>>2 >= privNumber && !private {
			return errValue
		}
		return nil
	}
	var last []byte
	for i := range c.n {
		if c.object {
			name, ok := m.name(c.id(i))
			if !ok || i > 0 && string(name) <= string(last) {
				return errValue
			}
			last = name
		}
		e, ok := c.value(i)
		if !ok {
			return errValue
		}
		if err := validate(m, e, private, depth-1, budget); err != nil {
			return err
		}
	}
	return nil
}
