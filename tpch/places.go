package tpch

import (
	"github.com/ebira-db/ebira/vec"
)

// regionMaker makes region.
type regionMaker struct {
	comments
	at int64
}

func newRegionMaker(first int64) *regionMaker {
	return &regionMaker{comments: newComments(1500869201, 72, 1, first), at: first}
}

func (m *regionMaker) make(n int64) (*vec.Batch, int64) {
	var keys []int32
	names, notes := newTexts(int(n), 12), newTexts(int(n), 72)
	for range n {
		keys = append(keys, int32(m.at))
		names.add([]byte(regions[m.at]))
		notes.add(m.draw())
		m.endRow()
		m.at++
	}
	return vec.NewBatch(int(n), ints(keys), names.finish(), notes.finish()), n
}

// nationMaker makes nation.
type nationMaker struct {
	comments
	at int64
}

func newNationMaker(first int64) *nationMaker {
	return &nationMaker{comments: newComments(606179079, 72, 1, first), at: first}
}

func (m *nationMaker) make(n int64) (*vec.Batch, int64) {
	var keys, regionKeys []int32
	names, notes := newTexts(int(n), 16), newTexts(int(n), 72)
	for range n {
		keys = append(keys, int32(m.at))
		regionKeys = append(regionKeys, nations[m.at].region)
		names.add([]byte(nations[m.at].name))
		notes.add(m.draw())
		m.endRow()
		m.at++
	}
	return vec.NewBatch(int(n), ints(keys), names.finish(), ints(regionKeys), notes.finish()), n
}

// The range of account balances, in hundredths.
const balanceMin, balanceMax = -99999, 999999

// supplierMaker makes supplier. One comment in a thousand is about complaints or recommendations of a customer, which the streams from
// bureau on decide.
type supplierMaker struct {
	at                             int64
	address                        addresses
	phone                          phones
	nation, balance                stream
	comment                        comments
	bureau, noise, offset, opinion stream
}

func newSupplierMaker(first int64) *supplierMaker {
	return &supplierMaker{
		at: first, address: addresses{newStream(706178559, addressDraws, first)}, phone: phones{newStream(884434366, 3, first)},
		nation: newStream(110356601, 1, first), balance: newStream(962338209, 1, first), comment: newComments(1341315363, 63, 1, first),
		bureau: newStream(202794285, 1, first), noise: newStream(263032577, 1, first), offset: newStream(715851524, 1, first),
		opinion: newStream(753643799, 1, first),
	}
}

func (m *supplierMaker) make(n int64) (*vec.Batch, int64) {
	n = min(n, vec.Size)
	keys, nationKeys, balances := make([]int64, n), make([]int32, n), make([]int64, n)
	names, places, numbers, notes := newTexts(int(n), 18), newTexts(int(n), 28), newTexts(int(n), 15), newTexts(int(n), 70)
	for i := range n {
		m.at++
		keys[i] = m.at
		names.addNumbered("Supplier#", m.at)
		from := len(notes.buf)
		notes.buf = append(notes.buf, m.comment.draw()...)
		m.opine(notes.buf[from:])
		notes.end(from)
		nation := m.nation.pick(int64(len(nations)))
		nationKeys[i] = int32(nation)
		from = len(places.buf)
		places.buf = m.address.appendTo(places.buf)
		places.end(from)
		from = len(numbers.buf)
		numbers.buf = m.phone.appendTo(numbers.buf, nation)
		numbers.end(from)
		balances[i] = m.balance.between(balanceMin, balanceMax)
		m.endRow()
	}
	return vec.NewBatch(int(n), bigints(keys), names.finish(), places.finish(), ints(nationKeys), numbers.finish(), decimals(balances),
		notes.finish()), n
}

// opine writes the opinion of a customer over a comment, if there is one.
func (m *supplierMaker) opine(comment []byte) {
	const about, good, bad = "Customer ", "Recommends", "Complaints"
	if m.bureau.between(1, supplierBase) > 10 {
		return
	}
	room := int64(len(comment) - len(about) - len(bad))
	noise := m.noise.between(0, room)
	at := m.offset.between(0, room-noise)
	opinion := good
	if m.opinion.between(0, 100) < 50 {
		opinion = bad
	}
	copy(comment[at:], about)
	copy(comment[at+int64(len(about))+noise:], opinion)
}

func (m *supplierMaker) endRow() {
	for _, s := range [...]*stream{&m.address.stream, &m.phone.stream, &m.nation, &m.balance, &m.comment.stream, &m.bureau, &m.noise,
		&m.offset, &m.opinion} {
		s.endRow()
	}
}

// customerMaker makes customer.
type customerMaker struct {
	at                       int64
	address                  addresses
	phone                    phones
	nation, balance, segment stream
	comment                  comments
	segments                 *vec.Vector
}

func newCustomerMaker(first int64) *customerMaker {
	return &customerMaker{
		at: first, address: addresses{newStream(881155353, addressDraws, first)}, phone: phones{newStream(1521138112, 3, first)},
		nation: newStream(1489529863, 1, first), balance: newStream(298370230, 1, first), segment: newStream(1140279430, 1, first),
		comment: newComments(1335826707, 73, 1, first), segments: words(segments),
	}
}

func (m *customerMaker) make(n int64) (*vec.Batch, int64) {
	n = min(n, vec.Size)
	keys, nationKeys, balances, segmentCodes := make([]int64, n), make([]int32, n), make([]int64, n), make([]uint32, n)
	names, places, numbers, notes := newTexts(int(n), 18), newTexts(int(n), 28), newTexts(int(n), 15), newTexts(int(n), 80)
	for i := range n {
		m.at++
		keys[i] = m.at
		names.addNumbered("Customer#", m.at)
		nation := m.nation.pick(int64(len(nations)))
		nationKeys[i] = int32(nation)
		from := len(places.buf)
		places.buf = m.address.appendTo(places.buf)
		places.end(from)
		from = len(numbers.buf)
		numbers.buf = m.phone.appendTo(numbers.buf, nation)
		numbers.end(from)
		balances[i] = m.balance.between(balanceMin, balanceMax)
		segmentCodes[i] = uint32(m.segment.pick(int64(len(segments))))
		notes.add(m.comment.draw())
		m.endRow()
	}
	return vec.NewBatch(int(n), bigints(keys), names.finish(), places.finish(), ints(nationKeys), numbers.finish(), decimals(balances),
		coded(m.segments, segmentCodes), notes.finish()), n
}

func (m *customerMaker) endRow() {
	for _, s := range [...]*stream{&m.address.stream, &m.phone.stream, &m.nation, &m.balance, &m.segment, &m.comment.stream} {
		s.endRow()
	}
}
