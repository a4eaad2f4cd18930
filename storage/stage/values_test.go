package stage

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

func sprint(x any) string { return fmt.Sprintf("%+v", x) }

// TestValues checks what each type takes of each JSON value: want is the value that arrives, or "!" and a part of the refusal.
func TestValues(t *testing.T) {
	f := func(typ types.Type, in, want string) {
		t.Helper()
		rows, r, err := loadText(t, `{"c":`+in+"}\n", lines(column("c", typ)))
		if part, bad := strings.CutPrefix(want, "!"); bad {
			if err == nil {
				t.Errorf("%s takes %s as %v", typ, in, rows)
				return
			}
			got := r.RowErrors()[0]
			if !strings.Contains(got.Reason, part) || !strings.Contains(got.Reason, typ.String()) || got.Column != "c" {
				t.Errorf("%s refuses %s with %q (column %s), want %q", typ, in, got.Reason, got.Column, part)
			}
			return
		}
		if err != nil || len(rows) != 1 || rows[0] != want {
			t.Errorf("%s takes %s as %v (%v), want %s", typ, in, rows, err, want)
		}
	}
	tiny, small, int4, big, large := types.Of(types.TinyInt), types.Of(types.SmallInt), types.Of(types.Int), types.Of(types.BigInt), types.Of(types.LargeInt)
	f(tiny, `127`, "127")
	f(tiny, `128`, "!cannot take 128: it is out of range")
	f(tiny, `-129`, "!out of range")
	f(small, `-32768`, "-32768")
	f(small, `32768`, "!out of range")
	f(int4, `2147483647`, "2147483647")
	f(int4, `2147483648`, "!out of range")
	f(int4, `1.2`, "!cannot take 1.2: it has a fraction")
	f(int4, `5.0`, "5")
	f(int4, `1e3`, "1000")
	f(int4, `-0.0`, "0")
	f(int4, `"7"`, `!cannot take "7": a number is needed`)
	f(int4, `true`, "!cannot take true: a number is needed")
	f(int4, `{"a":1}`, "!cannot take an object: a number is needed")
	f(int4, `[1]`, "!cannot take an array")
	f(int4, `null`, "NULL")
	f(int4, `1e400`, "!out of range")
	f(int4, `1.00000000000000000000001`, "!fraction")
	f(big, `9223372036854775807`, "9223372036854775807")
	f(big, `9223372036854775808`, "!cannot take 9223372036854775808: it is out of range")
	f(big, `9007199254740993.0`, "9007199254740993")
	f(big, `1.2345678901234567e18`, "1234567890123456700")
	f(big, `9.3e18`, "!out of range")
	f(large, `170141183460469231731687303715884105727`, "170141183460469231731687303715884105727")
	f(large, `170141183460469231731687303715884105728`, "!out of range")
	f(large, `1e23`, "100000000000000000000000")
	f(large, `-5`, "-5")

	single, double := types.Of(types.Float), types.Of(types.Double)
	f(double, `1`, "1")
	f(double, `0.1`, "0.1")
	f(double, `1e400`, "!out of range")
	f(double, `0.1000000000000000055511151231257827`, "0.1")
	f(double, `"1"`, "!a number is needed")
	f(single, `1.5`, "1.5")
	f(single, `1e39`, "!out of range")

	dec := types.DecimalOf
	f(dec(9, 3), `12.345`, "12.345")
	f(dec(9, 3), `12`, "12.000")
	f(dec(9, 3), `-999999`, "-999999.000")
	f(dec(9, 3), `1000000`, "!out of range")
	f(dec(9, 3), `12.3456`, "!cannot take 12.3456: it has more digits than the type keeps")
	f(dec(9, 3), `"12.5"`, "12.500")
	f(dec(9, 3), `"abc"`, `!cannot take "abc": it does not read as DECIMAL`)
	f(dec(9, 3), `1e400`, "!out of range")
	f(dec(18, 0), `999999999999999999`, "999999999999999999")
	f(dec(18, 0), `1000000000000000000`, "!out of range")
	f(dec(38, 10), `1234567890123456789012345678.0123456789`, "1234567890123456789012345678.0123456789")
	f(dec(76, 0), strings.Repeat("9", 76), strings.Repeat("9", 76))
	f(dec(76, 0), strings.Repeat("9", 77), "!out of range")
	f(dec(40, 2), `-0.01`, "-0.01")

	text := types.Of(types.Varchar)
	f(text, `"a\u00e9\n\"b\""`, "aé\n\"b\"")
	f(text, `12`, "12")
	f(text, `1.50`, "1.5")
	f(text, `12345678901234567890`, "12345678901234567890")
	f(text, `false`, "false")
	f(text, `{}`, "!cannot take an object")
	f(text, `[]`, "!cannot take an array")
	f(types.Type{Kind: types.Varchar, Length: 3}, `"äöü"`, "äöü")
	f(types.Type{Kind: types.Varchar, Length: 3}, `"äöüx"`, "!longer than 3 characters")
	f(types.Of(types.Binary), `"AQID"`, "010203")
	f(types.Of(types.Binary), `"*"`, "!does not read as BINARY")

	yes := types.Of(types.Boolean)
	f(yes, `true`, "true")
	f(yes, `1`, "!cannot take 1: true or false is needed")
	f(yes, `"true"`, "!true or false is needed")

	date, stamp, tz := types.Of(types.Date), types.Of(types.DateTime), types.Of(types.TimestampTZ)
	f(date, `"2020-02-29"`, "2020-02-29")
	f(date, `"2021-02-29"`, "!does not read as DATE")
	f(date, `"2020-02-29 00:00:01"`, "!more digits")
	f(date, `19000`, "2022-01-08")
	f(date, `3000000`, "!out of range")
	f(stamp, `"2024-01-02T03:04:05.678"`, "2024-01-02 03:04:05.678")
	f(stamp, `"2024-01-02 03:04:05+09:00"`, "2024-01-01 18:04:05")
	f(stamp, `1700000000`, "2023-11-14 22:13:20")
	f(stamp, `1700000000123`, "2023-11-14 22:13:20.123")
	f(stamp, `1700000000123456`, "2023-11-14 22:13:20.123456")
	f(stamp, `"2024-01-02 03:04:05.1234567"`, "!more digits")
	f(types.Type{Kind: types.DateTime}, `"2024-01-02 03:04:05"`, "2024-01-02 03:04:05")
	f(types.Type{Kind: types.DateTime}, `"2024-01-02 03:04:05.5"`, "!more digits")
	f(tz, `"2024-01-02 03:04:05+09:00"`, "2024-01-01 18:04:05+00:00")
	f(stamp, `"2024-01-02T03:04:05Z"`, "2024-01-02 03:04:05")
	f(stamp, `"2024-01-02 03:04:05."`, "!does not read as DATETIME")
	f(stamp, `"2024-01-02 03:04:60"`, "!does not read as DATETIME")
	f(stamp, `"2024-01-02 24:00:00"`, "!does not read as DATETIME")
	f(stamp, `"2024-13-02 03:04:05"`, "!does not read as DATETIME")
	f(stamp, `"2024-01-02 03:04:0x"`, "!does not read as DATETIME")
	f(stamp, `"2024-1-2 3:04"`, "2024-01-02 03:04:00")
	f(stamp, `"1969-12-31 23:59:59.999999"`, "1969-12-31 23:59:59.999999")
	f(stamp, `"2024-01-02 03:04:05.1234560"`, "2024-01-02 03:04:05.123456")
	f(tz, `"nonsense"`, "!does not read as TIMESTAMPTZ")
	f(types.Of(types.Time), `"23:59:59.5"`, "23:59:59.5")
	f(types.Of(types.Interval), `"1 day 2 hours"`, "1 day 02:00:00")
	f(types.Of(types.IPv4), `"127.0.0.1"`, "127.0.0.1")
	f(types.Of(types.IPv4), `"127.0.0.x"`, "!does not read as IPV4")
	f(types.Of(types.IPv6), `"::1"`, "::1")
	f(types.Of(types.UUID), `"00112233-4455-6677-8899-aabbccddeeff"`, "00112233-4455-6677-8899-aabbccddeeff")

	variant := types.Of(types.Variant)
	f(variant, `{"b":[1,2.5,"x",null,true,{"z":{}}],"a":12345678901234567890123}`, `{"a":12345678901234567890123,"b":[1,2.5,"x",null,true,{"z":{}}]}`)
	f(variant, `"text"`, "text")
	f(variant, `-1.5e300`, "-1.5e+300")
	f(variant, `1e400`, "1e400")
	f(variant, `null`, "NULL")
	f(types.Of(types.JSON), `[]`, "[]")
}

