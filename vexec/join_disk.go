package vexec

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// joinDisk is the part of a join that lies on disk. When memory is short, the right side is cut by bits of the hash of its keys and
// written. Partitions for which there is room when the probe begins are read again; the left rows of the others are written too, and
// joined at the end, partition by partition, see joinSpilled. Joins without key pairs, and those that must compare a row with all rows
// of the right side, have one partition.
type joinDisk struct {
	file *spillFile
	// right has the rows of the right side, left those of the left side, by partition.
	right, left []spillRows
	// away tells which partitions are not in memory while the left side runs through the probe; nil if all are there.
	away     []bool
	leftFile *spillFile
	// allowance is how much the partitions that are read again may take.
	allowance int64
}

const (
	// spillBits is the logarithm of the number of partitions that rows are cut into at a time.
	spillBits = 5
	// spillShift places the bits for the first cut below those that tell the partition of a hash table.
	spillShift = 64 - maxPartBits - spillBits
	// maxCuts bounds how often rows are cut, so that the bits which find a place in a hash table stay untouched.
	maxCuts = 6
	// cutRows is the most rows that are cut at once.
	cutRows = 1 << 16
)

// cutter distributes rows to partitions on disk by their keys. It belongs to one worker.
type cutter struct {
	r      *run
	file   *spillFile
	layout *keyLayout // nil: there is one partition
	shift  uint
	types  []types.Type
	// keysOf picks or computes the keys of stored columns.
	keysOf func(cols []*vec.Vector, n int) ([]*vec.Vector, error)
	// nulls is set if a row has a NULL in its key.
	nulls *atomic.Bool
	parts []spillRows

	enc  spillEncoder
	keys keyBatch
}

// partition returns the partition of a hash.
func (c *cutter) partition(h uint64) int { return int(h >> c.shift & (1<<spillBits - 1)) }

// cut writes batches, which lose their columns.
func (c *cutter) cut(batches []storedBatch) error {
	for len(batches) > 0 {
		n, k := 0, 0
		for k < len(batches) && (k == 0 || n+batches[k].n <= cutRows) {
			n += batches[k].n
			k++
		}
		if err := c.r.check(); err != nil {
			return err
		}
		cols := make([]*vec.Vector, len(c.types))
		for i, t := range c.types {
			cols[i] = concatColumn(t, batches[:k], i)
		}
		if err := c.cutBatch(vec.NewBatch(n, cols...)); err != nil {
			return err
		}
		batches = batches[k:]
	}
	return nil
}

func (c *cutter) cutBatch(b *vec.Batch) error {
	if c.layout == nil {
		return c.write(0, b)
	}
	keys, err := c.keysOf(b.Cols, b.Len)
	if err != nil {
		return err
	}
	if err := c.layout.fill(&c.keys, keys, b.Len, true); err != nil {
		return err
	}
	c.keys.settle()
	if c.nulls != nil && c.keys.valid != nil && c.keys.valid.Count(b.Len) < b.Len {
		c.nulls.Store(true)
	}
	var rows [1 << spillBits][]int32
	for i, h := range c.keys.hash[:b.Len] {
		p := c.partition(h)
		rows[p] = append(rows[p], int32(i))
	}
	for p, sel := range rows {
		if len(sel) == 0 {
			continue
		}
		out := vec.NewBatch(len(sel))
		for _, col := range b.Cols {
			out.Cols = append(out.Cols, vec.GatherRows(col, sel))
		}
		if err := c.write(p, out); err != nil {
			return err
		}
	}
	return nil
}

func (c *cutter) write(p int, b *vec.Batch) error {
	if c.parts == nil {
		c.parts = make([]spillRows, 1<<spillBits)
	}
	c.parts[p].file = c.file
	return c.parts[p].add(&c.enc, b)
}

// cutLayout is the layout by which the join may be cut, nil if it may not.
func (j *joinPlan) cutLayout() *keyLayout {
	if j.keepKeys {
		return nil
	}
	return j.layout
}

