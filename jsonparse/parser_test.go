package jsonparse

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func TestEvents(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		got, err := agreed(t, []byte(in))
		if err != nil || got != want {
			t.Errorf("%s\ngot  %s, %v\nwant %s", in, got, err, want)
		}
	}
	f(`null`, `null`)
	f(" \t\r\n true \n", `true`)
	f(`false`, `false`)
	f(`"a"`, `s"a"`)
	f(`""`, `s""`)
	f(`{}`, `{ }`)
	f(`[ ]`, `[ ]`)
	f(`{"a":{"b":[1,[],{}]}}`, `{ k"a" { k"b" [ i1 [ ] { } ] } }`)
	f(`{ "a" : 1 , "b" : [ 2 , 3 ] }`, `{ k"a" i1 k"b" [ i2 i3 ] }`)
	f(`{"a":1,"a":2,"":null}`, `{ k"a" i1 k"a" i2 k"" null }`)
	f(`{"a.b":true,"\u0061\n":false}`, `{ k"a.b" true k"a\n" false }`)
	f(`["\"\\\/\b\f\n\r\t","\u00e9\uD83D\ude00","é😀"]`, `[ s"\"\\/\b\f\n\r\t" s"é😀" s"é😀" ]`)
	f(`"\u0000\uffff"`, `s"\x00\uffff"`)
	f(`["a\\","b\\\"",""]`, `[ s"a\\" s"b\\\"" s"" ]`)
	long := strings.Repeat("0123456789", 30)
	f(`["`+long+`","`+long+`\n`+long+`"]`, `[ s"`+long+`" s"`+long+`\n`+long+`" ]`)
	f(`[0,-0,-1,9223372036854775807,-9223372036854775808,9223372036854775808]`,
		`[ i0 i0 i-1 i9223372036854775807 i-9223372036854775808 n9223372036854775808 ]`)
	f(`[0.0,-0.0,1.5,5.0,1e2,1E+2,1.5e-3,-12.345,1e400,0.10000000000000000001]`,
		`[ d0 d-0 d1.5 d5 d100 d100 d0.0015 d-12.345 n1e400 n0.10000000000000000001 ]`)
	f(`[12345678,123456789,1234567890123456,12345678.12345678,123456.7,0.000001,0.00000000000000000000001]`,
		`[ i12345678 i123456789 i1234567890123456 d1.234567812345678e+07 d123456.7 d1e-06 d1e-23 ]`)
}