func TestNestedValues(t *testing.T) {
	f := func(typ types.Type, in, want string) {
		t.Helper()
		// The rows around the one that matters show that a bad row leaves nothing behind.
		spec := lines(column("c", typ))
		spec.OnError = OnError{Mode: Continue}
		good := `{"c":null}` + "\n"
		rows, r, err := loadText(t, good+`{"c":`+in+"}\n"+good+`{"c":`+in+"}\n", spec)
		if err != nil {
			t.Fatal(err)
		}
		if part, bad := strings.CutPrefix(want, "!"); bad {
			if e := r.RowErrors(); len(e) != 2 || !strings.Contains(e[0].Reason, part) || len(rows) != 2 || rows[1] != "NULL" {
				t.Errorf("%s takes %s as %v with errors %+v, want %s", typ, in, rows, e, want)
			}
			return
		}
		if len(rows) != 4 || rows[0] != "NULL" || rows[1] != want || rows[3] != want {
			t.Errorf("%s takes %s as %v (%+v), want %s", typ, in, rows, r.RowErrors(), want)
		}
	}
	ints := types.ArrayOf(types.Of(types.Int))
	f(ints, `[1,null,3]`, "[1,null,3]")
	f(ints, `[]`, "[]")
	f(ints, `{}`, "!column c (ARRAY<INT>) cannot take an object: an array is needed")
	f(ints, `5`, "!an array is needed")
	f(ints, `[1,"x"]`, `!column c[] (INT) cannot take "x": a number is needed`)
	f(ints, `[1,[2]]`, "!cannot take an array")
	f(types.ArrayOf(ints), `[[1],[],null,[2,3]]`, "[[1],[],null,[2,3]]")
	f(types.ArrayOf(types.Of(types.Varchar)), `["a long text that is not inline","b"]`, `["a long text that is not inline","b"]`)
	f(types.ArrayOf(types.Of(types.Variant)), `[1,"a",{"x":[null]},null]`, `[1,"a",{"x":[null]},null]`)

	person := types.Type{Kind: types.Struct, Fields: []types.Field{
		{Name: "name", Type: types.Of(types.Varchar)}, {Name: "age", Type: types.Of(types.Int)}, {Name: "tags", Type: types.ArrayOf(types.Of(types.Varchar))},
		{Name: "more", Type: types.Of(types.Variant)}}}
	f(person, `{"age":3,"NAME":"x","unknown":{"y":[1]},"tags":["a","b"],"more":{"k":1}}`, `{"age":3,"more":{"k":1},"name":"x","tags":["a","b"]}`)
	f(person, `{}`, `{"age":null,"more":null,"name":null,"tags":null}`)
	f(person, `{"tags":["a"],"tags":["b","c"],"age":1,"age":2}`, `{"age":2,"more":null,"name":null,"tags":["b","c"]}`)
	f(person, `{"age":"x"}`, `!column c.age (INT) cannot take "x"`)
	f(person, `{"more":{"a":1},"age":"x"}`, `!column c.age`)
	f(types.ArrayOf(person), `[{"age":1},{"tags":["q"]},null]`, `[{"age":1,"more":null,"name":null,"tags":null},{"age":null,"more":null,"name":null,"tags":["q"]},null]`)
	strict := types.Type{Kind: types.Struct, Fields: []types.Field{{Name: "n", Type: types.Of(types.Int), NotNull: true}}}
	f(strict, `{"n":1}`, `{"n":1}`)
	f(strict, `{}`, `!column c.n (INT) cannot take null: the column is NOT NULL`)
	f(strict, `{"n":null}`, `!NOT NULL`)

	counts := types.Type{Kind: types.Map, Fields: []types.Field{{Name: "key", Type: types.Of(types.Varchar), NotNull: true}, {Name: "value", Type: types.Of(types.BigInt)}}}
	f(counts, `{"b":2,"a":1}`, `{"a":1,"b":2}`)
	f(counts, `{"a":1,"a":3,"b":null}`, `{"a":3,"b":null}`)
	f(counts, `{"a":"x"}`, `!column c[] (BIGINT)`)
	f(counts, `[1]`, `!an object is needed`)
}

