package segment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// matches evaluates a predicate on row i of a vector that is not a variant.
func matches(p *Predicate, v *vec.Vector, i int) bool {
	switch {
	case p.Op == IsNull:
		return v.IsNull(i)
	case p.Op == IsNotNull:
		return !v.IsNull(i)
	case v.IsNull(i):
		return false
	}
	for k := range p.Values.Len {
		if p.Values.IsNull(k) {
			continue
		}
		if c, ok := compareCells(v, i, p.Values, k); ok && holds(p.Op, c) {
			return true
		}
	}
	return false
}

func holds(op Op, c int) bool {
	switch op {
	case Eq, In:
		return c == 0
	case Ne:
		return c != 0
	case Lt:
		return c < 0
	case Le:
		return c <= 0
	case Gt:
		return c > 0
	}
	return c >= 0
}

// checkVerdicts compares the verdicts on all pages and on the segment with the rows that match.
func checkVerdicts(t *testing.T, r *Reader, m *Meta, preds []Predicate, match func(i int) bool, tally *[3]int) {
	t.Helper()
	check := func(what string, v Verdict, from, to int) {
		n := 0
		for i := from; i < to; i++ {
			if match(i) {
				n++
			}
		}
		if v == None && n > 0 || v == All && n < to-from {
			t.Fatalf("%s: verdict %d, but %d of %d rows match op %d %s", what, v, n, to-from, preds[0].Op, preds[0].Values.Type)
		}
		tally[v]++
	}
	for p := range r.Pages() {
		check(fmt.Sprint("page ", p), r.PrunePage(preds, p), p*PageRows, p*PageRows+r.PageRows(p))
	}
	check("segment", r.Prune(preds), 0, int(r.Rows()))
	check("meta", Prune(m, preds), 0, int(r.Rows()))
}

func TestPruneColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	var tally [3]int
	kinds := []types.Type{types.Of(types.Boolean), types.Of(types.TinyInt), types.Of(types.Int), types.Of(types.BigInt), types.Of(types.LargeInt),
		types.Of(types.Float), types.Of(types.Double), types.DecimalOf(9, 2), types.DecimalOf(30, 3), types.DecimalOf(60, 5), types.Of(types.Varchar),
		types.Of(types.Date), types.Of(types.DateTime), types.Of(types.TimestampTZ), types.Of(types.IPv4), types.Of(types.IPv6), types.Of(types.UUID), types.Of(types.Binary)}
	for _, typ := range kinds {
		// The first page is constant, the second random, the third all NULL, the fourth without NULL.
		spread := 300
		v := vec.Concat(typ, randomVector(r, typ, PageRows, 1, 0), randomVector(r, typ, PageRows, spread, 5), vec.NewNull(typ, PageRows), randomVector(r, typ, 500, 3, 0))
		rd, m, _ := build(t, []Column{{ID: 1, Name: "c", Type: typ}}, WriterOptions{}, vec.NewBatch(v.Len, v))
		others := []types.Type{typ}
		if typ.IsNumeric() {
			others = append(others, types.Of(types.Double), types.Of(types.BigInt), types.DecimalOf(20, 3), types.Of(types.LargeInt))
		}
		if typ.Kind == types.Date || typ.Kind == types.DateTime {
			others = append(others, types.Of(types.Date), types.Of(types.DateTime))
		}
		for range 15 {
			p := Predicate{Column: 1, Op: Op(r.IntN(9))}
			n := 1
			if p.Op == In {
				n = r.IntN(4)
			}
			p.Values = randomVector(r, others[r.IntN(len(others))], n, 10, 10)
			if r.IntN(3) == 0 && n == 1 {
				p.Values = v.Slice(0, 1)
			}
			checkVerdicts(t, rd, m, []Predicate{p}, func(i int) bool { return matches(&p, v, i) }, &tally)
		}
	}
	if tally[None] < 50 || tally[All] < 50 {
		t.Errorf("verdicts none, some, all: %v; pruning does not work", tally)
	}
}

func TestCompareNumbersExactly(t *testing.T) {
	one := func(typ types.Type, x any) *vec.Vector {
		b := vec.NewBuilder(typ, 1)
		switch x := x.(type) {
		case int64:
			vec.Append(b, x)
		case float64:
			vec.Append(b, x)
		case types.Int128:
			vec.Append(b, x)
		}
		return b.Finish()
	}
	bigint, double := types.Of(types.BigInt), types.Of(types.Double)
	f := func(a, b *vec.Vector, want int) {
		t.Helper()
		if c, ok := compareCells(a, 0, b, 0); !ok || c != want {
			t.Errorf("got %d, %v; want %d", c, ok, want)
		}
		if c, ok := compareCells(b, 0, a, 0); !ok || c != -want {
			t.Errorf("reversed: got %d, %v; want %d", c, ok, -want)
		}
	}
	f(one(bigint, int64(9007199254740993)), one(double, 9007199254740992.0), 1)
	f(one(bigint, int64(9007199254740992)), one(double, 9007199254740992.0), 0)
	f(one(bigint, int64(10)), one(double, 10.4), -1)
	f(one(types.DecimalOf(18, 1), int64(1)), one(double, 0.1), -1) // the double is a little above
	f(one(types.Of(types.LargeInt), types.MaxInt128), one(double, math.Inf(1)), -1)
	f(one(types.DecimalOf(18, 2), int64(-150)), one(bigint, int64(-1)), -1)
	if _, ok := compareCells(one(double, math.NaN()), 0, one(bigint, int64(1)), 0); ok {
		t.Error("NaN has an order")
	}
}