func TestErrors(t *testing.T) {
	f := func(in string, offset int, msg string) {
		t.Helper()
		_, err := agreed(t, []byte(in))
		var se *SyntaxError
		if !errors.As(err, &se) {
			t.Errorf("%q: got %v, want a SyntaxError", in, err)
			return
		}
		if se.Offset != offset || se.Msg != msg {
			t.Errorf("%q\ngot  %d %s\nwant %d %s", in, se.Offset, se.Msg, offset, msg)
		}
	}
	const end = ", found the end of the text"
	f(``, 0, "expected a value"+end)
	f(`  `, 2, "expected a value"+end)
	f(`not json`, 1, "expected the word null, found 'o'")
	f(`tru`, 3, "expected the word true"+end)
	f(`falsy`, 4, "expected the word false, found 'y'")
	f(`True`, 0, "expected a value, found 'T'")
	f(`nullx`, 4, "expected only white space after the value, found 'x'")
	f(`{"n":20} #dup`, 9, "expected only white space after the value, found '#'")
	f(`{"n":40}{"n":50}`, 8, "expected only white space after the value, found '{'")
	f(`{"n":60`, 7, "expected ',' or '}' after a member"+end)
	f(`{"n" 60}`, 5, "expected ':' after a key, found '6'")
	f(`{"n":}`, 5, "expected a value, found '}'")
	f(`{"n":1,}`, 7, "expected a key in double quotes, found '}'")
	f(`{n:1}`, 1, "expected a key in double quotes, found 'n'")
	f(`{`, 1, "expected a key in double quotes"+end)
	f(`[1,]`, 3, "expected a value, found ']'")
	f(`[1 2]`, 3, "expected ',' or ']' after an element, found '2'")
	f(`[1}`, 2, "expected ',' or ']' after an element, found '}'")
	f(`{"a":1]`, 6, "expected ',' or '}' after a member, found ']'")
	f(`]`, 0, "expected a value, found ']'")
	f(`[NaN]`, 1, "expected a value; JSON knows no NaN and no Infinity")
	f(`-Infinity`, 1, "expected a digit, found 'I'")
	f(`['a']`, 1, "expected a value; JSON strings stand in double quotes")
	f(`["é" é]`, 6, "expected ',' or ']' after an element, found 'é'")
	f(`01`, 1, "a number must not begin with 0 followed by digits")
	f(`[-01.5]`, 3, "a number must not begin with 0 followed by digits")
	f(`[1.]`, 3, "expected a digit after the decimal point, found ']'")
	f(`[.5]`, 1, "expected a value, found '.'")
	f(`[1e+]`, 4, "expected a digit in the exponent, found ']'")
	f(`-`, 1, "expected a digit"+end)
	f(`+1`, 0, "expected a value, found '+'")
	f(`[1.2.3]`, 4, "expected ',' or ']' after an element, found '.'")
	f(`[0x10]`, 2, "expected ',' or ']' after an element, found 'x'")
	f(`"abc`, 4, "string without an end")
	f(`"abc\`, 5, "string without an end")
	f(`"abc\"`, 6, "string without an end")
	f(`"\u12`, 5, "string without an end")
	f("\"a\nb\"", 2, "control character 0x0a in a string must be escaped")
	f("\"a\x00\"", 2, "control character 0x00 in a string must be escaped")
	f(`"a\x"`, 2, `invalid escape: \ followed by 'x'`)
	f(`{"a\é":1}`, 3, `invalid escape: \ followed by 'é'`)
	f(`"\u00 !"`, 5, `expected four hexadecimal digits after \u, found ' '`)
	f(`"\u+000"`, 3, `expected four hexadecimal digits after \u, found '+'`)
	f(`"\ud800"`, 1, `lone surrogate \ud800 is no character`)
	f(`"a\uDC00"`, 2, `lone surrogate \udc00 is no character`)
	f(`"\ud800\ud800"`, 1, `lone surrogate \ud800 is no character`)
	f(`"\ud800\n"`, 1, `lone surrogate \ud800 is no character`)
	f(`"\ud800\u00zz"`, 11, `expected four hexadecimal digits after \u, found 'z'`)
	f("[\"ok\",\"é\xff\"]", 9, "invalid UTF-8 byte 0xff in a string")
	f("{\"\xc3\":1}", 2, "invalid UTF-8 byte 0xc3 in a string")
	f("\"\xed\xa0\x80\"", 1, "invalid UTF-8 byte 0xed in a string")
	f("[1,\xff]", 3, "expected a value, found byte 0xff")
	f("\ufeff{}", 0, "expected a value, found '\\ufeff'")
	f("{\"a\":1}\v", 7, "expected only white space after the value, found '\\v'")
	f("{\"a\":1}\u00a0", 7, "expected only white space after the value, found '\\u00a0'")
	f(`{"`+strings.Repeat("é", 150)+`":1}`, 1,
		`key of 300 bytes exceeds the limit of 255, it begins with "`+strings.Repeat("é", 20)+`"`)
	f(`{"k":0,"x`+strings.Repeat("é", 150)+`":1}`, 7,
		`key of 301 bytes exceeds the limit of 255, it begins with "x`+strings.Repeat("é", 19)+`"`)
	f(strings.Repeat("[", 513)+strings.Repeat("]", 513), 512, "nested deeper than 512 levels")
	f(strings.Repeat(`{"a":`, 100000), 512*5, "nested deeper than 512 levels")
}

func TestLimits(t *testing.T) {
	variants(func(name string, _ *Parser) {
		for _, engine := range []Engine{Own, Simdjson} {
			p := New(Options{MaxDepth: 2, MaxKeyBytes: 3, Engine: engine})
			f := func(in, want string) {
				t.Helper()
				if got := fmt.Sprint(p.Parse([]byte(in), deaf{})); got != want {
					t.Errorf("%s %s: got %s, want %s", name, in, got, want)
				}
			}
			f(`[[1]]`, "<nil>")
			f(`[{"abc":1}]`, "<nil>")
			f(`[[[]]]`, "nested deeper than 2 levels at byte 2")
			f(`[{"abcd":1}]`, `key of 4 bytes exceeds the limit of 3, it begins with "abcd" at byte 2`)
			f(`[{"\u00e9\u0061":1}]`, "<nil>")
		}
	})
}

// TestPrefix checks that what a visitor sees before an error is what stands there.
func TestPrefix(t *testing.T) {
	got, err := agreed(t, []byte(`{"a":[1,"x",{"b":tru`))
	if want := `{ k"a" [ i1 s"x" { k"b"`; got != want || err == nil {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestConformanceFiles(t *testing.T) {
	dir := shared(t, "data", "simdjson-data", "jsonchecker")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	minefield, err := filepath.Glob(filepath.Join(dir, "minefield", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range append(files, minefield...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		seen++
		name := filepath.Base(file)
		got, err := agreed(t, text)
		switch {
		case strings.HasPrefix(name, "y_"), strings.HasPrefix(name, "pass"):
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if want := reference(text); got != want {
				t.Errorf("%s: got %s, want %s", name, got, want)
			}
		case strings.HasPrefix(name, "n_"):
			if err == nil {
				t.Errorf("%s: accepted", name)
			}
		default: // i_ files, and fail files some of which only break rules of their own time: our rules decide
			if accepted := acceptable(text); accepted != (err == nil) && !overLimit(err) {
				t.Errorf("%s: %v, want acceptance %v", name, err, accepted)
			}
		}
	}
	if seen < 300 {
		t.Errorf("only %d files seen", seen)
	}
}

// acceptable is the rule of acceptance in terms of encoding/json: valid there, valid UTF-8, no lone surrogate. Only the limits of depth
// and key length can still refuse such a text.
func acceptable(text []byte) bool {
	return json.Valid(text) && utf8.Valid(text) && !loneSurrogate(text)
}

// overLimit tells the errors of limits, behind which anything may stand, from those of syntax.
func overLimit(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "nested deeper") || strings.Contains(err.Error(), "exceeds the limit"))
}

// loneSurrogate looks for a \u escape of half a pair in a text whose syntax is valid.
func loneSurrogate(text []byte) bool {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++
		if text[i] != 'u' {
			continue
		}
		var r, low rune
		fmt.Sscanf(string(text[i+1:i+5]), "%x", &r)
		i += 4
		if !utf16.IsSurrogate(r) {
			continue
		}
		if i+6 < len(text) && text[i+1] == '\\' && text[i+2] == 'u' {
			fmt.Sscanf(string(text[i+3:i+7]), "%x", &low)
		}
		if utf16.DecodeRune(r, low) == utf8.RuneError {
			return true
		}
		i += 6
	}
	return false
}

func TestBadLines(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(shared(t, "cases", "19-bad-lines"), "bad.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	var bad []string
	chunk := Chunk{Data: text, FirstLine: 1}
	for lines := chunk.Lines(); lines.Next(); {
		if _, err := agreed(t, lines.Line); err != nil {
			bad = append(bad, fmt.Sprintf("%d@%d: %v", lines.Number, lines.Offset, err))
		}
	}
	want := []string{
		`2@9: expected only white space after the value, found '#' at byte 9`,
		`4@32: expected the word null, found 'o' at byte 1`,
		`5@48: expected only white space after the value, found '{' at byte 8`,
		`6@65: expected ',' or '}' after a member, found the end of the text at byte 7`,
	}
	if got := strings.Join(bad, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s", got)
	}
}

// TestRealFiles compares all variants with encoding/json on files nobody here wrote.
func TestRealFiles(t *testing.T) {
	check := func(line []byte) {
		got, err := agreed(t, line)
		if err != nil {
			t.Errorf("%.200s: %v", line, err)
		} else if want := reference(line); got != want {
			t.Errorf("%.200s: events differ", line)
		}
	}
	for _, name := range []string{"apache_builds", "canada", "citm_catalog", "github_events", "instruments", "numbers", "random", "twitter", "twitterescaped"} {
		text, err := os.ReadFile(filepath.Join(shared(t, "data", "simdjson-data", "jsonexamples"), name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		check(text)
	}
	for _, name := range []string{"simdjson-data/jsonexamples/amazon_cellphones.ndjson", "simdjson-go/examples/parking-citations.json"} {
		text, err := os.ReadFile(shared(t, "data", name))
		if err != nil {
			t.Fatal(err)
		}
		chunk := Chunk{Data: text, FirstLine: 1}
		for lines := chunk.Lines(); lines.Next(); {
			check(lines.Line)
		}
	}
}

// TestPlacement moves strings and numbers across all positions of the 64-byte blocks and to the very end of the text, where the parser
// leaves its fast paths.
func TestPlacement(t *testing.T) {
	values := []string{`"a"`, `"\n"`, `"é"`, `"` + strings.Repeat("x", 70) + `"`, `1`, `-12.5`, `123456789.25`, `1e5`, `12345678901234567`}
	for pad := range 140 {
		for _, v := range values {
			for _, text := range []string{
				strings.Repeat(" ", pad) + v,
				`["` + strings.Repeat("p", pad) + `",` + v + `]`,
				`["` + strings.Repeat("p", pad) + `",` + v + `]` + strings.Repeat(" ", pad),
			} {
				got, err := agreed(t, []byte(text))
				if want := reference([]byte(text)); err != nil || got != want {
					t.Fatalf("%q: got %s, %v, want %s", text, got, err, want)
				}
			}
		}
	}
}

func TestMarks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	p := New(Options{})
	for range 2000 {
		text := make([]byte, rng.IntN(300))
		for i := range text {
			switch rng.IntN(8) {
			case 0:
				text[i] = `"\`[rng.IntN(2)]
			case 1:
				text[i] = byte(rng.IntN(256))
			default:
				text[i] = byte(' ' + rng.IntN(95))
			}
		}
		valid := utf8.Valid(text)
		variants(func(name string, _ *Parser) {
			p.mark(text)
			for i := range (len(text)/blockBytes + 2) * blockBytes {
				want := i >= len(text) || text[i] == '"' || text[i] == '\\' || text[i] < ' ' || !valid && text[i] >= 0x80
				if got := p.marks[i/blockBytes]>>(i%blockBytes)&1 == 1; got != want {
					t.Fatalf("%s: mark %d of %q is %v", name, i, text, got)
				}
			}
			for i := range len(text) + 1 {
				want := i
				for want < len(text) && text[want] != '"' && text[want] != '\\' && text[want] >= ' ' && (valid || text[want] < 0x80) {
					want++
				}
				if got := nextMark(p.marks, i); got != want {
					t.Fatalf("%s: next mark after %d of %q is %d, want %d", name, i, text, got, want)
				}
			}
		})
	}
}

// TestValidVector compares the vector kernel with unicode/utf8 on all kinds of broken characters at all places of its blocks.
func TestValidVector(t *testing.T) {
	pieces := []string{"a", "bcdefghijklmnop", "é", "鏃", "😀", "\x80", "\xbf", "\xc0\xaf", "\xc2", "\xc3\x28", "\xe0\x80\x80", "\xe2\x82", "\xed\x9f\xbf",
		"\xed\xa0\x80", "\xef\xbf\xbf", "\xf0\x80\x80\x80", "\xf0\x9f\x98", "\xf4\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}
	if !simdAvailable {
		t.Skip("no vector kernels here")
	}
	const good = 5 // so many pieces are valid and make up most of the text
	rng := rand.New(rand.NewPCG(11, 12))
	broken := 0
	for range 100_000 {
		var text []byte
		for n := rng.IntN(160); len(text) < n; {
			if k := rng.IntN(200); k < len(pieces) {
				text = append(text, pieces[k]...)
			} else {
				text = append(text, pieces[k%good]...)
			}
		}
		text = text[:len(text)-rng.IntN(1+len(text)/20)]
		want := utf8.Valid(text)
		if got := validVector(text); got != want {
			t.Fatalf("%q: got %v, want %v", text, got, want)
		}
		if !want {
			broken++
		}
	}
	if broken < 10_000 || broken > 90_000 {
		t.Errorf("%d of the texts were broken, which tests little", broken)
	}
	for a := range 256 {
		for b := range 256 {
			for _, tail := range []string{"", "\x80", "\x80\x80", "x"} {
				for _, at := range []int{0, 29, 30, 31, 32} {
					text := []byte(strings.Repeat("x", at) + string([]byte{byte(a), byte(b)}) + tail + strings.Repeat("y", 40))
					if got, want := validVector(text), utf8.Valid(text); got != want {
						t.Fatalf("%q: got %v, want %v", text, got, want)
					}
				}
			}
		}
	}
}

func TestNoAllocations(t *testing.T) {
	line := []byte(`{"id":17,"name":"é\n","v":[1.5,0.30000000000000004,1e400,12345678901234567890,null,true],"o":{"k":"` + strings.Repeat("x", 500) + `"}}`)
	variants(func(name string, p *Parser) {
		if name == "simdjson" {
			return // the library allocates
		}
		v := Visitor(deaf{})
		if n := testing.AllocsPerRun(100, func() {
			if err := p.Parse(line, v); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations per line", name, n)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-2.5e3,"x\ud83d\ude00",null,true,false,{}]}`, `"\u00 !"`, "[\"\xff\"]", `[-01.5]`, `{"a":1}{`, `[1e400,0.1,123456789012345678901234567890]`,
		`"` + strings.Repeat("é\\n", 40) + `"`, `[[[[`, " [1 ,2 ] ", `{"a":"b\\","c":0.000000000000000000000000000001}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := agreed(t, text)
		var se *SyntaxError
		if err != nil && (!errors.As(err, &se) || se.Offset < 0 || se.Offset > len(text)) {
			t.Fatalf("%q: bad error %v", text, err)
		}
		if accepted := acceptable(text); accepted != (err == nil) && !overLimit(err) {
			t.Fatalf("%q: %v, want acceptance %v", text, err, accepted)
		}
		if err == nil {
			if want := reference(text); got != want {
				t.Fatalf("%q\ngot  %s\nwant %s", text, got, want)
			}
		}
	})
}