func TestRounding(t *testing.T) {
	f := func(typ types.Type, in, want string) {
		t.Helper()
		spec := lines(column("c", typ))
		spec.Rounding = true
		rows, _, err := loadText(t, `{"c":`+in+"}\n", spec)
		if err != nil || rows[0] != want {
			t.Errorf("%s rounds %s to %v (%v), want %s", typ, in, rows, err, want)
		}
	}
	f(types.Of(types.Int), `1.2`, "1")
	f(types.Of(types.Int), `0.9`, "1")
	f(types.Of(types.Int), `2.5`, "3")
	f(types.Of(types.Int), `-2.5`, "-3")
	f(types.Of(types.BigInt), `2.50000000000000000000001`, "3")
	f(types.DecimalOf(5, 1), `1.25`, "1.3")
	f(types.Type{Kind: types.DateTime}, `"2024-01-02 03:04:05.9"`, "2024-01-02 03:04:05")
}

func TestZone(t *testing.T) {
	tokyo := time.FixedZone("JST", 9*3600)
	spec := lines(column("d", types.Of(types.DateTime)), column("z", types.Of(types.TimestampTZ)))
	spec.Zone = tokyo
	rows, _, err := loadText(t, `{"d":"2024-01-01T00:00:00Z","z":"2024-01-01 00:00:00"}`+"\n"+`{"d":0,"z":0}`+"\n", spec)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "rows", rows, []string{"2024-01-01 09:00:00|2023-12-31 15:00:00+00:00", "1970-01-01 09:00:00|1970-01-01 00:00:00+00:00"})
}

