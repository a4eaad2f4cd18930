package function

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// column reads a list of literals as one vector of their common type; a type behind :: converts it.
func column(t *testing.T, text string) *vec.Vector {
	t.Helper()
	list, to, cast := strings.Cut(text, "::")
	r := &reader{t: t, s: list}
	var values []*vec.Vector
	common := types.Type{}
	for r.s != "" {
		v, err := r.primary().eval(t, asFlat)
		if err != nil {
			t.Fatal(err)
		}
		v = v.Slice(0, 1)
		c, ok := CommonType(common, v.Type)
		if !ok {
			t.Fatalf("%s mixes types", text)
		}
		common = c
		values = append(values, v)
		r.eat(",")
	}
	if cast {
		common = testType(t, to)
	}
	for i, v := range values {
		c, err := Cast(testCtx, v, common, false)
		if err != nil {
			t.Fatal(err)
		}
		values[i] = vec.Flatten(c)
	}
	return vec.Concat(common, values...)
}

// aggregateOf computes an aggregate over rows in several ways, which must agree: one group without group ids, one group with ids, rows
// split over two workers and merged, and every row beside rows of another group.
func aggregateOf(t *testing.T, name string, distinct bool, constants []*vec.Vector, args ...*vec.Vector) (string, types.Type) {
	t.Helper()
	var given []Arg
	for _, a := range args {
		given = append(given, Arg{Type: a.Type})
	}
	for _, c := range constants {
		given = append(given, Arg{Type: c.Type, Const: c})
	}
	a, err := ResolveAggregate(name, given)
	if err != nil {
		return "error: " + err.Error(), types.Type{}
	}
	n := args[0].Len
	cols := make([]*vec.Vector, 0, len(given))
	for i := range given {
		v := (*vec.Vector)(nil)
		if i < len(args) {
			v = args[i]
		} else {
			v = vec.NewConstant(constants[i-len(args)], n)
		}
		if v, err = Cast(testCtx, v, a.Args[i], false); err != nil {
			t.Fatal(err)
		}
		cols = append(cols, v)
	}
	if distinct {
		a = NewDistinct(a)
	}
	slice := func(from, to int) []*vec.Vector {
		out := make([]*vec.Vector, len(cols))
		for i, c := range cols {
			out[i] = c.Slice(from, to)
		}
		return out
	}
	result := func(acc Accumulator, err error, group int) string {
		if err != nil {
			return "error: " + err.Error()
		}
		v, err := acc.Finish(group, group+1)
		if err != nil {
			return "error: " + err.Error()
		}
		if !v.Type.Equal(a.Ret) {
			t.Errorf("%s: result has type %s, declared %s", name, v.Type, a.Ret)
		}
		if acc.SizeBytes() < 0 {
			t.Errorf("%s: negative size", name)
		}
		return show(v, 0)
	}
	one := a.New(testCtx)
	want := result(one, one.Update(nil, 1, cols, n), 0)
	ids := make([]uint32, 2*n)
	for i := range ids {
		ids[i] = 2
	}
	grouped := a.New(testCtx)
	if got := result(grouped, grouped.Update(ids[:n], 4, cols, n), 2); got != want {
		t.Errorf("%s with group ids: got %s, want %s", name, got, want)
	}
	left, right := a.New(testCtx), a.New(testCtx)
	err = left.Update(ids[:n/2], 3, slice(0, n/2), n/2)
	if err == nil {
		zero := make([]uint32, n-n/2)
		if err = right.Update(zero, 1, slice(n/2, n), n-n/2); err == nil {
			err = left.Merge(right, []uint32{0}, []uint32{2}, 3)
		}
	}
	if got := result(left, err, 2); got != want && !strings.HasPrefix(name, "last") {
		t.Errorf("%s merged: got %s, want %s", name, got, want)
	}
	if never := result(left, err, 1); err == nil && never != "NULL" && never != "0" {
		t.Errorf("%s of an empty group: %s", name, never)
	}
	return want, a.Ret
}

