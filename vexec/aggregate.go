package vexec

import (
	"slices"
	"sync"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// aggregate is the sink of GROUP BY and DISTINCT. Each worker groups what it gets in a table of its own. When that outgrows a cache, the
// worker leaves it as it is and from then on only stores rows by partition (rowParts). Each partition is aggregated by itself, in a table
// that fits a cache, when its groups are asked for (groups).
type aggregate struct {
	label
	keys   []expr.Expr
	inputs *aggInputs
	layout *keyLayout // nil without keys
}

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
	a := &aggregate{label{"aggregate", n}, keys, newAggInputs(aggs), nil}
	if len(keys) > 0 {
		ts, nullable := keyTypes(keys)
		if a.layout, err = newKeyLayout(ts, nullable, b.env); err != nil {
			return nil, err
		}
	}
	b.end(h, a, false)
	return b.start(&groups{label{"groups", n}, a, b.filters[n]}), nil
}

// aggState is what the workers share.
type aggState struct {
	a    *aggregate
	r    *run
	once sync.Once
	// layout is nil until the first batch comes, and if there are no keys.
	layout *keyLayout

	mu     sync.Mutex
	locals []*aggLocal
	// whole is the result if it is one table, nil if it is made by partition.
	whole *aggPart
	// file has the rows that did not fit into memory; nil if all did. share is how much the groups of a worker may take before.
	file  *spillFile
	share int64
}

func (a *aggregate) open(r *run) (sinkState, error) {
	s := &aggState{a: a, r: r}
	s.share = s.aggShare()
	return s, nil
}