func TestMissingAndNull(t *testing.T) {
	five := vec.NewFlat(types.Of(types.Int), []int32{5}, nil)
	targets := []Target{column("k", types.Of(types.Int)), {Name: "d", Type: types.Of(types.Int), Default: five}, column("n", types.Of(types.Varchar)),
		notNull(column("z", types.Of(types.Varchar)))}
	f := func(format Format, in, want string) {
		t.Helper()
		spec := lines(targets...)
		format.Type = NDJSON
		spec.Format = format
		rows, r, err := loadText(t, in+"\n", spec)
		if part, bad := strings.CutPrefix(want, "!"); bad {
			if err == nil || !strings.Contains(r.RowErrors()[0].Reason, part) {
				t.Errorf("%s gives %v (%v), want %s", in, rows, err, want)
			}
			return
		}
		if err != nil || rows[0] != want {
			t.Errorf("%s gives %v (%v), want %s", in, rows, err, want)
		}
	}
	f(Format{}, `{"k":1,"d":2,"n":"x","z":"y"}`, "1|2|x|y")
	f(Format{}, `{"k":1}`, "!column d (INT) has no field in this row, and MISSING_FIELD_AS is ERROR")
	f(Format{Missing: MissingNull}, `{"z":"y"}`, "NULL|NULL|NULL|y")
	f(Format{Missing: MissingNull}, `{}`, "!column z (VARCHAR) cannot take null: the column is NOT NULL")
	f(Format{Missing: MissingDefault}, `{}`, "NULL|5|NULL|")
	f(Format{}, `{"k":null,"d":null,"n":null,"z":"y"}`, "NULL|NULL|NULL|y")
	f(Format{}, `{"k":null,"d":null,"n":null,"z":null}`, "!column z (VARCHAR) cannot take null")
	f(Format{NullDefault: true}, `{"k":null,"d":null,"n":null,"z":null}`, "NULL|5|NULL|")
	f(Format{NullIf: []string{"NA", ""}}, `{"k":1,"d":2,"n":"NA","z":"NA"}`, "1|2|NULL|NA")
	f(Format{NullIf: []string{"NA", ""}}, `{"k":"","d":2,"n":"na","z":"y"}`, "NULL|2|na|y")
}

