package jsonparse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// recorder writes one word per event, so that two event streams can be compared as text.
type recorder struct{ bytes.Buffer }

func (r *recorder) BeginObject()     { r.WriteString("{ ") }
func (r *recorder) Key(k []byte)     { fmt.Fprintf(r, "k%q ", k) }
func (r *recorder) EndObject()       { r.WriteString("} ") }
func (r *recorder) BeginArray()      { r.WriteString("[ ") }
func (r *recorder) EndArray()        { r.WriteString("] ") }
func (r *recorder) Null()            { r.WriteString("null ") }
func (r *recorder) Bool(v bool)      { fmt.Fprintf(r, "%v ", v) }
func (r *recorder) Int(v int64)      { fmt.Fprintf(r, "i%d ", v) }
func (r *recorder) Double(v float64) { fmt.Fprintf(r, "d%v ", v) }
func (r *recorder) Number(t []byte)  { fmt.Fprintf(r, "n%s ", t) }
func (r *recorder) String(s []byte)  { fmt.Fprintf(r, "s%q ", s) }

// events parses the text and gives the events as text and the error.
func events(p *Parser, text []byte) (string, error) {
	var r recorder
	err := p.Parse(text, &r)
	return strings.TrimSuffix(r.Buffer.String(), " "), err
}

// One parser of each kind serves all tests, so that what one text leaves behind meets the next.
var ownParser, tapeParser, portableParser = New(Options{Engine: Own}), New(Options{Engine: Simdjson}), New(Options{})

// variants runs f with every engine and kernel.
func variants(f func(name string, p *Parser)) {
	defer SetSIMD(SetSIMD(true))
	f("own", ownParser)
	f("simdjson", tapeParser)
	SetSIMD(false)
	f("portable", portableParser)
}

// agreed gives the events and the error of the text, and fails if the variants differ.
func agreed(t testing.TB, text []byte) (string, error) {
	t.Helper()
	var want, wantErr string
	var err error
	variants(func(name string, p *Parser) {
		// A slice that ends where the text ends catches reads behind it, at least under the race detector and in the padding tests.
		got, gotErr := events(p, text[:len(text):len(text)])
		if name == "own" {
			want, wantErr, err = got, fmt.Sprint(gotErr), gotErr
		} else if got != want || fmt.Sprint(gotErr) != wantErr {
			t.Fatalf("%q\n%s: %s, %v\nown: %s, %s", text, name, got, gotErr, want, wantErr)
		}
	})
	return want, err
}

// reference gives the events of a text that encoding/json accepts, from its tokens.
func reference(text []byte) string {
	var r recorder
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var keys []bool // for each open container: does a key come next (false throughout arrays)
	var objects []bool
	value := func() {
		if n := len(keys); n > 0 && objects[n-1] {
			keys[n-1] = true
		}
	}
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return strings.TrimSuffix(r.Buffer.String(), " ")
		}
		if err != nil {
			return "reference: " + err.Error()
		}
		switch v := tok.(type) {
		case json.Delim:
			r.WriteString(v.String() + " ")
			if v == '{' || v == '[' {
				keys, objects = append(keys, v == '{'), append(objects, v == '{')
				continue
			}
			keys, objects = keys[:len(keys)-1], objects[:len(objects)-1]
		case nil:
			r.Null()
		case bool:
			r.Bool(v)
		case json.Number:
			r.WriteString(referenceNumber(string(v)) + " ")
		case string:
			if n := len(keys); n > 0 && keys[n-1] {
				r.Key([]byte(v))
				keys[n-1] = false
				continue
			}
			r.String([]byte(v))
		}
		value()
	}
}

// referenceNumber gives the event of a number by arbitrary-precision arithmetic.
func referenceNumber(text string) string {
	if !strings.ContainsAny(text, ".eE") {
		n, _ := new(big.Int).SetString(text, 10)
		if n.IsInt64() {
			return fmt.Sprintf("i%d", n.Int64())
		}
		return "n" + text
	}
	f, err := strconv.ParseFloat(text, 64)
	if err == nil && sameValue(text, f) {
		return fmt.Sprintf("d%v", f)
	}
	return "n" + text
}

// sameValue compares the number in text with the shortest text of f, exactly. Exponents are compared without expanding them.
func sameValue(text string, f float64) bool {
	d1, e1 := normalDigits(text)
	d2, e2 := normalDigits(strconv.FormatFloat(f, 'e', -1, 64))
	return d1 == d2 && e1.Cmp(e2) == 0
}

// normalDigits splits a number into signed digits without outer zeros and the power of ten of the last one; all zeros are one.
func normalDigits(text string) (digits string, power *big.Int) {
	mantissa, exp, _ := strings.Cut(strings.ToLower(text), "e")
	power = new(big.Int)
	if exp != "" {
		power.SetString(strings.TrimPrefix(exp, "+"), 10)
	}
	sign := ""
	if strings.HasPrefix(mantissa, "-") {
		sign, mantissa = "-", mantissa[1:]
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	power.Sub(power, big.NewInt(int64(len(frac))))
	digits = strings.TrimLeft(whole+frac, "0")
	short := strings.TrimRight(digits, "0")
	power.Add(power, big.NewInt(int64(len(digits)-len(short))))
	if short == "" {
		return "0", new(big.Int)
	}
	return sign + short, power
}

func TestReferenceNumbers(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		if got := referenceNumber(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
	f("-0", "i0")
	f("-0.0", "d"+fmt.Sprint(math.Copysign(0, -1)))
	f("0.1", "d0.1")
	f("100e-2", "d1")
	f("0.10000000000000000001", "n0.10000000000000000001")
	f("1e400", "n1e400")
	f("1e-400", "n1e-400")
	f("9223372036854775808", "n9223372036854775808")
}

// shared gives the folder of shared real data, and skips the test where there is none.
func shared(t testing.TB, elem ...string) string {
	t.Helper()
	root := os.Getenv("EBIRA_SHARED")
	if root == "" {
		dir, err := os.Getwd()
		for err == nil {
			if _, statErr := os.Stat(filepath.Join(dir, "go.mod")); statErr == nil {
				root = filepath.Join(filepath.Dir(dir), "shared")
				break
			}
			if filepath.Dir(dir) == dir {
				break
			}
			dir = filepath.Dir(dir)
		}
	}
	path := filepath.Join(append([]string{root}, elem...)...)
	if _, err := os.Stat(path); root == "" || err != nil {
		t.Skipf("the shared data folder %s is not there; set EBIRA_SHARED", path)
	}
	return path
}
