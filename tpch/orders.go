package tpch

import "github.com/ebira-db/ebira/vec"

const (
	maxLines = 7
	// firstDay is 1992-01-01, today is 1995-06-17: what is shipped or received by then is in the past.
	firstDay, today = 8035, 9298
	// orderDays is the range of order dates: the last order is received by the end of 1998.
	orderDays                                                      = 2557 - shipMax - receiptMax
	shipMin, shipMax, commitMin, commitMax, receiptMin, receiptMax = 1, 121, 30, 90, 1, 30
)

// orderKey returns the key of the n-th order, n from 1: of every 32 keys the first eight are used.
func orderKey(n int64) int64 { return n>>3<<5 | n&7 }

// lineStreams are those streams of lineitem that orders needs too, for its price and status. They have a draw per possible line.
type lineStreams struct {
	orderDate, lines                        stream
	quantity, discount, tax, part, shipDate stream
	parts                                   int64
}

func newLineStreams(g *Generator, first int64) lineStreams {
	return lineStreams{
		orderDate: newStream(1066728069, 1, first), lines: newStream(1434868289, 1, first), quantity: newStream(209208115, maxLines, first),
		discount: newStream(554590007, maxLines, first), tax: newStream(721958466, maxLines, first), part: newStream(1808217256, maxLines, first),
		shipDate: newStream(1769349045, maxLines, first), parts: g.parts,
	}
}

// order draws the day of an order and how many lines it has.
func (s *lineStreams) order() (day int32, lines int) {
	return firstDay + int32(s.orderDate.pick(orderDays)), int(s.lines.between(1, maxLines))
}

// line is what both tables need of a line; prices are in hundredths.
type line struct {
	quantity, price, discount, tax, part int64
	shipDay                              int32
}

// line draws a line of an order.
func (s *lineStreams) line(orderDay int32) line {
	l := line{quantity: s.quantity.between(1, 50), discount: s.discount.between(0, 10), tax: s.tax.between(0, 8), part: s.part.between(1, s.parts)}
	l.price = l.quantity * retailPrice(l.part)
	l.shipDay = orderDay + int32(s.shipDate.between(shipMin, shipMax))
	return l
}

func (s *lineStreams) endRow() {
	s.orderDate.endRow()
	s.lines.endRow()
	s.quantity.endRow()
	s.discount.endRow()
	s.tax.endRow()
	s.part.endRow()
	s.shipDate.endRow()
}

// orderMaker makes orders.
type orderMaker struct {
	lineStreams
	at                        int64
	customers, clerks         int64
	customer, priority, clerk stream
	comment                   comments
	statuses, priorities      *vec.Vector
}

// The codes of an order's status: all lines shipped, none, some.
const statusFulfilled, statusOpen, statusPending = 0, 1, 2

func newOrderMaker(g *Generator, first int64) *orderMaker {
	return &orderMaker{
		lineStreams: newLineStreams(g, first), at: first, customers: g.customers, clerks: g.clerks,
		customer: newStream(851767375, 1, first), priority: newStream(591449447, 1, first), clerk: newStream(1171034773, 1, first),
		comment: newComments(276090261, 49, 1, first), statuses: words([]string{"F", "O", "P"}), priorities: words(priorities),
	}
}

func (m *orderMaker) make(n int64) (*vec.Batch, int64) {
	n = min(n, vec.Size)
	keys, customers, prices := make([]int64, n), make([]int64, n), make([]int64, n)
	days, shipPriorities, statuses, urgencies := make([]int32, n), make([]int32, n), make([]uint32, n), make([]uint32, n)
	clerks, notes := newTexts(int(n), 15), newTexts(int(n), 56)
	for i := range n {
		m.at++
		keys[i] = orderKey(m.at)
		var lines int
		days[i], lines = m.order()
		customers[i] = m.buyer()
		prices[i], statuses[i] = m.total(days[i], lines)
		clerks.addNumbered("Clerk#", m.clerk.between(1, m.clerks))
		urgencies[i] = uint32(m.priority.pick(int64(len(priorities))))
		notes.add(m.comment.draw())
		m.lineStreams.endRow()
		m.customer.endRow()
		m.priority.endRow()
		m.clerk.endRow()
		m.comment.endRow()
	}
	return vec.NewBatch(int(n), bigints(keys), bigints(customers), coded(m.statuses, statuses), decimals(prices), dates(days),
		coded(m.priorities, urgencies), clerks.finish(), ints(shipPriorities), notes.finish()), n
}

// buyer draws a customer. One in three has no orders: where such a one is drawn, the search goes up and down to a neighbour.
func (m *orderMaker) buyer() int64 {
	c := m.customer.between(1, m.customers)
	for step := int64(1); c%3 == 0; step = -step {
		c = min(c+step, m.customers)
	}
	return c
}

