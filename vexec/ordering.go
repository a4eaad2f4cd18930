package vexec

import (
	"cmp"
	"slices"

	"github.com/ebira-db/ebira/vec"
)

// ordering sorts row numbers by keys. Each row is an item: a number that orders like the first key as far as 64 bits go, and the row;
// only where two numbers are equal the keys themselves are compared. Rows with equal keys stay in their order.
type ordering struct {
	keys   []*vec.Vector
	orders []vec.Order
	items  []sortItem
	spare  []sortItem
	// text is the first key if it is a text.
	text *textKey
	// exact says that equal prefixes mean equal first keys; total that they mean equal rows.
	exact, total bool
}

type sortItem struct {
	prefix uint64
	row    int32
}

// sortRange is the number of rows that are sorted as one piece before pieces are merged: small enough to keep several workers busy.
// A single worker would rather not merge, but must look now and then whether the query was canceled.
const (
	sortRange       = 1 << 17
	serialSortRange = 1 << 20
)

// radixRows is the number of rows from which items are sorted by digits instead of comparisons.
const radixRows = 1 << 10

// smallRun is the number of items with equal prefixes up to which they are compared as a whole.
const smallRun = 12

func newOrdering(keys []*vec.Vector, orders []vec.Order, n int) *ordering {
	o := &ordering{keys: keys, orders: orders, items: make([]sortItem, n)}
	if len(keys) == 0 {
		for i := range o.items {
			o.items[i].row = int32(i)
		}
		o.exact, o.total = true, true
		return o
	}
	prefix := make([]uint64, n)
	o.text = newTextKey(keys[0], orders[0])
	if o.text != nil {
		o.text.prefixes(prefix)
	} else {
		o.exact = vec.SortPrefix(keys[0], orders[0], prefix)
	}
	for i, p := range prefix {
		o.items[i] = sortItem{p, int32(i)}
	}
	o.total = o.exact && len(keys) == 1
	return o
}

// rows returns the row numbers at places [from, to).
func (o *ordering) rows(from, to int) []int32 {
	out := make([]int32, 0, to-from)
	for _, it := range o.items[from:to] {
		out = append(out, it.row)
	}
	return out
}

// compare orders two items; the row decides last, so no two are equal.
func (o *ordering) compare(a, b sortItem) int {
	if a.prefix != b.prefix {
		if a.prefix < b.prefix {
			return -1
		}
		return 1
	}
	if !o.total {
		keys, orders := o.keys, o.orders
		if o.exact {
			keys, orders = keys[1:], orders[1:]
		}
		if c := vec.CompareRows(keys, int(a.row), keys, int(b.row), orders); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.row, b.row)
}

// sort sorts places [from, to), which must be in the order of their rows.
func (o *ordering) sort(from, to int) {
	part := o.items[from:to]
	if len(part) < radixRows {
		slices.SortFunc(part, o.compare)
		return
	}
	if o.spare == nil {
		o.spare = make([]sortItem, len(o.items))
	}
	radixSort(part, o.spare[from:to])
	if !o.total {
		o.sortTies(part, o.spare[from:to])
	}
}

// sortTies sorts the runs of items with equal prefixes.
func (o *ordering) sortTies(part, spare []sortItem) {
	eachRun(part, func(from, to int) {
		if o.text != nil && to-from > smallRun && !o.text.null(part[from].row) {
			prefix := part[from].prefix
			o.refine(part[from:to], spare[from:to], o.text.skip+prefixBytes)
			for i := range part[from:to] {
				part[from+i].prefix = prefix
			}
			return
		}
		slices.SortFunc(part[from:to], o.compare)
	})
}

// eachRun calls f for the runs of two and more items with equal prefixes.
func eachRun(part []sortItem, f func(from, to int)) {
	for i := 0; i < len(part); {
		k := i + 1
		for k < len(part) && part[k].prefix == part[i].prefix {
			k++
		}
		if k-i > 1 {
			f(i, k)
		}
		i = k
	}
}

