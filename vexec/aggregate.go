package vexec

import (
	"slices"
	"sync"

	"github.com/ebira-db/ebira/cache"
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// aggregate is the sink of GROUP BY and DISTINCT. Each worker groups what it gets in a table of its own. When that outgrows a cache,
// the worker cuts it into partitions by hash; in the end the partitions of all workers are merged in parallel. Heavy states, such as
// collected arrays, are never cut, because cutting copies them.
type aggregate struct {
	label
	keys   []expr.Expr
	aggs   []plan.AggCall
	layout *keyLayout // nil without keys
}

// heavyStateBytes is the size of all states of a group from which a table is not partitioned.
const heavyStateBytes = 512

func (b *builder) aggregate(n *plan.Aggregate) (heads, error) {
	return b.group(n, n.Input, n.Keys, n.Aggs)
}

func (b *builder) distinct(n *plan.Distinct) (heads, error) {
	keys, _ := plan.Identity(n.Input.Schema())
	return b.group(n, n.Input, keys, nil)
}

// group ends input in an aggregate and starts from its result.
func (b *builder) group(n, input plan.Node, keys []expr.Expr, aggs []plan.AggCall) (heads, error) {
	read := slices.Clone(keys)
	for _, a := range aggs {
		read = append(read, a.Args...)
		if a.Filter != nil {
			read = append(read, a.Filter)
		}
	}
	h, err := b.buildFor(input, read)
	if err != nil {
		return nil, err
	}
	a := &aggregate{label{"aggregate", n}, keys, slices.Clone(aggs), nil}
	for i, call := range a.aggs {
		if call.Distinct {
			a.aggs[i].Fn = function.NewDistinct(call.Fn)
		}
	}
	if len(keys) > 0 {
		ts, nullable := keyTypes(keys)
		if a.layout, err = newKeyLayout(ts, nullable, b.env); err != nil {
			return nil, err
		}
	}
	b.end(h, a, false)
	return b.start(&groups{label{"groups", n}, a}), nil
}

// aggState is what the workers share.
type aggState struct {
	a *aggregate
	r *run
	// partBits is the logarithm of the number of partitions.
	partBits uint
	once     sync.Once
	// layout is nil until the first batch comes, and if there are no keys.
	layout *keyLayout

	mu     sync.Mutex
	locals []*aggLocal
	// parts is the result.
	parts []*aggPart
}

// aggPart is a table with the states of its groups: group g has the state base + g.
type aggPart struct {
	table *table
	accs  []function.Accumulator
	// base is 1 in partitions: their state 0 takes what belongs to other partitions when a table is cut, and is never read.
	base int
}

func (a *aggregate) open(r *run) (sinkState, error) {
	return &aggState{a: a, r: r, partBits: r.env.partBits()}, nil
}

func (s *aggState) local(w *worker) (step, error) {
	return localStep(&s.mu, &s.locals, w, func() *aggLocal {
		n := len(s.a.aggs)
		return &aggLocal{s: s, account: s.r.account(), args: make([][]*vec.Vector, n), kept: make([][]bool, n)}
	}), nil
}

// settleLayout decides on the layout of the keys, once for all workers, by the first batch.
func (s *aggState) settleLayout(cols []*vec.Vector) *keyLayout {
	s.once.Do(func() {
		s.layout = s.a.layout
		if s.layout.coded == nil {
			return
		}
		for i, t := range s.layout.types {
			if t.Phys() == types.PhysString && cols[i].Form == vec.Flat {
				return
			}
		}
		s.layout = s.layout.coded
	})
	return s.layout
}

// newPart makes a part without groups for the worker with the given interners.
func (s *aggState) newPart(base int, interners []*interner) *aggPart {
	p := &aggPart{base: base}
	if s.layout != nil {
		p.table = newTable(s.layout)
		p.table.interners = interners
	}
	for _, call := range s.a.aggs {
		p.accs = append(p.accs, call.Fn.New(s.r.env.Fn))
	}
	return p
}

// groups returns the number of groups of p.
func (p *aggPart) groups() int {
	if p.table == nil {
		return 1
	}
	return p.table.count
}

// SizeBytes estimates the memory held.
func (p *aggPart) SizeBytes() int64 {
	n := int64(0)
	if p.table != nil {
		n = p.table.SizeBytes()
	}
	for _, a := range p.accs {
		n += a.SizeBytes()
	}
	return n
}

// aggLocal groups the batches of one worker.
type aggLocal struct {
	ofWorker
	s *aggState
	// parts has one part, or all partitions once it is cut.
	parts []*aggPart
	heavy bool
	// mapping translates the worker's numbers of texts to those of the first worker, by column.
	mapping [][]uint32
	account *cache.Account
	batches int

	keys  keyBatch
	codes codeCache
	ids   []uint32
	// args are the arguments of each call for the current batch, kept the rows that its FILTER lets pass (nil: all).
	args [][]*vec.Vector
	kept [][]bool
	part partitioner
	sub  []uint32
}

// chargeEvery is the number of batches between two looks at the memory of an aggregate's worker.
const chargeEvery = 8

func (l *aggLocal) push(b *vec.Batch) (status, error) {
	if err := l.evaluate(b); err != nil {
		return done, err
	}
	if err := l.group(b); err != nil {
		return done, err
	}
	if l.batches++; l.batches%chargeEvery == 0 {
		return more, l.charge()
	}
	return more, nil
}

// charge accounts for the memory held by now.
func (l *aggLocal) charge() error {
	var size int64
	for _, p := range l.parts {
		size += p.SizeBytes()
	}
	for _, in := range l.keys.interners {
		if in != nil {
			size += in.table.SizeBytes()
		}
	}
	return l.account.Resize(size)
}

// evaluate sets keys, args and kept.
func (l *aggLocal) evaluate(b *vec.Batch) error {
	a, fn := l.s.a, l.s.r.env.Fn
	if a.layout != nil {
		cols, err := evalAll(fn, a.keys, b)
		if err != nil {
			return err
		}
		if err := l.s.settleLayout(cols).fill(&l.keys, cols, b.Len, false); err != nil {
			return err
		}
		l.ids = sized(l.ids, b.Len)
	}
	if l.parts == nil {
		l.parts = []*aggPart{l.s.newPart(0, l.keys.interners)}
	}
	for i, call := range a.aggs {
		args, err := evalAll(fn, call.Args, b)
		if err != nil {
			return err
		}
		l.args[i] = args
		if call.Filter == nil {
			continue
		}
		sel, err := expr.Select(fn, call.Filter, b)
		if err != nil {
			return err
		}
		l.kept[i] = sized(l.kept[i], b.Len)
		clear(l.kept[i])
		for _, r := range sel {
			l.kept[i][r] = true
		}
	}
	return nil
}

// group finds the groups of the rows and updates their states.
func (l *aggLocal) group(b *vec.Batch) error {
	p := l.parts[0]
	if p.table == nil {
		return l.update(p, nil, nil, b.Len)
	}
	if len(l.parts) == 1 {
		if l.keys.lazy {
			if err := l.codes.assign(p.table, &l.keys, l.ids); err != nil {
				return err
			}
		} else if err := p.table.assign(&l.keys, nil, l.ids); err != nil {
			return err
		}
		if err := l.update(p, nil, l.ids, b.Len); err != nil {
			return err
		}
		return l.maybeCut()
	}
	l.keys.settle()
	for i, rows := range l.part.split(l.keys.hash, l.s.partBits) {
		if len(rows) == 0 {
			continue
		}
		p := l.parts[i]
		if err := p.table.assign(&l.keys, rows, l.ids); err != nil {
			return err
		}
		if err := l.update(p, rows, l.ids, b.Len); err != nil {
			return err
		}
	}
	return nil
}

// update adds rows of the current batch (all n if nil) to the states of p; ids are the groups by row, nil without keys.
func (l *aggLocal) update(p *aggPart, rows []int32, ids []uint32, n int) error {
	count := p.groups() + p.base
	for i, acc := range p.accs {
		rs := rows
		if l.s.a.aggs[i].Filter != nil {
			if rs = filterRows(rows, l.kept[i], n); len(rs) == 0 {
				continue
			}
		}
		args, groups, m := l.args[i], ids, n
		if rs != nil {
			m = len(rs)
			args = make([]*vec.Vector, len(l.args[i]))
			for k, v := range l.args[i] {
				args[k] = vec.GatherRows(v, rs)
			}
			if ids != nil {
				l.sub = sized(l.sub, m)
				for k, r := range rs {
					l.sub[k] = ids[r] + uint32(p.base)
				}
				groups = l.sub
			}
		}
		if err := acc.Update(groups, count, args, m); err != nil {
			return err
		}
	}
	return nil
}

// filterRows returns the rows (all n if nil) that are kept.
func filterRows(rows []int32, kept []bool, n int) []int32 {
	out := make([]int32, 0, n)
	if rows == nil {
		for i, k := range kept[:n] {
			if k {
				out = append(out, int32(i))
			}
		}
		return out
	}
	for _, r := range rows {
		if kept[r] {
			out = append(out, r)
		}
	}
	return out
}

// maybeCut partitions the worker's table if it has grown too large for a cache.
func (l *aggLocal) maybeCut() error {
	p := l.parts[0]
	if l.heavy || p.table.count < l.s.r.env.partitionGroups() || !l.s.r.env.partitioned() {
		return nil
	}
	if l.heavy = l.tooHeavy(); l.heavy {
		return nil
	}
	return l.cut()
}

// tooHeavy tells whether the states of the only part are too large to be copied.
func (l *aggLocal) tooHeavy() bool {
	p := l.parts[0]
	var states int64
	for _, a := range p.accs {
		states += a.SizeBytes()
	}
	return states > heavyStateBytes*int64(p.groups())
}

// cut distributes the only part to partitions.
func (l *aggLocal) cut() error {
	old := l.parts[0]
	keys := old.table.keys()
	ids := make([]uint32, keys.n)
	mapping := make([]uint32, keys.n)
	var parts []*aggPart
	for _, rows := range l.part.split(keys.hash, l.s.partBits) {
		p := l.s.newPart(1, l.keys.interners)
		parts = append(parts, p)
		if err := p.table.assign(keys, rows, ids); err != nil {
			return err
		}
		clear(mapping)
		for _, r := range rows {
			mapping[r] = ids[r] + 1
		}
		for i, acc := range p.accs {
			if err := acc.Merge(old.accs[i], mapping, p.table.count+1); err != nil {
				return err
			}
		}
	}
	l.parts = parts
	l.codes = codeCache{}
	return nil
}

func (l *aggLocal) endMorsel() error { return nil }

func (l *aggLocal) finish() error { return l.charge() }
