package difftest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// kind is what the grammar knows of a type: values of one kind may be compared, and have the same operators in both engines.
type kind byte

const (
	small   kind = 'i' // INT whose sums and products do not overflow
	large   kind = 'b' // BIGINT of any size, only compared and counted
	decimal kind = 'd'
	double  kind = 'f'
	text    kind = 's'
	date    kind = 't'
	moment  kind = 'z'
	boolean kind = 'o'
)

var allKinds = []kind{small, small, large, decimal, double, text, text, date, moment, boolean}

// sqlType names a kind's type in both dialects.
func (k kind) sqlType() string {
	return map[kind]string{small: "INT", large: "BIGINT", decimal: "DECIMAL(12,3)", double: "DOUBLE", text: "VARCHAR", date: "DATE", moment: "TIMESTAMP", boolean: "BOOLEAN"}[k]
}

// field is a column of the generated tables: key is its name in the documents of the VARIANT table.
type field struct {
	name, key string
	kind      kind
}

// fields are the columns of both generated tables. mi and ms are two readings of one path that holds values of several kinds.
var fields = []field{{"id", "id", small}, {"i", "i", small}, {"k", "k.x", small}, {"b", "b", large}, {"d", "d", decimal}, {"f", "f", double}, {"s", "s", text},
	{"g", "g", text}, {"dt", "dt", date}, {"ts", "ts", moment}, {"o", "o", boolean}, {"mi", "m", small}, {"ms", "m", text}}

// subscript reads the column from the documents of a table.
func (f field) subscript(alias string) string {
	as := f.kind.sqlType()
	if f.name == "k" {
		return fmt.Sprintf("CAST(%s.v['k']['x'] AS %s)", alias, as)
	}
	return fmt.Sprintf("CAST(%s.v[%s] AS %s)", alias, quote(f.key), as)
}

// row is a generated row: literals of the columns, and the same as a JSON document.
type row struct {
	literals []string
	document string
}

var words = []string{"", "a", "ab", "abc", "Abc", "abd", "x y", " pad ", "é", "Ñandú", "漢字", "漢", "z%_", "it's", "naïve café", "12", "-7", "0", "😀a", "b_c", "AB", "long text that does not fit into twelve bytes", "long text that does not"}

func makeRow(r *rand.Rand, id int) row {
	lit, doc := make([]string, len(fields)), map[string]any{}
	for c, f := range fields {
		if f.name == "ms" {
			continue
		}
		if f.name != "id" && r.IntN(6) == 0 {
			lit[c] = "NULL"
			if r.IntN(2) == 0 {
				doc[f.key] = nil
			}
			if f.name == "mi" {
				lit[c+1] = "NULL"
			}
			continue
		}
		switch f.kind {
		case small:
			n := r.IntN(41) - 20
			switch {
			case f.name == "id":
				n = id
			case f.name == "i" && r.IntN(4) == 0:
				n = r.IntN(200001) - 100000
			case f.name == "mi":
				lit[c], lit[c+1], doc[f.key] = mixed(r)
				continue
			}
			lit[c], doc[f.key] = strconv.Itoa(n), n
		case large:
			n := []int64{0, 1, -1, 9007199254740992, 9007199254740993, -9007199254740993, 9223372036854775807, -9223372036854775807, 5, 123456789012}[r.IntN(10)]
			lit[c], doc[f.key] = strconv.FormatInt(n, 10), n
		case decimal:
			s := fmt.Sprintf("%d.%03d", r.IntN(2001)-1000, r.IntN(4)*125)
			lit[c], doc[f.key] = s, json.Number(s)
		case double:
			x := []float64{0, 0.5, -1.25, 1e-3, 3.141592653589793, 1e6, -2.5, 100, 0.1, 7}[r.IntN(10)] * float64(r.IntN(5)+1)
			s := strconv.FormatFloat(x, 'g', -1, 64)
			lit[c], doc[f.key] = "CAST('"+s+"' AS DOUBLE)", json.Number(s)
		case text:
			s := words[r.IntN(len(words))]
			if f.name == "g" {
				s = []string{"red", "green", "blue", "Red"}[r.IntN(4)]
			}
			lit[c], doc[f.key] = quote(s), s
		case date:
			s := fmt.Sprintf("%04d-%02d-%02d", 1968+r.IntN(60), 1+r.IntN(12), 1+r.IntN(28))
			lit[c], doc[f.key] = quote(s), s
		case moment:
			s := fmt.Sprintf("%04d-%02d-%02d %02d:%02d:%02d.%06d", 1968+r.IntN(60), 1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(3)*250001)
			lit[c], doc[f.key] = quote(s), s
		case boolean:
			v := r.IntN(2) == 0
			lit[c], doc[f.key] = fmt.Sprint(v), v
		}
	}
	if v, ok := doc["k.x"]; ok {
		delete(doc, "k.x")
		doc["k"] = map[string]any{"x": v, "y": id % 7}
	}
	d, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	return row{lit, string(d)}
}

// mixed returns the readings as INT and as text of a value of some kind, and the value.
func mixed(r *rand.Rand) (asInt, asText string, v any) {
	n := r.IntN(20) - 5
	switch r.IntN(5) {
	case 0:
		return strconv.Itoa(n), quote(strconv.Itoa(n)), strconv.Itoa(n)
	case 1:
		w := []string{"red", "é", "zz", ""}[r.IntN(4)]
		return "NULL", quote(w), w
	case 2:
		// A fraction is rounded half away from zero.
		return strconv.Itoa(r.IntN(1) + 3), "'2.5'", 2.5
	}
	return strconv.Itoa(n), quote(strconv.Itoa(n)), n
}

// tableRows are the numbers of rows of the generated tables. The wide t has several pages.
func tableRows(wide bool) []struct {
	name string
	rows int
} {
	t := 120
	if wide {
		t = 40_000
	}
	return []struct {
		name string
		rows int
	}{{"t", t}, {"u", 25}}
}

// ddl returns the statement that makes a typed table.
func ddl(name string) string {
	var cols []string
	for _, f := range fields {
		cols = append(cols, f.name+" "+f.kind.sqlType())
	}
	return fmt.Sprintf("CREATE TABLE %s (%s)", name, strings.Join(cols, ", "))
}