// rightCutter makes a cutter for stored rows of the right side.
func (t *joinTable) rightCutter(f *spillFile, cut int) *cutter {
	j := t.b.j
	return &cutter{r: t.r, file: f, layout: j.cutLayout(), shift: spillShift - uint(cut)*spillBits, types: j.stored.types(j.right), nulls: &t.anyNulls,
		keysOf: func(cols []*vec.Vector, _ int) ([]*vec.Vector, error) { return j.stored.keys(cols), nil }}
}

// leftCutter makes a cutter for rows of the left side.
func (t *joinTable) leftCutter(f *spillFile, cut int) *cutter {
	j := t.b.j
	return &cutter{r: t.r, file: f, layout: j.cutLayout(), shift: spillShift - uint(cut)*spillBits, types: j.left,
		keysOf: func(cols []*vec.Vector, n int) ([]*vec.Vector, error) {
			return evalAll(t.r.env.Fn, j.n.LeftKeys, vec.NewBatch(n, cols...))
		}}
}

// rightFile returns the file of the right side, made if needed.
func (t *joinTable) rightFile() (_ *spillFile, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.disk.file == nil {
		t.disk.file, err = t.r.newSpillFile(t.b)
	}
	return t.disk.file, err
}

// spill writes the rows of one worker.
func (s *joinBuildStep) spill() error {
	if s.cutter == nil {
		f, err := s.t.rightFile()
		if err != nil {
			return err
		}
		s.cutter = s.t.rightCutter(f, 0)
	}
	batches, rows := gatherStores([]*rowStore{s.store})
	s.spilled += rows
	if err := s.cutter.cut(batches); err != nil {
		return err
	}
	s.store.clear()
	return nil
}

// spillAll writes all rows that are in memory. No worker is adding any.
func (t *joinTable) spillAll() error {
	if _, err := t.rightFile(); err != nil {
		return err
	}
	t.disk.right = make([]spillRows, 1<<spillBits)
	for _, l := range t.locals {
		if err := l.spill(); err != nil {
			return err
		}
		for p := range l.cutter.parts {
			t.disk.right[p].join(&l.cutter.parts[p])
		}
		l.cutter = nil
	}
	return nil
}

// need is what rows of the right side take in memory, with their hash table.
func (t *joinTable) need(s *spillRows) int64 { return s.bytes + int64(s.rows)*t.rowBytes() }

// resident reads the partitions for which there is room, the smallest first, and says which are away.
func (t *joinTable) resident() ([]storedBatch, error) {
	d := &t.disk
	order := make([]int, 0, len(d.right))
	for p := range d.right {
		if d.right[p].rows > 0 {
			order = append(order, p)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(t.need(&d.right[a]), t.need(&d.right[b])) })
	away := make([]bool, len(d.right))
	total, fit := int64(0), 0
	for i, p := range order {
		n := t.need(&d.right[p])
		if total+n > d.allowance || t.r.env.Options.ForceSpill && i%2 == 0 {
			away[p] = true
			continue
		}
		total += n
		order[fit] = p
		fit++
	}
	if roomy, err := t.makeRoom(total, 0); err != nil {
		return nil, err
	} else if !roomy {
		for _, p := range order[:fit] {
			away[p] = true
		}
		fit = 0
	}
	if slices.Contains(away, true) {
		d.away = away
	}
	var batches []storedBatch
	for _, p := range order[:fit] {
		more, err := t.load(&d.right[p], d.right[p].blocks)
		if err != nil {
			return nil, err
		}
		batches = append(batches, more...)
	}
	return batches, nil
}

// load reads blocks of the right side.
func (t *joinTable) load(s *spillRows, blocks []spillBlock) ([]storedBatch, error) {
	out := make([]storedBatch, len(blocks))
	for i := range blocks {
		if err := t.r.check(); err != nil {
			return nil, err
		}
		b, err := s.file.read(&blocks[i])
		if err != nil {
			return nil, err
		}
		for c, v := range b.Cols {
			b.Cols[c] = detach(flat(v))
		}
		out[i] = storedBatch{n: b.Len, cols: b.Cols}
	}
	return out, nil
}

// makeRoom charges n bytes for the hash table, if need be at the cost of build sides that wait and are larger than own. It returns false
// if that is not enough.
func (t *joinTable) makeRoom(n, own int64) (bool, error) {
	for {
		err := t.charge.grow(n)
		if err == nil {
			return true, nil
		}
		if relieved, err := t.r.relieve(own); err != nil || !relieved {
			return false, err
		}
	}
}