func TestAggregates(t *testing.T) {
	f := func(name, values, want string) {
		t.Helper()
		want, wantType, typed := strings.Cut(want, " -> ")
		base, distinct := strings.CutSuffix(name, " distinct")
		var args, constants []*vec.Vector
		for i, part := range strings.Split(values, "; ") {
			if c, ok := strings.CutPrefix(part, "const "); ok && i > 0 {
				constants = append(constants, column(t, c))
				continue
			}
			args = append(args, column(t, part))
		}
		got, ret := aggregateOf(t, base, distinct, constants, args...)
		if got != want && !(strings.HasPrefix(want, "error: ") && strings.Contains(got, want[len("error: "):])) {
			t.Errorf("%s(%s): got %s, want %s", name, values, got, want)
		}
		if typed && ret.String() != wantType {
			t.Errorf("%s(%s): type %s, want %s", name, values, ret, wantType)
		}
	}
	f("count", "1, NULL, 3", "2 -> BIGINT")
	f("count", "'null', '5', '{}'::variant", "2")
	f("count distinct", "1, 2, 1, NULL", "2")
	f("count distinct", "1, 2, 1, NULL::tinyint", "2")
	f("count distinct", "'a', 'b', 'a', NULL", "2")
	f("count distinct", "1.5, 1.50, 2", "2")
	f("count distinct", "1, 1, 2; 'a', 'b', 'a'", "3")
	f("count_if", "true, false, NULL, true", "2")
	f("sum", "1, 2, NULL", "3 -> BIGINT")
	f("sum", "100, 100::tinyint", "200 -> BIGINT")
	f("sum", "9223372036854775807, 1", "error: sum 9223372036854775808 is out of range for BIGINT")
	f("sum", "9223372036854775807, 1, -5", "9223372036854775803")
	f("sum", "-9223372036854775807, -1", "-9223372036854775808")
	f("sum", "NULL, NULL::int", "NULL")
	f("sum", "170141183460469231731687303715884105727, -1", "170141183460469231731687303715884105726 -> LARGEINT")
	f("sum", "1.50, 2.25", "3.75 -> DECIMAL(38, 2)")
	f("sum", "99999999999999999999999999999999999999, 1::decimal(38,0)", "error: out of range for DECIMAL(38, 0)")
	f("sum", "99999999999999999999999999999999999999, 1::decimal(40,0)", "100000000000000000000000000000000000000 -> DECIMAL(76, 0)")
	f("sum", "1.5, 2::double", "3.5 -> DOUBLE")
	f("sum", "1.5, 2::float", "3.5 -> DOUBLE")
	f("sum", "'1 day', '2 hours'::interval", "1 day 02:00:00")
	f("sum distinct", "1, 1, 2", "3")
	f("sum", "'1'::variant", "error: sum cannot take a VARIANT; cast it to a type first")
	f("avg", "1, 2", "1.5 -> DOUBLE")
	f("avg", "9223372036854775807, 9223372036854775807", "9223372036854776000")
	f("avg", "0.10, 0.20", "0.15")
	f("avg distinct", "1, 1, 4", "2.5")
	f("min", "3, 1, NULL", "1 -> INT")
	f("max", "3, 1, NULL::tinyint", "3 -> TINYINT")
	f("max", "'a', 'a long text beyond twelve', 'b'", "b")
	f("min", "'b', 'a long text beyond twelve', NULL", "a long text beyond twelve")
	f("max", "1, 'NaN', 2::double", "NaN")
	f("min", "'NaN', 1, 2::double", "1")
	f("min", "2.5, 1.5::decimal(30,2)", "1.50")
	f("max", "false, true", "true")
	f("max", "'2024-01-01', '2023-01-01'::date", "2024-01-01 -> DATE")
	f("max", "[1, 2], [1, 3]", "[1,3]")
	f("any_value", "NULL, 5, 6", "5")
	f("last", "5, 6, NULL", "6")
	f("first", "'x', 'y'", "x")
	f("min_by", "'x', 'y', 'z'; 3, 1, 2", "y -> VARCHAR")
	f("max_by", "'x', 'y', 'z'; 3, 1, NULL", "x")
	f("stddev", "2, 4, 4, 4, 5, 5, 7, 9", "2.138089935299395")
	f("stddev_pop", "2, 4, 4, 4, 5, 5, 7, 9", "2")
	f("var_pop", "2, 4, 4, 4, 5, 5, 7, 9", "4")
	f("variance", "5", "NULL")
	f("covar_pop", "1, 2, 3; 2, 4, 6", "1.3333333333333333")
	f("corr", "1, 2, 3, 4; 2, 4, 6, 8", "1")
	f("median", "1, 3, 2, NULL", "2")
	f("median", "4, 1, 3, 2", "2.5")
	f("quantile", "1, 2, 3, 4, 5; const 0.25", "2")
	f("percentile_cont", "1, 2; const 0.75", "1.75")
	f("percentile_disc", "'a', 'b', 'c', 'd'; const 0.5", "b -> VARCHAR")
	f("quantile", "1, 2; const 1.5", "error: must be between 0 and 1")
	f("quantile", "1, 2; 1, 2", "error: must be a constant")
	f("approx_count_distinct", "1, 2, 2, NULL", "2")
	f("ndv", "'a', 'b', 'a'", "2")
	f("array_agg", "1, NULL, 2", "[1,null,2] -> ARRAY<INT>")
	f("array_agg distinct", "1, NULL, 1, NULL", "[1,null]")
	f("group_concat", "'a', NULL, 'b'", "a,b")
	f("string_agg", "'a', 'b'; const '-'", "a-b")
	f("group_concat distinct", "'a', 'b', 'a'", "a,b")
	f("bool_and", "true, false, NULL", "false")
	f("bool_and", "true, NULL", "true")
	f("bool_or", "false, true", "true")
	f("bit_and", "6, 3", "2")
	f("bit_or", "6, 3", "7")
	f("bit_xor", "6, 3", "5")
	f("length", "'a'", "error: length is not an aggregate function")
	f("summ", "1", "error: function summ does not exist; did you mean sum?")
}

