package tpch

import "github.com/ebira-db/ebira/vec"

// retailPrice returns the price of a part in hundredths.
func retailPrice(part int64) int64 { return 90000 + part/10%20001 + part%1000*100 }

const (
	nameWords        = 5
	suppliersPerPart = 4
)

// supplierOf returns the n-th supplier of a part, n from 0 to 3.
func (g *Generator) supplierOf(part, n int64) int64 {
	return (part+n*(g.suppliers/suppliersPerPart+(part-1)/g.suppliers))%g.suppliers + 1
}

// partMaker makes part.
type partMaker struct {
	at                                        int64
	name, maker, brand, kind, size, container stream
	comment                                   comments
	makers, brands, kinds, containers         *vec.Vector
}

func newPartMaker(first int64) *partMaker {
	return &partMaker{
		at: first, name: newStream(709314158, int64(len(colors)), first), maker: newStream(1, 1, first), brand: newStream(46831694, 1, first),
		kind: newStream(1841581359, 1, first), size: newStream(1193163244, 1, first), container: newStream(727633698, 1, first),
		comment: newComments(804159733, 14, 1, first),
		makers:  words(numbered("Manufacturer#", 1, 5)), brands: words(numbered("Brand#", 11, 55)), kinds: words(partTypes), containers: words(containers),
	}
}

// numbered returns a name with the numbers from lo to hi.
func numbered(name string, lo, hi int64) []string {
	var list []string
	for n := lo; n <= hi; n++ {
		list = append(list, string(appendPadded([]byte(name), n, 1)))
	}
	return list
}

func (m *partMaker) make(n int64) (*vec.Batch, int64) {
	n = min(n, vec.Size)
	keys, prices, sizes := make([]int64, n), make([]int64, n), make([]int32, n)
	makers, brands, kinds, boxes := make([]uint32, n), make([]uint32, n), make([]uint32, n), make([]uint32, n)
	names, notes := newTexts(int(n), 36), newTexts(int(n), 16)
	for i := range n {
		m.at++
		keys[i], prices[i] = m.at, retailPrice(m.at)
		from := len(names.buf)
		names.buf = m.appendName(names.buf)
		names.end(from)
		maker := m.maker.pick(5)
		makers[i] = uint32(maker)
		brands[i] = uint32(10*maker + m.brand.pick(5)) // from Brand#11 on, ten for each manufacturer, of which five are used
		kinds[i] = uint32(m.kind.pick(int64(len(partTypes))))
		sizes[i] = int32(m.size.between(1, 50))
		boxes[i] = uint32(m.container.pick(int64(len(containers))))
		notes.add(m.comment.draw())
		for _, s := range [...]*stream{&m.name, &m.maker, &m.brand, &m.kind, &m.size, &m.container, &m.comment.stream} {
			s.endRow()
		}
	}
	return vec.NewBatch(int(n), bigints(keys), names.finish(), coded(m.makers, makers), coded(m.brands, brands), coded(m.kinds, kinds),
		ints(sizes), coded(m.containers, boxes), decimals(prices), notes.finish()), n
}

// appendName appends five different colours: the first places of a list that is shuffled that far.
func (m *partMaker) appendName(dst []byte) []byte {
	list := sortedColors
	for i := range nameWords {
		j := m.name.between(int64(i), int64(len(list)-1))
		list[i], list[j] = list[j], list[i]
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, colors[list[i]]...)
	}
	return dst
}

// sortedColors are the indexes of colors, in an array so that a copy to shuffle is an assignment.
var sortedColors = func() (list [92]uint8) {
	for i := range list {
		list[i] = uint8(i)
	}
	return list
}()

// partSuppMaker makes partsupp; its units are parts.
type partSuppMaker struct {
	g              *Generator
	at             int64
	quantity, cost stream
	comment        comments
}

func newPartSuppMaker(g *Generator, first int64) *partSuppMaker {
	return &partSuppMaker{g: g, at: first, quantity: newStream(1671059989, suppliersPerPart, first),
		cost: newStream(1051288424, suppliersPerPart, first), comment: newComments(1961692154, 124, suppliersPerPart, first)}
}

func (m *partSuppMaker) make(n int64) (*vec.Batch, int64) {
	n = min(n, vec.Size/suppliersPerPart)
	rows := int(n * suppliersPerPart)
	parts, suppliers, costs, quantities := make([]int64, rows), make([]int64, rows), make([]int64, rows), make([]int32, rows)
	notes := newTexts(rows, 130)
	for i := range rows {
		k := int64(i % suppliersPerPart)
		if k == 0 {
			m.at++
		}
		parts[i], suppliers[i] = m.at, m.g.supplierOf(m.at, k)
		quantities[i] = int32(m.quantity.between(1, 9999))
		costs[i] = m.cost.between(100, 100000)
		notes.add(m.comment.draw())
		if k == suppliersPerPart-1 {
			m.quantity.endRow()
			m.cost.endRow()
			m.comment.endRow()
		}
	}
	return vec.NewBatch(rows, bigints(parts), bigints(suppliers), ints(quantities), decimals(costs), notes.finish()), n
}
