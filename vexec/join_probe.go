package vexec

import (
	"sync"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// joinProbe runs the left side of a join through the hash table of the right side.
type joinProbe struct {
	label
	j     *joinPlan
	build *joinBuild
}

// probeState is what the workers share.
type probeState struct {
	p *joinProbe
	r *run
	t *joinTable

	mu sync.Mutex
	// met are the rows of the right side that a worker has found a partner for, one bitmap a worker; Right and Full joins only.
	met []vec.Bitmap
}

func (p *joinProbe) uses() sink { return p.build }

func (p *joinProbe) open(r *run) (operatorState, error) {
	t := r.sinks[p.build].(*joinTable)
	if err := r.timed(p.build, t.begin); err != nil {
		return nil, err
	}
	return &probeState{p: p, r: r, t: t}, nil
}

func (s *probeState) local(w *worker, next step) (step, error) {
	p := &probe{passing: passing{next}, w: w, j: s.p.j, t: s.t, limit: s.r.env.batchRows()}
	if k := s.p.j.n.Kind; k == plan.Right || k == plan.Full {
		if err := s.r.account().Grow(int64(s.t.rows) / 8); err != nil {
			return nil, err
		}
		p.met = vec.NewBitmap(s.t.rows)
		s.mu.Lock()
		s.met = append(s.met, p.met)
		s.mu.Unlock()
	}
	if s.t.disk.away != nil {
		p.later = &diverted{t: s.t}
	}
	return p, nil
}

// probe joins the batches of one worker.
type probe struct {
	passing
	w     *worker
	j     *joinPlan
	t     *joinTable
	limit int
	met   vec.Bitmap
	// later takes the rows whose partition is on disk; nil if there is none.
	later *diverted
	// carry is what is known of left rows that meet the right side in several pieces; nil if they meet it at once.
	carry *joinCarry
	// through says that the batch is a result already; see spilledStep.
	through bool

	keys  keyBatch
	codes codeCache
	part  partitioner
	group []int32 // per left row: its key's number, -1 for none

	// Per left row, of the current batch: whether it has a match.
	matched []bool
	// left and right are the pairs being looked at.
	left, right []int32
}

func (p *probe) push(b *vec.Batch) (status, error) {
	if p.t.allRows == 0 && needsRight(p.j.n.Kind) {
		return done, nil
	}
	if p.later != nil {
		var err error
		if b, err = p.later.divert(p.w.seq, b); err != nil || b.Len == 0 {
			return more, err
		}
	}
	if err := p.find(b); err != nil {
		return done, err
	}
	if p.j.n.Cond == nil && p.carry == nil {
		switch p.j.n.Kind {
		case plan.Semi, plan.Anti, plan.Mark, plan.Exists, plan.NullAwareAnti:
			// Whether there is a match is all that counts.
			p.matched = sized(p.matched, b.Len)
			for i, g := range p.group {
				p.matched[i] = g >= 0
			}
			return p.decide(b)
		case plan.Inner, plan.Right:
			if p.t.start == nil {
				return p.pushUnique(b)
			}
		}
	}
	p.matched = sized(p.matched, b.Len)
	clear(p.matched)
	if p.carry != nil {
		p.carry.load(p.matched)
	}
	if st, err := p.pairs(b); err != nil || st == done {
		return done, err
	}
	if p.carry != nil {
		if end, err := p.carry.keep(p, b); err != nil || !end {
			return more, err
		}
	}
	return p.decide(b)
}

// finish ends the left rows that wait on disk.
func (p *probe) finish() error {
	if p.later != nil {
		if err := p.later.finish(); err != nil {
			return err
		}
	}
	return p.next.finish()
}

// find sets group for the rows of b.
func (p *probe) find(b *vec.Batch) error {
	p.group = sized(p.group, b.Len)
	if p.j.layout == nil {
		g := int32(0)
		if p.t.rows == 0 {
			g = -1
		}
		for i := range p.group {
			p.group[i] = g
		}
		return nil
	}
	cols, err := evalAll(p.w.run.env.Fn, p.j.n.LeftKeys, b)
	if err != nil {
		return err
	}
	if err := p.j.layout.fill(&p.keys, cols, b.Len, true); err != nil {
		return err
	}
	if p.keys.lazy {
		p.findCodes()
		return nil
	}
	if p.keys.valid != nil {
		for i := range p.group {
			p.group[i] = -1
		}
	}
	p.t.lookup(&p.keys, &p.part, p.group)
	return nil
}

// findCodes is find for lazy keys.
func (p *probe) findCodes() {
	kb := &p.keys
	v := kb.cols[0]
	ask := p.codes.collect(v, kb.n, kb.valid)
	if ask.n > 0 {
		numbers := make([]int32, ask.n)
		p.t.lookup(ask, &p.part, numbers)
		for i, e := range p.codes.entries {
			p.codes.answers[e] = numbers[i]
		}
	}
	for i, c := range v.Codes[:kb.n] {
		p.group[i] = -1
		if kb.valid.Get(i) {
			p.group[i] = p.codes.answers[c]
		}
	}
}

// lookup sets ids for the rows of kb that have a key to the number of the key over all partitions, -1 if it is unknown.
func (t *joinTable) lookup(kb *keyBatch, part *partitioner, ids []int32) {
	for i, rows := range part.splitValid(kb, t.partBits) {
		if len(rows) == 0 {
			continue
		}
		t.tables[i].lookup(kb, rows, ids)
		if base := int32(t.base[i]); base > 0 {
			for _, r := range rows {
				if ids[r] >= 0 {
					ids[r] += base
				}
			}
		}
	}
}

// rowsOf returns the rows of the right side with key g.
func (t *joinTable) rowsOf(g int32) []int32 {
	if t.start == nil {
		return t.order[g : g+1]
	}
	return t.order[t.start[g]:t.start[g+1]]
}

// pushUnique joins b where each left row has at most one partner and nothing else counts.
func (p *probe) pushUnique(b *vec.Batch) (status, error) {
	p.left, p.right = p.left[:0], p.right[:0]
	for i, g := range p.group {
		if g >= 0 {
			p.left = append(p.left, int32(i))
			p.right = append(p.right, p.t.order[g])
		}
	}
	return p.emitPairs(b)
}

// pairs passes the candidates of all rows of b in portions through Cond.
func (p *probe) pairs(b *vec.Batch) (status, error) {
	p.left, p.right = p.left[:0], p.right[:0]
	flush := func() (status, error) {
		if err := p.w.check(); err != nil {
			return done, err
		}
		st, err := p.settlePairs(b)
		p.left, p.right = p.left[:0], p.right[:0]
		return st, err
	}
	once := !p.j.n.Kind.YieldsRight() // one match is enough
	for i, g := range p.group {
		if g < 0 {
			continue
		}
		rows := p.t.rowsOf(g)
		for len(rows) > 0 && !(once && p.matched[i]) {
			n := min(len(rows), p.limit-len(p.left))
			for _, r := range rows[:n] {
				p.left = append(p.left, int32(i))
				p.right = append(p.right, r)
			}
			rows = rows[n:]
			if len(p.left) < p.limit {
				break
			}
			if st, err := flush(); err != nil || st == done {
				return done, err
			}
		}
	}
	return flush()
}

// settlePairs drops the pairs for which Cond is not true, notes the others and emits them if the join yields both sides.
func (p *probe) settlePairs(b *vec.Batch) (status, error) {
	if p.j.n.Cond != nil {
		if err := p.filterPairs(b); err != nil {
			return done, err
		}
	}
	single := p.j.n.Kind == plan.Single
	for _, i := range p.left {
		if single && p.matched[i] {
			return done, sqlerr.New(sqlerr.Constraint, "a scalar sub-query returned more than one row")
		}
		p.matched[i] = true
	}
	if !p.j.n.Kind.YieldsRight() {
		return more, nil
	}
	return p.emitPairs(b)
}

// filterPairs evaluates Cond, for which only the columns it reads are gathered.
func (p *probe) filterPairs(b *vec.Batch) error {
	if len(p.left) == 0 {
		return nil
	}
	in := vec.NewBatch(len(p.left))
	in.Cols = make([]*vec.Vector, len(p.j.left)+len(p.j.right))
	for _, c := range p.j.condCols {
		if c < len(p.j.left) {
			in.Cols[c] = vec.GatherRows(b.Cols[c], p.left)
		} else {
			in.Cols[c] = vec.GatherRows(p.t.cols[c-len(p.j.left)], p.right)
		}
	}
	sel, err := expr.Select(p.w.run.env.Fn, p.j.n.Cond, in)
	if err != nil {
		return err
	}
	for k, r := range sel {
		p.left[k], p.right[k] = p.left[r], p.right[r]
	}
	p.left, p.right = p.left[:len(sel)], p.right[:len(sel)]
	return nil
}

// emitPairs hands on the joined rows of the pairs.
func (p *probe) emitPairs(b *vec.Batch) (status, error) {
	if len(p.left) == 0 {
		return more, nil
	}
	if p.met != nil {
		for _, r := range p.right {
			p.met.Set(int(r))
		}
	}
	same := isIdentity(p.left, b.Len)
	out := vec.NewBatch(len(p.left))
	out.Cols = make([]*vec.Vector, 0, len(p.j.left)+len(p.j.right))
	for _, c := range b.Cols {
		if !same {
			c = vec.GatherRows(c, p.left)
		}
		out.Cols = append(out.Cols, c)
	}
	for _, c := range p.t.cols {
		out.Cols = append(out.Cols, vec.GatherRows(c, p.right))
	}
	return p.next.push(out)
}

// isIdentity tells whether rows are 0 to n-1 in order.
func isIdentity(rows []int32, n int) bool {
	if len(rows) != n {
		return false
	}
	for i, r := range rows {
		if int(r) != i {
			return false
		}
	}
	return true
}

// decide emits what depends on whether a row of b has a match, once matched is known.
func (p *probe) decide(b *vec.Batch) (status, error) {
	switch p.j.n.Kind {
	case plan.Semi:
		return p.emitLeft(b, p.rowsWhere(true))
	case plan.Anti:
		return p.emitLeft(b, p.rowsWhere(false))
	case plan.NullAwareAnti:
		unknown, err := p.unknown(b)
		if err != nil {
			return done, err
		}
		var sel vec.Sel
		for i, m := range p.matched {
			if !m && !unknown.Get(i) {
				sel = append(sel, uint16(i))
			}
		}
		return p.emitLeft(b, sel)
	case plan.Exists:
		return p.emitMark(b, nil)
	case plan.Mark:
		unknown, err := p.unknown(b)
		if err != nil {
			return done, err
		}
		return p.emitMark(b, unknown)
	case plan.Left, plan.Full, plan.Single:
		return p.emitUnmatched(b)
	}
	return more, nil
}

// rowsWhere returns the left rows that have a match, or have none.
func (p *probe) rowsWhere(matched bool) vec.Sel {
	sel := make(vec.Sel, 0, len(p.matched))
	for i, m := range p.matched {
		if m == matched {
			sel = append(sel, uint16(i))
		}
	}
	return sel
}

func (p *probe) emitLeft(b *vec.Batch, sel vec.Sel) (status, error) {
	if len(sel) == 0 {
		return more, nil
	}
	return p.next.push(b.Gather(sel))
}

func (p *probe) emitMark(b *vec.Batch, unknown vec.Bitmap) (status, error) {
	mark := append([]bool(nil), p.matched...)
	valid := vec.NewBitmapSet(b.Len)
	for i, m := range mark {
		if !m && unknown != nil && unknown.Get(i) {
			valid.Clear(i)
		}
	}
	if valid.Count(b.Len) == b.Len {
		valid = nil
	}
	cols := append(append([]*vec.Vector(nil), b.Cols...), vec.NewFlat(types.Of(types.Boolean), mark, valid))
	return p.next.push(vec.NewBatch(b.Len, cols...))
}

// emitUnmatched hands on the left rows without a match, with NULLs on the right.
func (p *probe) emitUnmatched(b *vec.Batch) (status, error) {
	sel := p.rowsWhere(false)
	if len(sel) == 0 {
		return more, nil
	}
	left := b.Gather(sel)
	cols := append([]*vec.Vector(nil), left.Cols...)
	for _, t := range p.j.right {
		cols = append(cols, vec.NewNull(t, left.Len))
	}
	return p.next.push(vec.NewBatch(left.Len, cols...))
}