// refine sorts items whose texts are equal up to byte from by what comes behind it. It uses up their prefixes.
func (o *ordering) refine(part, spare []sortItem, from int) {
	longer := false
	for i, it := range part {
		part[i].prefix = o.text.at(it.row, from)
		longer = longer || o.text.views[it.row].Len() > from
	}
	if !longer {
		// The texts are equal, but for zero bytes at the end.
		for i := range part {
			part[i].prefix = 0
		}
		slices.SortFunc(part, o.compare)
		return
	}
	if len(part) < radixRows {
		slices.SortFunc(part, func(a, b sortItem) int {
			if a.prefix != b.prefix {
				return cmp.Compare(a.prefix, b.prefix)
			}
			return cmp.Compare(a.row, b.row)
		})
	} else {
		radixSort(part, spare)
	}
	eachRun(part, func(i, k int) {
		if k-i > smallRun {
			o.refine(part[i:k], spare[i:k], from+8)
			return
		}
		for j := range part[i:k] {
			part[i+j].prefix = 0
		}
		slices.SortFunc(part[i:k], o.compare)
	})
}

// radixSort sorts items by prefix, least significant byte first, and leaves equal ones in place. Bytes that all items share cost
// nothing.
func radixSort(items, spare []sortItem) {
	var counts [8][256]int32
	for _, it := range items {
		p := it.prefix
		for d := range 8 {
			counts[d][byte(p>>(8*d))]++
		}
	}
	src, dst := items, spare
	for d := range 8 {
		c := &counts[d]
		if int(c[byte(src[0].prefix>>(8*d))]) == len(items) {
			continue
		}
		at := int32(0)
		for i, n := range c {
			c[i] = at
			at += n
		}
		for _, it := range src {
			k := byte(it.prefix >> (8 * d))
			dst[c[k]] = it
			c[k]++
		}
		src, dst = dst, src
	}
	if &src[0] != &items[0] {
		copy(items, src)
	}
}

// sortParallel sorts all places with the workers of a run.
func (o *ordering) sortParallel(r *run) error {
	n, size := len(o.items), sortRange
	if r.env.Workers <= 1 {
		size = serialSortRange
	}
	pieces := (n + size - 1) / size
	if pieces <= 1 {
		o.sort(0, n)
		return nil
	}
	o.spare = make([]sortItem, n)
	bounds := make([]int, pieces+1)
	for i := range bounds {
		bounds[i] = min(i*size, n)
	}
	err := r.parallel(pieces, func(i int) error {
		o.sort(bounds[i], bounds[i+1])
		return nil
	})
	for err == nil && len(bounds) > 2 {
		bounds, err = o.mergeRound(r, bounds)
	}
	return err
}

// mergeRound merges neighbouring sorted pieces and returns the bounds of the merged ones.
func (o *ordering) mergeRound(r *run, bounds []int) ([]int, error) {
	pieces := len(bounds) - 1
	err := r.parallel((pieces+1)/2, func(i int) error {
		from, mid := bounds[2*i], bounds[2*i+1]
		if 2*i+1 == pieces {
			copy(o.spare[from:mid], o.items[from:mid])
			return nil
		}
		to := bounds[2*i+2]
		o.merge(o.spare[from:to], o.items[from:mid], o.items[mid:to])
		return nil
	})
	o.items, o.spare = o.spare, o.items
	merged := bounds[:0:0]
	for i, b := range bounds {
		if i%2 == 0 || i == pieces {
			merged = append(merged, b)
		}
	}
	return merged, err
}

// merge merges the sorted a and b to dst.
func (o *ordering) merge(dst, a, b []sortItem) {
	for k := range dst {
		switch {
		case len(b) == 0 || len(a) > 0 && o.compare(a[0], b[0]) < 0:
			dst[k], a = a[0], a[1:]
		default:
			dst[k], b = b[0], b[1:]
		}
	}
}