func TestAddedAndFixed(t *testing.T) {
	seven := vec.NewFlat(types.Of(types.Int), []int32{7}, nil)
	spec := lines(column("id", types.Of(types.Int)), Target{Name: "city", Type: types.Of(types.Varchar), Added: true},
		Target{Name: "f", Type: types.Of(types.Int), Fixed: true, Default: seven}, Target{Name: "g", Type: types.Of(types.Variant), Fixed: true})
	spec.Unknown = UnknownCollect
	rows, r, err := loadText(t, `{"id":1,"city":"SF","f":99}`+"\n"+`{"id":2,"g":{"x":1}}`+"\n", spec)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "rows", rows, []string{"1|SF|7|NULL", "2|NULL|7|NULL"})
	equal(t, "late fields", r.Late(), []LateField{})
}

func TestNames(t *testing.T) {
	f := func(caseSensitive bool, in, want string) {
		t.Helper()
		spec := lines(column("City", types.Of(types.Int)), column("city", types.Of(types.Int)), column("n", types.Of(types.Int)))
		spec.Format.Missing = MissingNull
		spec.CaseSensitive = caseSensitive
		rows, r, err := loadText(t, in+"\n", spec)
		if err != nil {
			rows = []string{"!" + r.RowErrors()[0].Reason}
		}
		equal(t, in, rows, []string{want})
	}
	f(false, `{"City":1,"city":2,"N":3}`, "1|2|3")
	f(false, `{"CITY":1}`, "!field CITY differs in case from more than one column of that name")
	f(true, `{"CITY":1,"N":4,"n":3}`, "NULL|NULL|3")
	f(false, `{"n":1,"N":2}`, "NULL|NULL|2")
}

func TestDuplicates(t *testing.T) {
	spec := lines(column("a", types.Of(types.Varchar)), column("v", types.Of(types.Variant)))
	rows, r, err := loadText(t, `{"a":"first text that is long enough","v":{"x":1},"v":{"y":1,"y":2},"a":"second"}`+"\n"+`{"a":1,"a":null,"v":2}`+"\n", spec)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "rows", rows, []string{`second|{"y":2}`, "NULL|2"})
	equal(t, "duplicates", r.Duplicates(), 4)
}

func TestWholeRow(t *testing.T) {
	spec := ReadSpec{Format: Format{Type: NDJSON}, WholeRow: true, OnError: OnError{Mode: Continue}}
	rows, r, err := loadText(t, "{\"b\":1,\"a\":{\"x\":null}}\n[1]\n 5\n{\"a\":1\n {} \n", spec)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "rows", rows, []string{`{"a":{"x":null},"b":1}`, "{}"})
	var reasons []string
	for _, e := range r.RowErrors() {
		reasons = append(reasons, fmt.Sprintf("%d %s", e.Line, e.Reason))
	}
	equal(t, "errors", reasons, []string{"2 the line is an array, not an object", "3 the line is a scalar, not an object",
		"4 the line is no JSON object: expected ',' or '}' after a member, found the end of the text at byte 6"})
}

