package variant

// Kind is the closed list of what a variant value can be. Integers of all widths are BigInt: width is storage, not a kind; TinyInt to
// Int appear only where a template declares them.
type Kind uint8

// The kinds. Missing is no value at all: bytes that cannot be read, or a path that finds nothing.
const (
	Missing Kind = iota
	Null
	Boolean
	TinyInt
	SmallInt
	Int
	BigInt
	LargeInt
	Float
	Double
	Decimal
	Number // an exact number that fits none of the other kinds; its text is kept
	String
	Date
	DateTime
	TimestampTZ
	Time
	IPv4
	IPv6
	Binary
	UUID
	Object
	Array
	NumKinds
)

var kindNames = [NumKinds]string{
	"missing", "null", "boolean", "tinyint", "smallint", "int", "bigint", "largeint", "float", "double", "decimal", "number", "string",
	"date", "datetime", "timestamptz", "time", "ipv4", "ipv6", "binary", "uuid", "object", "array",
}

// String returns the lower-case name, as system.variant_paths shows it.
func (k Kind) String() string { return kindNames[k] }

// KindCounts counts the values of a path by kind.
type KindCounts [NumKinds]uint32

// Total returns the number of values.
func (c *KindCounts) Total() int {
	n := 0
	for _, x := range c {
		n += int(x)
	}
	return n
}