func (s *aggState) local(w *worker) (step, error) {
	return localStep(&s.mu, &s.locals, w, func() *aggLocal {
		return &aggLocal{s: s, charged: s.r.charge()}
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

// aggLocal groups the batches of one worker.
type aggLocal struct {
	ofWorker
	s *aggState
	// part has the groups of the first rows. It does not change once there are rows, and is nil once there are flushed.
	part *aggPart
	// rows are those since part was full; nil before.
	rows *rowParts
	// flushed has a part for each partition, with everything that came before rows; nil as long as rows was never full.
	flushed []*aggPart
	// byPart lists the groups of part by partition, partKeys are their keys for the part of a partition; made by split.
	byPart   [][]int32
	partKeys *keyBatch
	// mapping translates the worker's numbers of texts to those of the first worker, by column.
	mapping [][]uint32
	// disk takes the rows once the worker's memory is used up; nil before.
	disk    *aggDisk
	charged charge
	batches int

	keys  keyBatch
	codes codeCache
	ids   []uint32
	adder partAdder
}

// chargeEvery is the number of batches between two looks at the memory of an aggregate's worker.
const chargeEvery = 8

// smallShare is the memory of a worker below which it looks at its use after every batch.
const smallShare = 32 << 20

func (l *aggLocal) push(b *vec.Batch) (status, error) {
	inputs, err := l.evaluate(b)
	if err != nil {
		return done, err
	}
	if err := l.group(inputs, b.Len); err != nil {
		return done, err
	}
	if l.batches++; l.batches%chargeEvery == 0 || l.s.share < smallShare || l.s.r.env.Options.ForceSpill {
		return more, l.charge()
	}
	return more, nil
}

// evaluate sets keys and returns the inputs.
func (l *aggLocal) evaluate(b *vec.Batch) ([]*vec.Vector, error) {
	a, fn := l.s.a, l.s.r.env.Fn
	if a.layout != nil {
		cols, err := evalAll(fn, a.keys, b)
		if err != nil {
			return nil, err
		}
		if err := l.s.settleLayout(cols).fill(&l.keys, cols, b.Len, false); err != nil {
			return nil, err
		}
		l.ids = sized(l.ids, b.Len)
	}
	if l.part == nil && l.rows == nil {
		l.part = l.s.newPart(l.keys.interners)
	}
	return a.inputs.eval(fn, b)
}

// group puts the n rows of a batch into the worker's table, or stores them.
func (l *aggLocal) group(inputs []*vec.Vector, n int) error {
	p := l.part
	switch {
	case l.disk != nil:
		return l.addToDisk(inputs)
	case l.rows != nil:
		l.keys.settle()
		l.rows.add(&l.keys, inputs)
		if l.rows.bytes > l.s.r.env.storedBytes() {
			return l.flush()
		}
		return nil
	case p.table == nil:
		return l.adder.update(l.s.a.inputs, p, nil, inputs, n)
	case l.keys.lazy:
		if err := l.codes.assign(p.table, &l.keys, l.ids); err != nil {
			return err
		}
	default:
		if err := p.table.assign(&l.keys, nil, l.ids); err != nil {
			return err
		}
	}
	if err := l.adder.update(l.s.a.inputs, p, l.ids, inputs, n); err != nil {
		return err
	}
	if p.table.count >= l.s.r.env.partitionGroups() {
		l.rows = newRowParts(l.s.layout, l.s.a.inputs.types())
		l.codes = codeCache{}
	}
	return nil
}

// flush aggregates the rows stored so far, partition by partition.
func (l *aggLocal) flush() error {
	if l.flushed == nil {
		l.flushed = make([]*aggPart, rowPartCount)
		l.split(l.part.table.keys())
	}
	for p := range l.flushed {
		if err := l.s.r.check(); err != nil {
			return err
		}
		if l.flushed[p] == nil {
			l.flushed[p] = l.s.newPart(l.keys.interners)
			if err := l.adder.take(l.flushed[p], l.part, l.byPart[p], l.partKeys); err != nil {
				return err
			}
		}
		if err := l.adder.rows(l.flushed[p], l, p, nil); err != nil {
			return err
		}
	}
	l.part, l.byPart, l.partKeys = nil, nil, nil
	l.rows = newRowParts(l.s.layout, l.s.a.inputs.types())
	return l.charge()
}

// split cuts the groups of part by partition.
func (l *aggLocal) split(keys *keyBatch) {
	l.byPart, l.partKeys = make([][]int32, rowPartCount), keys
	for g, h := range l.part.table.hashes {
		p := h >> (64 - rowPartBits)
		l.byPart[p] = append(l.byPart[p], int32(g))
	}
}

// charge accounts for the memory held by now.
func (l *aggLocal) charge() error {
	var size int64
	if l.part != nil {
		size += l.part.SizeBytes()
	}
	for _, p := range l.flushed {
		size += p.SizeBytes()
	}
	if l.rows != nil {
		size += l.rows.bytes
	}
	for _, in := range l.keys.interners {
		if in != nil {
			size += in.table.SizeBytes()
		}
	}
	more := size - l.charged.used()
	forced := l.s.r.env.Options.ForceSpill && l.batches >= forcedBatches && l.disk == nil
	if more <= 0 && !forced {
		return l.charged.shrink(-more)
	}
	if l.disk != nil {
		return l.charged.force(more)
	}
	canSpill := l.part != nil && l.part.table != nil || l.rows != nil
	if canSpill = canSpill && l.s.r.env.Spill != nil; canSpill && (forced || size > l.s.share) {
		return l.overflow(more)
	}
	if more <= 0 {
		return nil
	}
	err := l.charged.grow(more)
	for err != nil && sqlerr.KindOf(err) == sqlerr.Resource {
		relieved, relieveErr := l.s.r.relieve(l.charged.used())
		switch {
		case relieveErr != nil:
			return relieveErr
		case relieved:
			err = l.charged.grow(more)
			continue
		case canSpill:
			return l.overflow(more)
		}
		return l.charged.force(more)
	}
	return err
}

// overflow goes over to rows on disk: what the worker has stored goes there, the groups stay. more was not charged yet.
func (l *aggLocal) overflow(more int64) error {
	stored := int64(0)
	if l.rows != nil {
		stored = l.rows.bytes
	}
	if err := l.toDisk(); err != nil {
		return err
	}
	if more -= stored; more <= 0 {
		return l.charged.shrink(-more)
	}
	if l.charged.grow(more) == nil {
		return nil
	}
	return l.charged.force(more)
}

func (l *aggLocal) endMorsel() error { return nil }

func (l *aggLocal) finish() error { return l.charge() }