// fitJoins spills right sides so that those which the pipeline probes leave a quarter of the budget to what is behind them, and divides
// what is left among those that are on disk.
func (r *run) fitJoins(p *pipeline) error {
	if r.env.Spill == nil {
		return nil
	}
	allowed := int64(1) << 40
	if r.memory.limit > 0 {
		allowed = r.memory.limit / 4 * 3
	}
	var inMemory, onDisk []*joinTable
	for _, op := range p.ops {
		probe, ok := op.(*joinProbe)
		if !ok {
			continue
		}
		t := r.sinks[probe.build].(*joinTable)
		switch {
		case r.operators[probe] != nil:
			allowed -= t.charge.used() + t.used()
		case t.disk.file != nil:
			onDisk = append(onDisk, t)
		default:
			inMemory = append(inMemory, t)
			allowed -= t.used() + int64(t.allRows)*t.rowBytes()
		}
	}
	slices.SortFunc(inMemory, func(a, b *joinTable) int { return cmp.Compare(a.used(), b.used()) })
	for allowed < 0 && len(inMemory) > 0 {
		t := inMemory[len(inMemory)-1]
		inMemory = inMemory[:len(inMemory)-1]
		allowed += t.used() + int64(t.allRows)*t.rowBytes()
		r.resume(t)
		if err := t.spillAll(); err != nil {
			return err
		}
		onDisk = append(onDisk, t)
	}
	for i, t := range onDisk {
		t.disk.allowance = max(allowed, 0) / int64(len(onDisk)-i)
	}
	return nil
}

// diverted collects the left rows of one worker whose partition is away.
type diverted struct {
	t      *joinTable
	store  *rowStore
	cutter *cutter
	keys   keyBatch
}

// divert writes the rows of b that are to be joined later and returns the others.
func (d *diverted) divert(seq int64, b *vec.Batch) (*vec.Batch, error) {
	t := d.t
	if d.cutter == nil {
		f, err := t.leftFile()
		if err != nil {
			return nil, err
		}
		d.cutter, d.store = t.leftCutter(f, 0), newRowStore(t.r)
	}
	var later, now vec.Sel
	if d.cutter.layout == nil {
		later = vec.SelectAll(b.Len)
	} else {
		keys, err := d.cutter.keysOf(b.Cols, b.Len)
		if err != nil {
			return nil, err
		}
		if err := d.cutter.layout.fill(&d.keys, keys, b.Len, true); err != nil {
			return nil, err
		}
		d.keys.settle()
		for i, h := range d.keys.hash[:b.Len] {
			if t.disk.away[d.cutter.partition(h)] && d.keys.valid.Get(i) {
				later = append(later, uint16(i))
			} else {
				now = append(now, uint16(i))
			}
		}
	}
	if len(later) == 0 {
		return b, nil
	}
	out := b.Gather(later)
	if err := d.store.addForced(own(seq, out.Len, out.Cols), d.flush); err != nil {
		return nil, err
	}
	if d.store.rows >= cutRows || d.store.charge.used() >= t.r.memory.chunk {
		if err := d.flush(); err != nil {
			return nil, err
		}
	}
	return b.Gather(now), nil
}

func (d *diverted) flush() error {
	batches, _ := gatherStores([]*rowStore{d.store})
	defer d.store.clear()
	return d.cutter.cut(batches)
}

// finish hands the rows to the join.
func (d *diverted) finish() error {
	if d.cutter == nil {
		return nil
	}
	if err := d.flush(); err != nil {
		return err
	}
	t := d.t
	t.mu.Lock()
	defer t.mu.Unlock()
	for p := range d.cutter.parts {
		t.disk.left[p].join(&d.cutter.parts[p])
	}
	return nil
}

// leftFile returns the file of the left side, made if needed.
func (t *joinTable) leftFile() (_ *spillFile, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.disk.leftFile == nil {
		t.disk.left = make([]spillRows, 1<<spillBits)
		t.disk.leftFile, err = t.r.newSpillFile(t.b)
	}
	return t.disk.leftFile, err
}
