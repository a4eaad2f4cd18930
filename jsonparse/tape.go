package jsonparse

import (
	"bytes"
	"unicode/utf8"

	"github.com/minio/simdjson-go"
)

// tape is the second engine: simdjson-go finds the structure, this code turns its tape into visitor calls. simdjson-go is not exact
// everywhere, so a line takes this way only if
//
//   - it is valid UTF-8 without any \u escape (the library accepts bad ones, and invalid UTF-8 too),
//   - it is an object or array with nothing but JSON white space around it (the library trims more),
//   - the library accepts it (its errors have no position), and depth and key lengths are within the limits.
//
// Everything else is left to the walk, which also finds the error if there is one. Numbers that the tape holds as uint64 or double are
// read again from the text, because rounding has already happened there.
type tape struct {
	reuse   *simdjson.ParsedJson
	options []simdjson.ParserOption
	nesting []bool // for each open container: is it an object
}

// newTape gives nil where simdjson-go cannot run.
func newTape() *tape {
	if !simdAvailable || !simdjson.SupportedCPU() {
		return nil
	}
	return &tape{options: []simdjson.ParserOption{simdjson.WithCopyStrings(false)}}
}

// parse handles the line if it is exact here; otherwise done is false and v has seen nothing.
func (t *tape) parse(p *Parser, line []byte, v Visitor) (done bool, err error) {
	from := skipSpace(line, 0)
	to := len(bytes.TrimRight(line, " \t\r\n"))
	if !simdOn.Load() || to-from < 2 || !bracketed(line[from], line[to-1]) || bytes.Contains(line, []byte(`\u`)) || !utf8.Valid(line) {
		return false, nil
	}
	parsed, err := simdjson.Parse(line[from:to], t.reuse, t.options...)
	if err != nil {
		t.reuse = nil // its channels may still hold what the failed parse left
		return false, nil
	}
	if t.reuse = parsed; len(line) > keepLineBytes {
		t.reuse = nil
	}
	exact, fits := t.check(p, parsed)
	if !fits {
		return false, nil
	}
	return true, t.emit(parsed, line, from, exact, v)
}

// bracketed tells whether first and last may enclose an object or array.
func bracketed(first, last byte) bool {
	return first == '{' && last == '}' || first == '[' && last == ']'
}

const (
	tagShift = simdjson.JSONTAGOFFSET
	valMask  = simdjson.JSONVALUEMASK
)

// check walks the tape without reporting anything. exact is false if a number must be read again from the text; fits is false if the
// tape is not one value within the limits of p.
func (t *tape) check(p *Parser, parsed *simdjson.ParsedJson) (exact, fits bool) {
	cells := parsed.Tape
	exact = true
	t.nesting = t.nesting[:0]
	inObject, wantKey := false, false
	for i := 1; i < len(cells)-1; i++ {
		switch tag := simdjson.Tag(cells[i] >> tagShift); tag {
		case simdjson.TagObjectStart, simdjson.TagArrayStart:
			if len(t.nesting) >= p.opts.MaxDepth {
				return false, false
			}
			t.nesting = append(t.nesting, inObject)
			inObject = tag == simdjson.TagObjectStart
			wantKey = inObject
			continue
		case simdjson.TagObjectEnd, simdjson.TagArrayEnd:
			if len(t.nesting) == 0 {
				return false, false
			}
			inObject = t.nesting[len(t.nesting)-1]
			t.nesting = t.nesting[:len(t.nesting)-1]
		case simdjson.TagString:
			i++
			if wantKey {
				if cells[i] > uint64(p.opts.MaxKeyBytes) {
					return false, false
				}
				wantKey = false
				continue
			}
		case simdjson.TagInteger:
			i++
		case simdjson.TagUint, simdjson.TagFloat:
			i++
			exact = false
		case simdjson.TagNull, simdjson.TagBoolTrue, simdjson.TagBoolFalse:
		default: // a second root, or something unknown
			return false, false
		}
		wantKey = inObject
	}
	return exact, len(t.nesting) == 0
}

// emit reports the checked tape to v. If it is not exact, a cursor follows the events through the text to find the numbers.
func (t *tape) emit(parsed *simdjson.ParsedJson, line []byte, from int, exact bool, v Visitor) (err error) {
	cells := parsed.Tape
	at := from // everything before it belongs to events already reported
	inObject, wantKey := false, false
	for i := 1; i < len(cells)-1; i++ {
		cell := cells[i]
		switch tag := simdjson.Tag(cell >> tagShift); tag {
		case simdjson.TagObjectStart, simdjson.TagArrayStart:
			t.nesting = append(t.nesting, inObject)
			inObject = tag == simdjson.TagObjectStart
			wantKey = inObject
			if inObject {
				v.BeginObject()
			} else {
				v.BeginArray()
			}
			continue
		case simdjson.TagObjectEnd, simdjson.TagArrayEnd:
			if inObject {
				v.EndObject()
			} else {
				v.EndArray()
			}
			inObject = t.nesting[len(t.nesting)-1]
			t.nesting = t.nesting[:len(t.nesting)-1]
		case simdjson.TagString:
			i++
			s := tapeString(parsed, cell&valMask, cells[i])
			if !exact {
				at = skipString(line, at)
			}
			if wantKey {
				v.Key(s)
				wantKey = false
				continue
			}
			v.String(s)
		case simdjson.TagInteger, simdjson.TagUint, simdjson.TagFloat:
			i++
			if exact {
				v.Int(int64(cells[i]))
			} else if at, err = number(line, findNumber(line, at), v); err != nil {
				return err
			}
		case simdjson.TagNull:
			v.Null()
		default:
			v.Bool(tag == simdjson.TagBoolTrue)
		}
		wantKey = inObject
	}
	return nil
}

// tapeString gives the string of a tape entry: a piece of the message, or of the string buffer if it had escapes.
func tapeString(parsed *simdjson.ParsedJson, offset, length uint64) []byte {
	if offset&simdjson.STRINGBUFBIT == 0 {
		return parsed.Message[offset : offset+length]
	}
	offset &= simdjson.STRINGBUFMASK
	return parsed.Strings.B[offset : offset+length]
}

// skipString gives the position behind the next string at or after at; the text is known to be well-formed.
func skipString(d []byte, at int) int {
	i := at + bytes.IndexByte(d[at:], '"') + 1
	for {
		i += bytes.IndexByte(d[i:], '"')
		slashes := 0
		for d[i-1-slashes] == '\\' {
			slashes++
		}
		i++
		if slashes%2 == 0 {
			return i
		}
	}
}

// findNumber gives the position of the next number at or after at, between which and the number lie only structure and literals.
func findNumber(d []byte, at int) int {
	for d[at] != '-' && d[at]-'0' > 9 {
		at++
	}
	return at
}
