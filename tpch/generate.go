package tpch

import (
	"fmt"

	"github.com/ebira-db/ebira/vec"
)

// The scale factors that can be generated: below the least there would be no supplier for every part, above the greatest dbgen draws
// keys from another generator.
const (
	MinScale = 0.001
	MaxScale = 10_000
)

// Rows per scale factor 1.
const (
	supplierBase = 10_000
	customerBase = 150_000
	partBase     = 200_000
	orderBase    = 1_500_000
	clerkBase    = 1_000
)

// Generator makes the data of one scale factor.
type Generator struct {
	scale                               float64
	suppliers, customers, parts, orders int64
	clerks                              int64
}

// New returns the generator of a scale factor; 1 is about a gigabyte of text.
func New(scale float64) (*Generator, error) {
	if !(scale >= MinScale && scale <= MaxScale) {
		return nil, fmt.Errorf("scale factor %v is not between %v and %v", scale, MinScale, MaxScale)
	}
	of := func(base float64) int64 { return int64(base * scale) }
	return &Generator{
		scale: scale, suppliers: of(supplierBase), customers: of(customerBase), parts: of(partBase), orders: of(orderBase),
		clerks: max(of(clerkBase), clerkBase),
	}, nil
}

// Units returns in how many pieces the table can be cut: its rows, except that lineitem is cut between orders, and partsupp between parts.
func (g *Generator) Units(t Table) int64 {
	switch t {
	case Region:
		return int64(len(regions))
	case Nation:
		return int64(len(nations))
	case Supplier:
		return g.suppliers
	case Customer:
		return g.customers
	case Part, PartSupp:
		return g.parts
	}
	return g.orders
}

// batchMaker makes the next batch of a table: of n units or, where a batch would be longer than vec.Size, of fewer. It returns the units.
type batchMaker interface {
	make(n int64) (*vec.Batch, int64)
}

// Rows makes the batches of a range of units one after the other.
type Rows struct {
	maker batchMaker
	left  int64
}

// Rows starts at a unit, counted from 0, and ends after count units. Cutting a table in ranges does not change its rows.
func (g *Generator) Rows(t Table, first, count int64) *Rows {
	if first < 0 || count < 0 || first+count > g.Units(t) {
		panic(fmt.Sprintf("BUG: units %d to %d of %d of %s", first, first+count, g.Units(t), t))
	}
	r := &Rows{left: count}
	switch t {
	case Region:
		r.maker = newRegionMaker(first)
	case Nation:
		r.maker = newNationMaker(first)
	case Supplier:
		r.maker = newSupplierMaker(first)
	case Customer:
		r.maker = newCustomerMaker(first)
	case Part:
		r.maker = newPartMaker(first)
	case PartSupp:
		r.maker = newPartSuppMaker(g, first)
	case Orders:
		r.maker = newOrderMaker(g, first)
	case LineItem:
		r.maker = newLineMaker(g, first)
	}
	return r
}

// Next returns the next batch, of at most vec.Size rows, and nil at the end.
func (r *Rows) Next() *vec.Batch {
	if r.left == 0 {
		return nil
	}
	b, n := r.maker.make(r.left)
	r.left -= n
	return b
}
