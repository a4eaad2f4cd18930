package parse

// TypeName is a data type as written, not checked against the types that exist.
type TypeName struct {
	Place
	// Name is upper-case. Names of several words are one word here: DOUBLE PRECISION is DOUBLE, TIMESTAMP WITH TIME ZONE is
	// TIMESTAMPTZ, CHARACTER VARYING is VARCHAR; T[] and ARRAY(T) are ARRAY; TUPLE is STRUCT. Other synonyms are left alone.
	Name string
	// Args are the numbers in parentheses: length, precision and scale, fractional digits.
	Args []int
	// Unsigned is the suffix UNSIGNED.
	Unsigned bool
	// Elem is the element type of ARRAY and the value type of MAP.
	Elem *TypeName
	// Key is the key type of MAP.
	Key *TypeName
	// Fields are the members of STRUCT.
	Fields []FieldDef
	// Template are the Schema Template entries of VARIANT, in order.
	Template []TemplateEntry
	// Properties are the PROPERTIES(...) inside VARIANT<...>.
	Properties []Option
	// NotNull is NOT NULL written behind a type inside ARRAY, MAP or STRUCT.
	NotNull bool
}

// FieldDef is one member of a STRUCT type.
type FieldDef struct {
	Name    Ident
	Type    *TypeName
	Comment *StringLit
}

// TemplateEntry is one [MATCH_NAME | MATCH_NAME_GLOB] 'pattern' : type [COMMENT '...'] of a VARIANT type.
type TemplateEntry struct {
	Place
	// Exact is MATCH_NAME; otherwise Pattern is a glob.
	Exact   bool
	Pattern string
	Type    *TypeName
	Comment *StringLit
}

// ValueKind tells the values of options apart.
type ValueKind uint8

// The values of options.
const (
	// ValueWord is a bare word such as NDJSON, AUTO or true.
	ValueWord ValueKind = iota
	// ValueString is a string in single or double quotes.
	ValueString
	// ValueNumber is a number, with its sign if any.
	ValueNumber
	// ValueVariable is $name; Text is the name.
	ValueVariable
	// ValueList is a parenthesised list of values, as in FILES = ('a', 'b'); it may be empty.
	ValueList
	// ValueOptions is a parenthesised list of options, as in FILE_FORMAT = (TYPE = ndjson).
	ValueOptions
)

// Value is the right side of an option.
type Value struct {
	Place
	Kind ValueKind
	// Text is the word as written, the string's value, the number or the variable's name.
	Text string
	List []Value
	// Options are the members of ValueOptions, in order.
	Options []Option
}

// Option is NAME = value, NAME => value or "name" = "value".
type Option struct {
	Place
	// Name is as written. Option names are compared without regard to case.
	Name  string
	Value Value
}
