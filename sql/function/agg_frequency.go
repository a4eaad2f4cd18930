package function

import (
	"math"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// defineFrequencies adds the aggregates over how often values occur.
func defineFrequencies() {
	counted := func(names, about, sigs string, ret func(t types.Type) types.Type, finish func(ret types.Type) finishCollected) {
		defineAggregate(names, about, sigs, func(args []Arg, _ Option) (*Aggregate, error) {
			if len(args) != 1 || !isScalar(args[0].Type) || args[0].Type.Kind == types.Null {
				return nil, nil
			}
			t := args[0].Type
			return oneArg(t, ret(t), func(*Ctx) Accumulator { return &collectState{finish: finish(ret(t)), t: t} }), nil
		})
	}
	counted("mode", "The most frequent value; of equally frequent ones the first to arrive.", "(T) -> T", func(t types.Type) types.Type { return t }, finishMode)
	counted("entropy", "The entropy of the values in bits.", "(T) -> double", func(types.Type) types.Type { return types.Of(types.Double) }, finishEntropy)
	counted("histogram map_count", "A MAP from each value, in ascending order, to how often it occurs.", "(T) -> map", func(t types.Type) types.Type {
		return types.Type{Kind: types.Map, Fields: []types.Field{{Name: "key", Type: t, NotNull: true}, {Name: "value", Type: types.Of(types.BigInt)}}}
	}, finishHistogram)
	counted("collect_set array_agg_distinct group_uniq_array", "The different values as an array, in the order of arrival.", "(T) -> array<T>", types.ArrayOf, finishSet)
	defineAggregate("approx_top_k topn_array", "The k most frequent values, most frequent first; exact.", "(T, bigint) -> array<T>", func(args []Arg, _ Option) (*Aggregate, error) {
		if len(args) != 2 || !isScalar(args[0].Type) || args[0].Type.Kind == types.Null || !args[1].Type.IsInteger() {
			return nil, nil
		}
		if args[1].Const == nil || args[1].Const.IsNull(0) {
			return nil, sqlerr.New(sqlerr.Bind, "the number of values of approx_top_k must be constant")
		}
		v, err := Cast(&Ctx{}, args[1].Const, types.Of(types.BigInt), false)
		if err != nil {
			return nil, err
		}
		k := vec.Slice[int64](vec.Flatten(v))[0]
		if k < 1 || k > maxTopValues {
			return nil, sqlerr.New(sqlerr.Bind, "approx_top_k takes 1 to %d values, not %d", maxTopValues, k)
		}
		t := args[0].Type
		a := oneArg(t, types.ArrayOf(t), func(*Ctx) Accumulator { return &collectState{finish: finishTop(types.ArrayOf(t), int(k)), t: t} })
		a.Args = append(a.Args, args[1].Type)
		return a, nil
	})
	defineAggregate("json_group_array json_agg json_arrayagg", "The values as a JSON array, NULL included, in the order of arrival.", "(any) -> json", func(args []Arg, _ Option) (*Aggregate, error) {
		if len(args) != 1 {
			return nil, nil
		}
		t := args[0].Type
		return oneArg(t, types.Of(types.JSON), func(*Ctx) Accumulator { return &collectState{finish: finishJSONArray, t: t, keepNulls: true} }), nil
	})
}

// maxTopValues bounds the values of approx_top_k.
const maxTopValues = 100_000

type finishCollected func(s *collectState, values *vec.Vector, rows [][]int32, from int) (*vec.Vector, error)

// frequency is a different value of a group: the row of its first appearance, and how often it occurs.
type frequency struct {
	row   int32
	count int64
}

// frequencies counts the values of one group, in the order of first appearance.
func frequencies(values *vec.Vector, rows []int32) []frequency {
	var out []frequency
	hashes := make([]uint64, len(rows))
	vec.HashColumns([]*vec.Vector{vec.GatherRows(values, rows)}, len(rows), hashes)
	seen := map[uint64][]int{}
next:
	for i, r := range rows {
		for _, k := range seen[hashes[i]] {
			if vec.Compare(values, int(r), values, int(out[k].row)) == 0 {
				out[k].count++
				continue next
			}
		}
		seen[hashes[i]] = append(seen[hashes[i]], len(out))
		out = append(out, frequency{row: r, count: 1})
	}
	return out
}

func finishMode(types.Type) finishCollected {
	return func(_ *collectState, values *vec.Vector, rows [][]int32, _ int) (*vec.Vector, error) {
		at := make([]int32, len(rows))
		for g, list := range rows {
			at[g] = -1
			best := int64(0)
			for _, f := range frequencies(values, list) {
				if f.count > best {
					best, at[g] = f.count, f.row
				}
			}
		}
		return vec.GatherRows(values, at), nil
	}
}

func finishEntropy(types.Type) finishCollected {
	return func(_ *collectState, values *vec.Vector, rows [][]int32, _ int) (*vec.Vector, error) {
		return finishDoubles(0, len(rows), func(g int) (float64, bool) {
			e := 0.0
			for _, f := range frequencies(values, rows[g]) {
				p := float64(f.count) / float64(len(rows[g]))
				e -= p * math.Log2(p)
			}
			return e, true
		}), nil
	}
}

func finishHistogram(ret types.Type) finishCollected {
	return func(_ *collectState, values *vec.Vector, rows [][]int32, _ int) (*vec.Vector, error) {
		b := vec.NewBuilder(ret, len(rows))
		for _, list := range rows {
			if len(list) == 0 {
				b.AppendNull()
				continue
			}
			found := frequencies(values, list)
			first := make([]int32, len(found))
			for k, f := range found {
				first[k] = f.row
			}
			for _, k := range SortElements(vec.GatherRows(values, first), 0, len(first)) {
				b.Child(0).Child(0).AppendFrom(values, int(found[k].row))
				vec.Append(b.Child(0).Child(1), found[k].count)
				b.Child(0).CloseStruct()
			}
			b.CloseList()
		}
		return b.Finish(), nil
	}
}

func finishSet(ret types.Type) finishCollected {
	return func(_ *collectState, values *vec.Vector, rows [][]int32, _ int) (*vec.Vector, error) {
		b := vec.NewBuilder(ret, len(rows))
		for _, list := range rows {
			for _, f := range frequencies(values, list) {
				b.Child(0).AppendFrom(values, int(f.row))
			}
			b.CloseList()
		}
		return b.Finish(), nil
	}
}

// finishTop lists the most frequent values; of equally frequent ones the first to arrive comes first.
func finishTop(ret types.Type, most int) finishCollected {
	return func(_ *collectState, values *vec.Vector, rows [][]int32, _ int) (*vec.Vector, error) {
		b := vec.NewBuilder(ret, len(rows))
		for _, list := range rows {
			if len(list) == 0 {
				b.AppendNull()
				continue
			}
			found := frequencies(values, list)
			negative := make([]int64, len(found))
			for k, f := range found {
				negative[k] = -f.count
			}
			order := SortElements(vec.NewFlat(types.Of(types.BigInt), negative, nil), 0, len(found))
			for _, k := range order[:min(most, len(order))] {
				b.Child(0).AppendFrom(values, int(found[k].row))
			}
			b.CloseList()
		}
		return b.Finish(), nil
	}
}

func finishJSONArray(s *collectState, values *vec.Vector, rows [][]int32, _ int) (*vec.Vector, error) {
	documents := flatten(variant.FromVector(values))
	b := variant.NewBatchBuilder(len(rows))
	for _, list := range rows {
		if len(list) == 0 {
			b.AppendNull()
			continue
		}
		b.BeginRow()
		b.BeginArray()
		for _, r := range list {
			addValue(b, documents, int(r))
		}
		b.EndArray()
		b.EndRow()
	}
	return b.Finish().Retype(types.Of(types.JSON)), nil
}