// TestDefaults fills gaps with defaults of every type, and with the zero of the type where a NOT NULL column has none.
func TestDefaults(t *testing.T) {
	b := build(t, everythingText, everything...)
	var defaults, zeros []Target
	for i, c := range everything {
		d := c
		d.Default = b.Cols[i].Slice(0, 1)
		defaults = append(defaults, d)
		zeros = append(zeros, notNull(c))
	}
	spec := lines(defaults...)
	spec.Format.Missing = MissingDefault
	rows, _, err := loadText(t, "{}\n{\"i32\":1}\n", spec)
	if err != nil {
		t.Fatal(err)
	}
	want := rowsOf(b)[0]
	equal(t, "defaults", rows, []string{want, strings.Replace(want, "|32|", "|1|", 1)})

	spec.Targets = zeros
	rows, _, err = loadText(t, "{}\n", spec)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "zeros", rows, []string{"false|0|0|0|0|0|0|0|0.0000|||1970-01-01|00:00:00|1970-01-01 00:00:00|1970-01-01 00:00:00+00:00|0.0.0.0|::|" +
		"00000000-0000-0000-0000-000000000000|null|[]|{\"x\":0,\"y\":\"\"}"})

	nested := column("l", types.ArrayOf(types.Type{Kind: types.Map, Fields: []types.Field{{Name: "key", Type: types.Of(types.Varchar), NotNull: true}, {Name: "value", Type: types.Of(types.Variant)}}}))
	nested.Default = build(t, `{"l":[{"a":{"x":[1]},"b":null},{},null]}`, nested).Cols[0]
	spec.Targets = []Target{nested}
	rows, _, err = loadText(t, "{}\n{\"l\":[{\"q\":1}]}\n{}\n", spec)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "nested", rows, []string{`[{"a":{"x":[1]},"b":null},{},null]`, `[{"q":1}]`, `[{"a":{"x":[1]},"b":null},{},null]`})
}

// TestUndoneVariants: a record that ends within a variant leaves nothing, wherever the variant is.
func TestUndoneVariants(t *testing.T) {
	spec := lines(column("v", types.Of(types.Variant)), column("l", types.ArrayOf(types.Of(types.Variant))), intColumn)
	spec.OnError, spec.Format.Missing = OnError{Mode: Continue}, MissingNull
	rows, r, err := loadText(t, `{"v":{"a":{"a":1,"a":2},"b":[
{"l":[1,{"x":
{"l":[1,{"x":2}],"v":1,"n":"bad"}
{"v":{"z":1},"v":{"y":
{"v":{"z":1},"l":[{"k":[]}]}
`, spec)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "rows", rows, []string{`{"z":1}|[{"k":[]}]|NULL`})
	equal(t, "errors", r.Files()[0].Errors, 4)
	equal(t, "duplicates", r.Duplicates(), 0)
}

// TestQuickTimestamp: what the short way reads, package types reads alike.
func TestQuickTimestamp(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s := &slot{}
	read := 0
	for range 200_000 {
		text := []byte("2024-02-28T23:59:58.123456Z")[:19+rng.IntN(9)]
		for range rng.IntN(4) {
			text[rng.IntN(len(text))] = "0123456789-:. TZ\x00"[rng.IntN(17)]
		}
		us, zoned, ok := s.quickTimestamp(text)
		wantUs, wantZoned, inexact, wantOK := types.ParseDateTimeExact(text)
		if !ok {
			continue
		}
		if read++; us != wantUs || zoned != wantZoned || !wantOK || inexact {
			t.Fatalf("%q reads as %d %v, types says %d %v %v", text, us, zoned, wantUs, wantZoned, wantOK)
		}
	}
	if read < 20_000 {
		t.Errorf("only %d texts were read", read)
	}
}