// total draws the lines of an order and returns its price and status.
func (m *orderMaker) total(day int32, lines int) (price int64, status uint32) {
	shipped := 0
	for range lines {
		l := m.line(day)
		price += l.price * (100 - l.discount) / 100 * (100 + l.tax) / 100
		if l.shipDay <= today {
			shipped++
		}
	}
	switch shipped {
	case lines:
		return price, statusFulfilled
	case 0:
		return price, statusOpen
	}
	return price, statusPending
}

// lineMaker makes lineitem; its units are orders.
type lineMaker struct {
	g *Generator
	lineStreams
	at                                                         int64
	supplier, commitDate, receiptDate, flag, instruction, mode stream
	comment                                                    comments
	flags, statuses, instructions, modes                       *vec.Vector
}

// notReturned is the code of a line that nobody has yet received; a received one draws between the codes 0 and 1.
const notReturned = 2

func newLineMaker(g *Generator, first int64) *lineMaker {
	return &lineMaker{
		g: g, lineStreams: newLineStreams(g, first), at: first, supplier: newStream(2095021727, maxLines, first),
		commitDate: newStream(904914315, maxLines, first), receiptDate: newStream(373135028, maxLines, first),
		flag: newStream(717419739, maxLines, first), instruction: newStream(1371272478, maxLines, first), mode: newStream(675466456, maxLines, first),
		comment: newComments(1095462486, 27, maxLines, first), flags: words([]string{"R", "A", "N"}), statuses: words([]string{"F", "O"}),
		instructions: words(instructions), modes: words(modes),
	}
}

// lineColumns are the columns of a batch of lineitem while it grows.
type lineColumns struct {
	orders, parts, suppliers, quantities, prices, discounts, taxes []int64
	numbers, shipped, committed, received                          []int32
	flags, statuses, instructions, modes                           []uint32
	notes                                                          *texts
}

func newLineColumns(rows int) *lineColumns {
	big := func() []int64 { return make([]int64, 0, rows) }
	small := func() []int32 { return make([]int32, 0, rows) }
	codes := func() []uint32 { return make([]uint32, 0, rows) }
	return &lineColumns{
		orders: big(), parts: big(), suppliers: big(), quantities: big(), prices: big(), discounts: big(), taxes: big(),
		numbers: small(), shipped: small(), committed: small(), received: small(),
		flags: codes(), statuses: codes(), instructions: codes(), modes: codes(), notes: newTexts(rows, 30),
	}
}

func (m *lineMaker) make(n int64) (*vec.Batch, int64) {
	c := newLineColumns(int(min(n*maxLines, vec.Size)))
	made := int64(0)
	for made < n && len(c.orders)+maxLines <= vec.Size {
		m.at++
		day, lines := m.order()
		for i := range lines {
			m.addLine(c, int32(i+1), day)
		}
		m.endRow()
		made++
	}
	return vec.NewBatch(len(c.orders), bigints(c.orders), bigints(c.parts), bigints(c.suppliers), ints(c.numbers), decimals(c.quantities),
		decimals(c.prices), decimals(c.discounts), decimals(c.taxes), coded(m.flags, c.flags), coded(m.statuses, c.statuses),
		dates(c.shipped), dates(c.committed), dates(c.received), coded(m.instructions, c.instructions), coded(m.modes, c.modes),
		c.notes.finish()), made
}

// addLine draws a line of the order of a day.
func (m *lineMaker) addLine(c *lineColumns, number, day int32) {
	l := m.line(day)
	c.orders = append(c.orders, orderKey(m.at))
	c.parts = append(c.parts, l.part)
	c.suppliers = append(c.suppliers, m.g.supplierOf(l.part, m.supplier.pick(suppliersPerPart)))
	c.numbers = append(c.numbers, number)
	c.quantities = append(c.quantities, l.quantity*100)
	c.prices = append(c.prices, l.price)
	c.discounts = append(c.discounts, l.discount)
	c.taxes = append(c.taxes, l.tax)
	received := l.shipDay + int32(m.receiptDate.between(receiptMin, receiptMax))
	c.shipped = append(c.shipped, l.shipDay)
	c.committed = append(c.committed, day+int32(m.commitDate.between(commitMin, commitMax)))
	c.received = append(c.received, received)
	flag, status := uint32(notReturned), uint32(statusOpen)
	if received <= today {
		flag = uint32(m.flag.pick(2))
	}
	if l.shipDay <= today {
		status = statusFulfilled
	}
	c.flags = append(c.flags, flag)
	c.statuses = append(c.statuses, status)
	c.instructions = append(c.instructions, uint32(m.instruction.pick(int64(len(instructions)))))
	c.modes = append(c.modes, uint32(m.mode.pick(int64(len(modes)))))
	c.notes.add(m.comment.draw())
}

func (m *lineMaker) endRow() {
	m.lineStreams.endRow()
	m.supplier.endRow()
	m.commitDate.endRow()
	m.receiptDate.endRow()
	m.flag.endRow()
	m.instruction.endRow()
	m.mode.endRow()
	m.comment.endRow()
}
