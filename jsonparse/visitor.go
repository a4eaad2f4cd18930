package jsonparse

import "fmt"

// Visitor receives one JSON value in document order. All calls come from the goroutine that called Parse. Slices are valid only during
// the call. When Parse fails, the visitor has seen a prefix of the value and the caller must undo it.
type Visitor interface {
	BeginObject()
	// Key gives the decoded name of the next member; duplicate names are all delivered, in order.
	Key(k []byte)
	EndObject()
	BeginArray()
	EndArray()
	Null()
	Bool(v bool)
	// Int gives an integer (written without fraction and exponent) that fits int64; -0 arrives as 0.
	Int(v int64)
	// Double gives a number with fraction or exponent whose nearest double has a shortest decimal text that denotes exactly the number
	// written; -0.0 arrives as the negative zero.
	Double(v float64)
	// Number gives every other number as written, a valid JSON number; ClassifyNumber tells its class, which is never Int64 or Double.
	Number(text []byte)
	// String gives the decoded text, valid UTF-8.
	String(s []byte)
}

// Engine selects the machine behind Parse. All engines give the same events and the same errors.
type Engine uint8

const (
	// Auto is the fastest exact engine, which is Own on every processor measured.
	Auto Engine = iota
	// Own is the one-pass parser of this package.
	Own
	// Simdjson reads a line's structure from simdjson-go's tape where that is exact, and falls back to Own, line by line, elsewhere
	// and on processors without AVX2 and CLMUL.
	Simdjson
)

// String is the engine's name as settings spell it.
func (e Engine) String() string {
	switch e {
	case Own:
		return "own"
	case Simdjson:
		return "simdjson"
	}
	return "auto"
}

// Limits that apply where Options leaves a field zero.
const (
	// DefaultMaxDepth bounds nesting: deep enough for any real document, shallow enough for recursive consumers.
	DefaultMaxDepth = 512
	// DefaultMaxKeyBytes is the longest key that a VARIANT path can hold.
	DefaultMaxKeyBytes = 255
)

// Options configures a Parser; zero fields take the defaults.
type Options struct {
	MaxDepth    int // open objects and arrays at one time
	MaxKeyBytes int // length of a decoded key
	Engine      Engine
}

// SyntaxError says why a value is not acceptable JSON. Offset counts bytes from the start of the slice given to Parse and points at the
// first byte that cannot be right; it equals the slice's length when the text ends too early.
type SyntaxError struct {
	Offset int
	Msg    string
}

// Error gives the message with the offset.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s at byte %d", e.Msg, e.Offset)
}