func TestCountStar(t *testing.T) {
	a, err := ResolveAggregate("COUNT", nil)
	if err != nil {
		t.Fatal(err)
	}
	acc := a.New(testCtx)
	if err := acc.Update([]uint32{0, 1, 1}, 2, nil, 3); err != nil {
		t.Fatal(err)
	}
	if err := acc.Update([]uint32{2}, 4, nil, 1); err != nil {
		t.Fatal(err)
	}
	v, err := acc.Finish(0, 4)
	if got := fmt.Sprint(vec.Slice[int64](v)); err != nil || got != "[1 2 1 0]" {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestDistinctAgainstMaps counts distinct values of many groups in all shapes of input against a map.
func TestDistinctAgainstMaps(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, text := range []bool{false, true} {
		typ := types.Of(types.BigInt)
		if text {
			typ = types.Of(types.Varchar)
		}
		a, err := ResolveAggregate("count", []Arg{{Type: typ}})
		if err != nil {
			t.Fatal(err)
		}
		a = NewDistinct(a)
		accs := []Accumulator{a.New(testCtx), a.New(testCtx)}
		want := map[[2]int64]bool{}
		const groups = 50
		for range 40 {
			n := 1 + r.IntN(500)
			b := vec.NewBuilder(typ, n)
			ids := make([]uint32, n)
			for i := range n {
				ids[i] = uint32(r.IntN(groups))
				x := r.Int64N(300)
				switch {
				case r.IntN(10) == 0:
					b.AppendNull()
					continue
				case text:
					b.AppendString(fmt.Sprintf("value number %d", x))
				default:
					vec.Append(b, x)
				}
				want[[2]int64{int64(ids[i]), x}] = true
			}
			if err := accs[r.IntN(2)].Update(ids, groups, []*vec.Vector{b.Finish()}, n); err != nil {
				t.Fatal(err)
			}
		}
		all, mapping := make([]uint32, groups), make([]uint32, groups)
		for g := range mapping {
			all[g], mapping[g] = uint32(g), uint32(groups-1-g)
		}
		// Merge through a mapping that turns the groups round twice.
		middle := a.New(testCtx)
		for _, acc := range accs {
			if err := middle.Merge(acc, all, mapping, groups); err != nil {
				t.Fatal(err)
			}
		}
		final := a.New(testCtx)
		if err := final.Merge(middle, all, mapping, groups); err != nil {
			t.Fatal(err)
		}
		v, err := final.Finish(0, groups)
		if err != nil {
			t.Fatal(err)
		}
		counts := make([]int64, groups)
		for k := range want {
			counts[k[0]]++
		}
		if got := fmt.Sprint(vec.Slice[int64](v)); got != fmt.Sprint(counts) {
			t.Errorf("text %v: got %s, want %v", text, got, counts)
		}
	}
}

func TestApproxCountDistinct(t *testing.T) {
	a, err := ResolveAggregate("approx_count_distinct", []Arg{{Type: types.Of(types.BigInt)}})
	if err != nil {
		t.Fatal(err)
	}
	f := func(n int) {
		t.Helper()
		left, right := a.New(testCtx), a.New(testCtx)
		for from := 0; from < n; from += 2000 {
			data := make([]int64, min(2000, n-from))
			for i := range data {
				data[i] = int64(from+i) * 7919
			}
			acc := left
			if from%4000 == 0 {
				acc = right
			}
			if err := acc.Update(nil, 1, []*vec.Vector{vec.NewFlat(types.Of(types.BigInt), data, nil)}, len(data)); err != nil {
				t.Fatal(err)
			}
		}
		if err := left.Merge(right, []uint32{0}, []uint32{0}, 1); err != nil {
			t.Fatal(err)
		}
		v, _ := left.Finish(0, 1)
		got := float64(vec.Slice[int64](v)[0])
		if off := got/float64(n) - 1; n <= exactHashes && off != 0 || off > 0.06 || off < -0.06 {
			t.Errorf("%d values: estimated %g", n, got)
		}
	}
	f(10)
	f(1000)
	f(5000)
	f(20_000)
	f(300_000)
}

// TestPickKeepsLittle checks that first and min of many batches copy what they need instead of holding all batches.
func TestPickKeepsLittle(t *testing.T) {
	a, err := ResolveAggregate("max", []Arg{{Type: types.Of(types.Varchar)}})
	if err != nil {
		t.Fatal(err)
	}
	acc := a.New(testCtx)
	for k := range 300 {
		b := vec.NewBuilder(types.Of(types.Varchar), 2000)
		for i := range 2000 {
			b.AppendString(fmt.Sprintf("a text that is longer %06d", k*2000+i))
		}
		if err := acc.Update(nil, 1, []*vec.Vector{b.Finish()}, 2000); err != nil {
			t.Fatal(err)
		}
	}
	if size := acc.SizeBytes(); size > 20<<20 {
		t.Errorf("max holds %d bytes for one text", size)
	}
	v, err := acc.Finish(0, 1)
	if got := show(v, 0); err != nil || got != "a text that is longer 599999" {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, info := range Names() {
		if info.About == "" || len(info.Signatures) == 0 || info.Group == "" {
			t.Errorf("%s is not documented", info.Name)
		}
		if seen[info.Name] {
			t.Errorf("%s is listed twice", info.Name)
		}
		seen[info.Name] = true
		if !IsScalar(info.Name) && !IsAggregate(info.Name) && !IsWindow(info.Name) && !TakesLambda(info.Name) {
			t.Errorf("%s is listed but not found", info.Name)
		}
	}
	for _, name := range []string{"substr", "+", "count", "LIKE", "json_extract", "row_number"} {
		if !seen[name] {
			t.Errorf("%s is not listed", name)
		}
	}
}

// TestSumAgainstBig sums random integers of 64 bits, in one group and in several, against exact arithmetic.
func TestSumAgainstBig(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 300 {
		n := 1 + r.IntN(3000)
		data := make([]int64, n)
		want := new(big.Int)
		for i := range data {
			data[i] = int64(r.Uint64()) >> r.IntN(64)
			want.Add(want, big.NewInt(data[i]))
		}
		acc := &sumInt[int64]{sumBase: sumBase{ret: types.Of(types.BigInt)}}
		v := vec.NewFlat(types.Of(types.BigInt), data, nil)
		if err := acc.Update(nil, 1, []*vec.Vector{v}, n); err != nil {
			t.Fatal(err)
		}
		if err := acc.Update([]uint32{0}, 1, []*vec.Vector{v}, 1); err != nil {
			t.Fatal(err)
		}
		want.Add(want, big.NewInt(data[0]))
		got := types.Int128{Lo: acc.sums[0].lo, Hi: acc.sums[0].hi}
		if got.Big().Cmp(want) != 0 || acc.sums[0].n != int64(n+1) {
			t.Fatalf("got %s of %d, want %s of %d", got, acc.sums[0].n, want, n+1)
		}
	}
}