func TestPrunePaths(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 9))
	var tally [3]int
	makers := []func(i int) string{
		func(i int) string { return fmt.Sprint(r.IntN(50)) },
		func(i int) string { return fmt.Sprint(float64(r.IntN(500)) / 8) },
		func(i int) string { return fmt.Sprintf("%q", fmt.Sprint("t", r.IntN(30))) },
		func(i int) string { return "null" },
		func(i int) string {
			return []string{"true", "[1]", `"12"`, "1e300", "99999999999999999999", "{}", "0.1000000000000000055511151231257827"}[r.IntN(7)]
		},
		func(i int) string { return []string{"[]", "[1,2]", "[null]", "[[3]]", `[{"x":4}]`}[r.IntN(5)] },
	}
	for round := range 15 {
		var texts []string
		for page := range 4 {
			n := []int{PageRows, 200}[page/3]
			main := makers[r.IntN(4)]
			if round >= 12 && page != 1 {
				main = makers[5]
			}
			for i := range n {
				m := main
				if page%2 == 1 && r.IntN(40) == 0 {
					m = makers[r.IntN(len(makers))]
				}
				switch {
				case page == 2 && r.IntN(3) == 0:
					texts = append(texts, "")
				case round%3 == 0:
					texts = append(texts, fmt.Sprintf(`{"o":{"x":%s}}`, m(i)))
				default:
					texts = append(texts, fmt.Sprintf(`{"x":%s,"y":%d}`, m(i), i))
				}
			}
		}
		v := documents(t, texts...)
		rd, m, _ := build(t, []Column{{ID: 1, Name: "v", Type: types.Of(types.Variant)}}, WriterOptions{}, vec.NewBatch(v.Len, v))
		path := []string{"x"}
		if round%3 == 0 {
			path = []string{"o", "x"}
		}
		at := readAll(t, rd, Want{Column: 1, Path: path})
		for range 12 {
			p := Predicate{Column: 1, Path: path, Op: Op(r.IntN(9)), Values: vec.NewFlat(types.Of(types.BigInt), []int64{int64(r.IntN(60))}, nil)}
			switch r.IntN(4) {
			case 0:
				p.Values = vec.NewFlat(types.Of(types.Double), []float64{float64(r.IntN(500)) / 8}, nil)
			case 1:
				p.Values = textVector([]byte(fmt.Sprint("t", r.IntN(40))))
			case 2:
				p.Values = vec.NewFlat(types.DecimalOf(10, 2), []int64{int64(r.IntN(7000))}, nil)
			}
			cmp, known := variant.CompareConst(at, p.Values)
			checkVerdicts(t, rd, m, []Predicate{p}, func(i int) bool {
				switch p.Op {
				case IsNull:
					return at.IsNull(i)
				case IsNotNull:
					return !at.IsNull(i)
				}
				return known.Get(i) && holds(p.Op, int(cmp[i]))
			}, &tally)
			if p.Op != IsNull && p.Op != IsNotNull && p.Values.Type.Kind == types.BigInt {
				checkCast(t, rd, p, at, func(i int) bool { return known.Get(i) && holds(p.Op, int(cmp[i])) })
			}
		}
	}
	if tally[None] < 40 || tally[All] < 10 {
		t.Errorf("verdicts none, some, all: %v; pruning does not work", tally)
	}
}

// checkCast prunes the pages with the path cast to integers of several types: a verdict is allowed only where all values are such.
func checkCast(t *testing.T, rd *Reader, p Predicate, at *vec.Vector, match func(i int) bool) {
	t.Helper()
	flat := variant.Flatten(at)
	for kind, limit := range map[types.Kind]int64{types.TinyInt: 127, types.Int: math.MaxInt32, types.BigInt: math.MaxInt64} {
		p.Integer = kind
		for page := range rd.Pages() {
			verdict := rd.PrunePage([]Predicate{p}, page)
			if verdict == Some {
				continue
			}
			for i := page * PageRows; i < page*PageRows+rd.PageRows(page); i++ {
				if !flat.IsNull(i) {
					meta, value := flat.VariantAt(i)
					text := string(variant.AppendJSON(nil, meta, value))
					if n, err := strconv.ParseInt(text, 10, 64); err != nil || n > limit || n < -limit-1 {
						t.Fatalf("page %d: verdict %d although a value is %s", page, verdict, text)
					}
				}
				if got := match(i); got != (verdict == All) {
					t.Fatalf("page %d, row %d: match %v, verdict %d", page, i, got, verdict)
				}
			}
		}
	}
}
