package stage

import (
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// Option is a written option of FILE_FORMAT.
type Option struct {
	Name string
	// Text is a single value, List a parenthesized one.
	Text string
	List []string
	// Pos is the byte offset of the option in the statement.
	Pos int
}

// choice is a word of an option with what it stands for.
type choice[T any] struct {
	word  string
	value T
}

// The words that options take, in the order in which messages list them.
var (
	typeWords        = []choice[FormatType]{{"PARQUET", Parquet}, {"NDJSON", NDJSON}}
	missingWords     = []choice[MissingField]{{"ERROR", MissingError}, {"NULL", MissingNull}, {"FIELD_DEFAULT", MissingDefault}}
	nullFieldWords   = []choice[bool]{{"NULL", false}, {"FIELD_DEFAULT", true}}
	logicTypeWords   = []choice[bool]{{"TRUE", false}, {"FALSE", true}}
	ndjsonCodecWords = []choice[Compression]{{"AUTO", Auto}, {"NONE", None}, {"GZIP", Gzip}, {"ZSTD", Zstd}, {"BZ2", Bzip2}}
	pageCodecWords   = []choice[Compression]{{"AUTO", Auto}, {"NONE", None}, {"ZSTD", Zstd}, {"SNAPPY", Snappy}}
)

// otherTypes and otherCodecs are known elsewhere, but are not built here.
var (
	otherTypes  = []string{"CSV", "TSV", "TEXT", "JSON", "ORC", "AVRO", "ARROW", "ARROW_STREAM", "LANCE", "XML"}
	otherCodecs = []string{"BROTLI", "DEFLATE", "RAW_DEFLATE", "XZ", "ZIP", "LZ4"}
)

// formatOptions are the options of each type besides TYPE.
var formatOptions = map[FormatType][]string{
	Parquet: {"MISSING_FIELD_AS", "NULL_IF", "USE_LOGIC_TYPE", "COMPRESSION"},
	NDJSON:  {"MISSING_FIELD_AS", "NULL_FIELD_AS", "NULL_IF", "COMPRESSION"},
}

// ParseFormat reads the options of FILE_FORMAT, whose names and words may have any case. Without TYPE the format is Parquet. Errors are of
// kind Bind, or Unsupported for formats known elsewhere, and point at the option.
func ParseFormat(opts []Option) (Format, error) {
	var f Format
	seen := map[string]bool{}
	for _, o := range opts {
		name := strings.ToUpper(o.Name)
		if seen[name] {
			return f, sqlerr.At(sqlerr.Bind, o.Pos, "option %s is given twice", name)
		}
		seen[name] = true
		if name == "TYPE" {
			t, err := parseType(o)
			if err != nil {
				return f, err
			}
			f.Type = t
		}
	}
	for _, o := range opts {
		if err := f.option(o); err != nil {
			return f, err
		}
	}
	return f, nil
}

func parseType(o Option) (FormatType, error) {
	for _, t := range otherTypes {
		if strings.EqualFold(t, o.Text) {
			return 0, sqlerr.At(sqlerr.Unsupported, o.Pos, "files of type %s are not supported; TYPE is PARQUET or NDJSON", t)
		}
	}
	return pick(o, "TYPE", typeWords)
}

// option applies one option other than TYPE.
func (f *Format) option(o Option) (err error) {
	name := strings.ToUpper(o.Name)
	known := name == "TYPE"
	for _, n := range formatOptions[f.Type] {
		known = known || n == name
	}
	if !known {
		return sqlerr.At(sqlerr.Bind, o.Pos, "%s files have no option %s; known are TYPE, %s", f.Type, name, strings.Join(formatOptions[f.Type], ", "))
	}
	switch name {
	case "COMPRESSION":
		f.Compression, err = f.parseCompression(o)
	case "MISSING_FIELD_AS":
		f.Missing, err = pick(o, name, missingWords)
	case "NULL_FIELD_AS":
		f.NullDefault, err = pick(o, name, nullFieldWords)
	case "USE_LOGIC_TYPE":
		f.RawIntegers, err = pick(o, name, logicTypeWords)
	case "NULL_IF":
		f.NullIf = o.List
		if len(o.List) == 0 && o.Text != "" {
			f.NullIf = []string{o.Text}
		}
	}
	return err
}

func (f *Format) parseCompression(o Option) (Compression, error) {
	for _, c := range otherCodecs {
		if strings.EqualFold(c, o.Text) {
			return 0, sqlerr.At(sqlerr.Unsupported, o.Pos, "compression %s is not supported; known are AUTO, NONE, GZIP, ZSTD and BZ2", c)
		}
	}
	if f.Type == Parquet {
		return pick(o, "COMPRESSION", pageCodecWords)
	}
	return pick(o, "COMPRESSION", ndjsonCodecWords)
}

// pick finds the word of an option among its choices.
func pick[T any](o Option, name string, choices []choice[T]) (T, error) {
	words := make([]string, len(choices))
	for i, c := range choices {
		if len(o.List) == 0 && strings.EqualFold(c.word, o.Text) {
			return c.value, nil
		}
		words[i] = c.word
	}
	last := len(words) - 1
	var none T
	if len(o.List) > 0 {
		return none, sqlerr.At(sqlerr.Bind, o.Pos, "%s takes one word: %s or %s", name, strings.Join(words[:last], ", "), words[last])
	}
	return none, sqlerr.At(sqlerr.Bind, o.Pos, "%s is %s or %s, not %q", name, strings.Join(words[:last], ", "), words[last], o.Text)
}

// String is the name of the type as FILE_FORMAT spells it.
func (t FormatType) String() string {
	switch t {
	case NDJSON:
		return "NDJSON"
	case CSV:
		return "CSV"
	}
	return "PARQUET"
}
