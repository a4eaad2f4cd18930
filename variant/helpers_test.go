package variant

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/vec"
)

// visitor is what builders and shredders have in common.
type visitor interface {
	BeginObject()
	Key(k []byte)
	EndObject()
	BeginArray()
	EndArray()
	Null()
	Bool(bool)
	Int(int64)
	Double(float64)
	Number(text []byte)
	String(s []byte)
}

// feed sends one JSON document to v by way of encoding/json.
func feed(v visitor, doc string) {
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	var object []bool
	key := false
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			panic(fmt.Sprintf("%s: %v", doc, err))
		}
		if s, ok := tok.(string); ok && key {
			v.Key([]byte(s))
			key = false
			continue
		}
		switch t := tok.(type) {
		case json.Delim:
			switch t {
			case '{':
				v.BeginObject()
				object = append(object, true)
			case '[':
				v.BeginArray()
				object = append(object, false)
			case '}':
				v.EndObject()
				object = object[:len(object)-1]
			case ']':
				v.EndArray()
				object = object[:len(object)-1]
			}
		case nil:
			v.Null()
		case bool:
			v.Bool(t)
		case string:
			v.String([]byte(t))
		case json.Number:
			feedNumber(v, string(t))
		}
		key = len(object) > 0 && object[len(object)-1]
	}
}

func feedNumber(v visitor, text string) {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		v.Int(i)
		return
	}
	var s scalar
	s.setNumber([]byte(text))
	if s.kind == Double {
		v.Double(s.f)
		return
	}
	v.Number([]byte(text))
}

// build makes a variant vector of JSON documents; "NULL" is SQL NULL.
func build(docs ...string) *vec.Vector {
	b := NewBatchBuilder(len(docs))
	for _, d := range docs {
		if d == "NULL" {
			b.AppendNull()
			continue
		}
		b.BeginRow()
		feed(b, d)
		b.EndRow()
	}
	return b.Finish()
}

// dump prints the rows of any vector, a row a line: variants as JSON, other types as cast to text.
func dump(v *vec.Vector) []string {
	if !v.Type.IsVariant() {
		v = FromVector(v)
	}
	v = Flatten(v)
	out := make([]string, v.Len)
	for i := range out {
		if v.IsNull(i) {
			out[i] = "NULL"
			continue
		}
		m, val := v.VariantAt(i)
		out[i] = string(AppendJSON(nil, m, val))
	}
	return out
}

// canonical prints a document as D1 of the decisions wants it, by other means than this package: encoding/json and sorting.
func canonical(doc string) string {
	if doc == "NULL" {
		return doc
	}
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	var x any
	if err := d.Decode(&x); err != nil {
		panic(err)
	}
	var b bytes.Buffer
	writeCanonical(&b, x)
	return b.String()
}

func writeCanonical(b *bytes.Buffer, x any) {
	switch t := x.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		fmt.Fprint(b, t)
	case string:
		e := json.NewEncoder(b)
		e.SetEscapeHTML(false)
		e.Encode(t)
		b.Truncate(b.Len() - 1)
	case json.Number:
		b.WriteString(canonicalNumber(string(t)))
	case []any:
		b.WriteByte('[')
		for i, e := range t {
			if i > 0 {
				b.WriteByte(',')
			}
			writeCanonical(b, e)
		}
		b.WriteByte(']')
	case map[string]any:
		keys := make([]string, 0, len(t))
		for k := range t {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		b.WriteByte('{')
		for i, k := range keys {
			if i > 0 {
				b.WriteByte(',')
			}
			writeCanonical(b, k)
			b.WriteByte(':')
			writeCanonical(b, t[k])
		}
		b.WriteByte('}')
	}
}

// canonicalNumber prints integers plain and other numbers like encoding/json prints the nearest double (which follows ECMAScript),
// unless that loses something.
func canonicalNumber(text string) string {
	if !strings.ContainsAny(text, ".eE") {
		if text == "-0" {
			return "0"
		}
		return text
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	if f == 0 && strings.HasPrefix(text, "-") && !strings.ContainsAny(strings.SplitN(strings.ToLower(text), "e", 2)[0], "123456789") {
		return "-0"
	}
	short, _ := json.Marshal(f)
	a, _ := new(big.Rat).SetString(text)
	b, _ := new(big.Rat).SetString(string(short))
	if a.Cmp(b) != 0 {
		return text
	}
	return string(short)
}

// shared returns a path in the shared data or skips the test.
func shared(t *testing.T, elem ...string) string {
	t.Helper()
	root := os.Getenv("EBIRA_SHARED")
	if root == "" {
		dir, _ := os.Getwd()
		for dir != "/" {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				break
			}
			dir = filepath.Dir(dir)
		}
		root = filepath.Join(filepath.Dir(dir), "shared")
	}
	p := filepath.Join(append([]string{root}, elem...)...)
	if _, err := os.Stat(p); err != nil {
		t.Skipf("%s is not here; set EBIRA_SHARED", p)
	}
	return p
}
