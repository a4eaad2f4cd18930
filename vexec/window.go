package vexec

import (
	"github.com/ebira-db/ebira/cache"
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/vec"
)

// windower computes window functions over rows that come sorted by partition and order. It takes as many whole partitions at a time as
// make it worth while, so its memory is bounded by the largest partition.
type windower struct {
	label
	n *plan.Window
	// exprs is everything that the calls read: partition keys, order keys, then arguments, filters and distances of each call.
	exprs []expr.Expr
	calls []windowCall
}

// windowCall says where the inputs of a call are in windower.exprs; -1 for none.
type windowCall struct {
	*plan.WindowCall
	args               []int
	filter, start, end int
}

// windowRows is the number of rows that are worth a computation of their own.
const windowRows = 16 << 10

func (b *builder) window(n *plan.Window) (heads, error) {
	o := &windower{label: label{"window", n}, n: n}
	keys := make([]plan.SortKey, 0, len(n.Partition)+len(n.Order))
	for _, e := range n.Partition {
		keys = append(keys, plan.SortKey{Expr: e})
	}
	keys = append(keys, n.Order...)
	for _, k := range keys {
		if k.Expr.Type().IsVariant() {
			return nil, sqlerr.New(sqlerr.Unsupported, "a window over a VARIANT is not supported; CAST %s to a type", k.Expr)
		}
		o.exprs = append(o.exprs, k.Expr)
	}
	add := func(e expr.Expr) int {
		if e == nil {
			return -1
		}
		o.exprs = append(o.exprs, e)
		return len(o.exprs) - 1
	}
	for i := range n.Calls {
		c := windowCall{WindowCall: &n.Calls[i]}
		for _, a := range c.Args {
			c.args = append(c.args, add(a))
		}
		c.filter, c.start, c.end = add(c.Filter), add(c.Frame.Start.Offset), add(c.Frame.End.Offset)
		o.calls = append(o.calls, c)
	}
	// Without keys this collects all rows, in their order, for one worker.
	h, err := b.sort(&plan.Sort{Input: n.Input, Keys: keys, Limit: -1})
	if err != nil {
		return nil, err
	}
	return h.then(o), nil
}

func (o *windower) open(*run) (operatorState, error) { return o, nil }

func (o *windower) local(w *worker, next step) (step, error) {
	return &windowStep{next: next, o: o, w: w, account: w.run.account()}, nil
}

// windowStep collects rows until whole partitions are at hand.
type windowStep struct {
	next    step
	o       *windower
	w       *worker
	account *cache.Account
	held    []heldRows
	rows    int
}

// heldRows is a batch with the values that the calls read.
type heldRows struct {
	b     *vec.Batch
	exprs []*vec.Vector
}

func (h heldRows) slice(from, to int) heldRows {
	out := heldRows{b: h.b.Slice(from, to), exprs: make([]*vec.Vector, len(h.exprs))}
	for i, e := range h.exprs {
		out.exprs[i] = e.Slice(from, to)
	}
	return out
}

// partition returns the columns that tell partitions apart.
func (h heldRows) partition(o *windower) []*vec.Vector { return h.exprs[:len(o.n.Partition)] }

func (s *windowStep) push(b *vec.Batch) (status, error) {
	exprs, err := evalAll(s.w.run.env.Fn, s.o.exprs, b)
	if err != nil {
		return done, err
	}
	for i, e := range exprs {
		exprs[i] = flat(e)
	}
	h := heldRows{b, exprs}
	if s.rows+b.Len >= windowRows {
		if at, ok := s.lastStart(h); ok {
			if at > 0 {
				s.held = append(s.held, h.slice(0, at))
			}
			if st, err := s.compute(); err != nil || st == done {
				return done, err
			}
			h = h.slice(at, b.Len)
		}
	}
	s.held = append(s.held, h)
	s.rows += h.b.Len
	size := h.b.SizeBytes()
	for _, e := range h.exprs {
		size += e.SizeBytes()
	}
	return more, s.account.Grow(size)
}

// lastStart returns the row of h at which the last partition begins, as far as rows came; false if that was before h.
func (s *windowStep) lastStart(h heldRows) (int, bool) {
	keys := h.partition(s.o)
	orders := make([]vec.Order, len(keys))
	for i := h.b.Len - 1; i > 0; i-- {
		if vec.CompareRows(keys, i, keys, i-1, orders) != 0 {
			return i, true
		}
	}
	if len(s.held) == 0 {
		return 0, false
	}
	last := s.held[len(s.held)-1]
	return 0, vec.CompareRows(keys, 0, last.partition(s.o), last.b.Len-1, orders) != 0
}

func (s *windowStep) endMorsel() error { return s.next.endMorsel() }

func (s *windowStep) finish() error {
	if _, err := s.compute(); err != nil {
		return err
	}
	return s.next.finish()
}

// compute hands on the rows held, which are whole partitions, with the results of the calls.
func (s *windowStep) compute() (status, error) {
	if len(s.held) == 0 {
		return more, nil
	}
	p := s.join()
	s.held, s.rows = nil, 0
	if err := s.account.Grow(int64(p.n) * 16 * int64(1+len(s.o.calls))); err != nil {
		return done, err
	}
	cols := p.cols
	for i := range s.o.calls {
		v, err := p.evaluate(&s.o.calls[i])
		if err != nil {
			return done, err
		}
		cols = append(cols, v)
	}
	out, rows := vec.NewBatch(p.n, cols...), s.w.run.env.batchRows()
	for from := 0; from < p.n; from += rows {
		if err := s.w.check(); err != nil {
			return done, err
		}
		if st, err := s.next.push(out.Slice(from, min(from+rows, p.n))); err != nil || st == done {
			return done, err
		}
	}
	s.account.Shrink(s.account.Used())
	return more, nil
}

// join makes one piece of the rows held.
func (s *windowStep) join() *partitions {
	p := &partitions{w: s.w, account: s.account}
	one := func(get func(h heldRows) *vec.Vector) *vec.Vector {
		parts := make([]*vec.Vector, len(s.held))
		for i, h := range s.held {
			parts[i] = plain(get(h))
		}
		return vec.Concat(parts[0].Type, parts...)
	}
	for i := range s.o.n.Input.Schema() {
		p.cols = append(p.cols, one(func(h heldRows) *vec.Vector { return h.b.Cols[i] }))
	}
	for i := range s.o.exprs {
		p.exprs = append(p.exprs, one(func(h heldRows) *vec.Vector { return h.exprs[i] }))
	}
	for _, h := range s.held {
		p.n += h.b.Len
	}
	parts, order := len(s.o.n.Partition), len(s.o.n.Order)
	p.starts = runStarts(p.exprs[:parts], p.n, []int32{0, int32(p.n)})
	p.peers = runStarts(p.exprs[parts:parts+order], p.n, p.starts)
	p.orderKeys = p.exprs[parts : parts+order]
	for _, k := range s.o.n.Order {
		p.orders = append(p.orders, vec.Order{Desc: k.Desc, NullsFirst: k.NullsFirst})
	}
	return p
}

// runStarts cuts the runs that begin at starts further where the keys of neighbouring rows differ. The last element is the end.
func runStarts(keys []*vec.Vector, n int, starts []int32) []int32 {
	orders := make([]vec.Order, len(keys))
	var out []int32
	next := 0
	for i := range n {
		if i == int(starts[next]) {
			out = append(out, int32(i))
			next++
		} else if vec.CompareRows(keys, i, keys, i-1, orders) != 0 {
			out = append(out, int32(i))
		}
	}
	return append(out, int32(n))
}
