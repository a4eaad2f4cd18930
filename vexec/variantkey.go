package vexec

import (
	"cmp"
	"slices"
	"sync"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// variantKeys numbers the different values of a VARIANT key column, as the total order tells them apart, so that hash tables see
// numbers. JSON null counts as NULL. It is shared by all workers, because a value must have one number: such keys are rare, and exist
// only with variant_total_order.
type variantKeys struct {
	mu     sync.Mutex
	byHash map[uint64][]int64
	values []variantValue
}

type variantValue struct{ meta, value []byte }

func newVariantKeys() *variantKeys { return &variantKeys{byHash: map[uint64][]int64{}} }

// numbers returns the BIGINT numbers of the n rows of v.
func (k *variantKeys) numbers(v *vec.Vector, n int) *vec.Vector {
	k.mu.Lock()
	defer k.mu.Unlock()
	b := vec.NewBuilder(types.Of(types.BigInt), n)
	for i := range n {
		meta, value, ok := variantAt(v, i)
		if !ok {
			b.AppendNull()
			continue
		}
		vec.Append(b, k.number(meta, value))
	}
	return b.Finish()
}

// variantAt returns row i of v, or false for NULL and JSON null.
func variantAt(v *vec.Vector, i int) (meta, value []byte, ok bool) {
	if v.IsNull(i) {
		return nil, nil, false
	}
	meta, value = v.VariantAt(i)
	return meta, value, !variant.IsNull(value)
}

func (k *variantKeys) number(meta, value []byte) int64 {
	h := variant.Hash(meta, value)
	for _, id := range k.byHash[h] {
		if x := k.values[id]; variant.Equal(x.meta, x.value, meta, value) {
			return id
		}
	}
	id := int64(len(k.values))
	k.values = append(k.values, variantValue{slices.Clone(meta), slices.Clone(value)})
	k.byHash[h] = append(k.byHash[h], id)
	return id
}

// column returns the values of numbers as a vector of type t.
func (k *variantKeys) column(numbers *vec.Vector, t types.Type) *vec.Vector {
	k.mu.Lock()
	defer k.mu.Unlock()
	b := vec.NewBuilder(t, numbers.Len)
	for i, id := range vec.Slice[int64](numbers) {
		if numbers.IsNull(i) {
			b.AppendNull()
			continue
		}
		b.AppendVariant(k.values[id].meta, k.values[id].value)
	}
	return b.Finish()
}

// compareVariants orders two rows of VARIANT columns as variantRanks and o do.
func compareVariants(a *vec.Vector, i int, b *vec.Vector, j int, o vec.Order) int {
	am, av, okA := variantAt(a, i)
	bm, bv, okB := variantAt(b, j)
	c := 0
	switch {
	case !okA && !okB:
		return 0
	case okA != okB:
		if okA == o.NullsFirst {
			return 1
		}
		return -1
	default:
		c = variant.Compare(am, av, bm, bv)
	}
	if o.Desc {
		return -c
	}
	return c
}

// variantRanks returns the places of the rows of v among its different values in the total order, as BIGINT: a sort key.
func variantRanks(v *vec.Vector) *vec.Vector {
	rows := make([]int32, 0, v.Len)
	valid := vec.NewBitmap(v.Len)
	for i := range v.Len {
		if _, _, ok := variantAt(v, i); ok {
			rows = append(rows, int32(i))
			valid.Set(i)
		}
	}
	order := func(a, b int32) int {
		x, y := int(a), int(b)
		am, av := v.VariantAt(x)
		bm, bv := v.VariantAt(y)
		return variant.Compare(am, av, bm, bv)
	}
	slices.SortFunc(rows, func(a, b int32) int { return cmp.Or(order(a, b), cmp.Compare(a, b)) })
	ranks := make([]int64, v.Len)
	rank := int64(0)
	for i, r := range rows {
		if i > 0 && order(rows[i-1], r) != 0 {
			rank++
		}
		ranks[r] = rank
	}
	if len(rows) == v.Len {
		valid = nil
	}
	return vec.NewFlat(types.Of(types.BigInt), ranks, valid)
}
