package vexec_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vexec"
	"github.com/ebira-db/ebira/vexec/optest"
)

// storedTypes are columns of every physical form, all made of small numbers.
var storedTypes = []types.Type{
	types.Of(types.Boolean), types.Of(types.TinyInt), types.Of(types.SmallInt), types.Of(types.Int), types.Of(types.BigInt), types.Of(types.LargeInt),
	types.DecimalOf(12, 2), types.DecimalOf(30, 2), types.DecimalOf(60, 2), types.Of(types.Float), types.Of(types.Double), types.Of(types.Date),
	types.Of(types.Varchar), types.ArrayOf(types.Of(types.Varchar)),
}

// storedBatch makes rows of all storedTypes; the texts of every second batch come as a dictionary.
func storedBatch(r *rand.Rand, n, distinct int, dictionary bool) *vec.Batch {
	b := vec.NewBatch(n)
	numbers := make([]int64, n)
	for i := range numbers {
		numbers[i] = int64(r.IntN(distinct))
	}
	base := vec.NewFlat(tBig, numbers, nil)
	for c, t := range storedTypes {
		v, err := function.Cast(&function.Ctx{}, base, t, true)
		if t.Phys() == types.PhysString || t.Phys() == types.PhysList || t.Kind == types.Date || err != nil {
			bld := vec.NewBuilder(t, n)
			for _, x := range numbers {
				appendNumber(bld, t, x)
			}
			v = bld.Finish()
		}
		valid := vec.NewBitmapSet(n)
		for i := range n {
			if r.IntN(10) == 0 {
				valid.Clear(i)
			}
		}
		if c%2 == 0 && t.Phys() != types.PhysList {
			w := *vec.Flatten(v)
			w.Valid = vec.And(w.Valid, valid, n)
			v = &w
		}
		if t.Phys() == types.PhysString && dictionary {
			v = vec.GatherCodes(vec.NewText(t, vec.Slice[vec.View](vec.Flatten(v)), vec.Flatten(v).Bufs, nil), identityCodes(n))
		}
		b.Cols = append(b.Cols, v)
	}
	return b
}

func identityCodes(n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = uint32(i)
	}
	return out
}

func appendNumber(b *vec.Builder, t types.Type, x int64) {
	switch {
	case t.Phys() == types.PhysString:
		b.AppendString(fmt.Sprintf("the text of number %d", x))
	case t.Phys() == types.PhysList:
		for range x % 3 {
			b.Child(0).AppendString(fmt.Sprint("element ", x))
		}
		b.CloseList()
	default:
		vec.Append(b, int32(x))
	}
}

// TestStoredRows aggregates by keys of every kind, with arguments of every type, in one table, by partition, and by partition with rows
// flushed again and again: the answers must be the same.
func TestStoredRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var data []*vec.Batch
	for i := range 12 {
		data = append(data, storedBatch(r, 300, 300, i%2 == 0))
	}
	var schema types.Schema
	for i, typ := range storedTypes {
		schema = append(schema, types.Field{Name: fmt.Sprint("c", i), Type: typ})
	}
	in := &plan.Batches{Data: data, Out: schema}
	var aggs []plan.AggCall
	add := func(name string, filter expr.Expr, distinct bool, args ...expr.Expr) {
		var given []function.Arg
		for _, a := range args {
			given = append(given, function.Arg{Type: a.Type()})
		}
		fn, err := function.ResolveAggregate(name, given)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range args {
			if !a.Type().Equal(fn.Args[i]) {
				args[i] = &expr.Cast{Arg: a, To: fn.Args[i]}
			}
		}
		aggs = append(aggs, plan.AggCall{Fn: fn, Args: args, Filter: filter, Distinct: distinct, Name: fmt.Sprint(name, len(aggs))})
	}
	add("count", nil, false)
	for c, typ := range storedTypes {
		add("count", nil, false, col(in, c))
		add("count", nil, true, col(in, c))
		if typ.IsNumeric() && typ.Phys() != types.PhysInt256 {
			add("sum", even(col(in, 4)), false, col(in, c))
		}
		if typ.Phys() != types.PhysList && typ.Phys() != types.PhysInt256 {
			add("min", nil, false, col(in, c))
			add("max", even(col(in, 4)), false, col(in, c))
		}
	}
	add("array_agg", nil, true, col(in, 3))
	for _, keys := range [][]int{{4}, {0}, {3, 4}, {12}, {12, 4}, {12, 2, 13}, {13}, {5, 7}, {1, 2, 3}} {
		var exprs []expr.Expr
		var names []string
		for _, k := range keys {
			exprs, names = append(exprs, col(in, k)), append(names, fmt.Sprint("k", k))
		}
		p := plan.NewAggregate(in, exprs, names, aggs)
		var want string
		for _, o := range []vexec.Options{{}, {PartitionGroups: 1}, {PartitionGroups: 100}, {PartitionGroups: 100, StoredBytes: 1 << 10}, {PartitionGroups: 400, StoredBytes: 1 << 18, ConstantHash: true}} {
			for _, workers := range []int{1, 3} {
				got, err := optest.Collect(p, &vexec.Env{Fn: &function.Ctx{}, Workers: workers, Options: o})
				if err != nil {
					t.Fatalf("keys %v, %+v: %v", keys, o, err)
				}
				if len(got) > 301*12 || len(got) < 2 {
					t.Fatalf("keys %v: %d groups", keys, len(got))
				}
				slices.Sort(got)
				all := sortedArrays(got)
				if want == "" {
					want = all
				}
				if all != want {
					t.Errorf("keys %v, %d workers, %+v: another answer", keys, workers, o)
				}
			}
		}
	}
}

// sortedArrays joins rows with the elements of arrays sorted: array_agg takes them in any order.
func sortedArrays(rows []string) string {
	for i, r := range rows {
		from := strings.LastIndex(r, "[")
		to := strings.LastIndex(r, "]")
		if from < 0 || to < from {
			continue
		}
		elems := strings.Split(r[from+1:to], ", ")
		slices.Sort(elems)
		rows[i] = r[:from+1] + strings.Join(elems, ", ") + r[to:]
	}
	return strings.Join(rows, "\n")
}
