package vexec

import (
	"sync"

	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/vec"
)

// joinSpilled is the source of the left rows that were written to disk, in a pipeline of its own behind those through the probe: a
// partition is a morsel. The operator behind it, spilledProbe, joins them with the right rows of the partition, which the source has put
// in place. A right side that does not fit into the worker's share of memory is cut again with other bits of the hash; where that does
// not help, because one key has most rows, the left rows pass by several times, each time before another piece of the right side.
type joinSpilled struct {
	label
	probe *joinProbe
	op    *spilledProbe
}

func (s *joinSpilled) uses() sink { return s.probe.build }

// joinTask is a partition to be joined.
type joinTask struct {
	right, left spillRows
	// cuts is how often the rows were cut.
	cuts  int
	files *taskFiles
}

// taskFiles are the files of the partitions that one partition was cut into; they end with the last of them.
type taskFiles struct {
	files []*spillFile
	left  int
}

type spilledState struct {
	s     *joinSpilled
	r     *run
	t     *joinTable
	tasks []joinTask
	// share is the memory of one worker.
	share int64
}

func (s *joinSpilled) open(r *run) (sourceState, error) {
	t := r.sinks[s.probe.build].(*joinTable)
	st := &spilledState{s: s, r: r, t: t}
	t.drop()
	for p, away := range t.disk.away {
		if !away {
			continue
		}
		task := joinTask{right: t.disk.right[p]}
		if t.disk.left != nil {
			task.left = t.disk.left[p]
		}
		if st.counts(&task) {
			st.tasks = append(st.tasks, task)
		}
	}
	st.share = r.memory.room() / int64(max(min(r.env.Workers, len(st.tasks)), 1))
	return st, nil
}

// counts tells whether a partition can yield rows.
func (s *spilledState) counts(t *joinTask) bool {
	k := s.s.probe.j.n.Kind
	if t.left.rows == 0 {
		return t.right.rows > 0 && (k == plan.Right || k == plan.Full)
	}
	return t.right.rows > 0 || !needsRight(k)
}

func (s *spilledState) morsels() int { return len(s.tasks) }

func (s *spilledState) reader(w *worker) (reader, error) {
	op := w.run.operators[s.s.op].(*spilledProbeState)
	op.mu.Lock()
	defer op.mu.Unlock()
	return &spilledReader{s: s, w: w, p: op.probes[w.id], charge: w.run.charge()}, nil
}

// spilledProbe is the probe behind a joinSpilled.
type spilledProbe struct{ probe *joinProbe }

// countsAs makes the figures those of the probe.
func (p *spilledProbe) countsAs() any { return p.probe }

type spilledProbeState struct {
	p *spilledProbe
	r *run

	mu     sync.Mutex
	probes map[int]*probe // by worker
}

func (p *spilledProbe) open(r *run) (operatorState, error) {
	return &spilledProbeState{p: p, r: r, probes: map[int]*probe{}}, nil
}

func (s *spilledProbeState) local(w *worker, next step) (step, error) {
	p := &probe{passing: passing{next}, w: w, j: s.p.probe.j, limit: s.r.env.batchRows()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.probes[w.id] = p
	return &spilledStep{p}, nil
}

// spilledStep passes on what the reader has joined already: right rows that no left row met.
type spilledStep struct{ *probe }

func (s *spilledStep) push(b *vec.Batch) (status, error) {
	if s.through {
		return s.next.push(b)
	}
	return s.probe.push(b)
}

// joinCarry is what is known of the left rows of a partition that meet the right side piece by piece.
type joinCarry struct {
	matched, unknown vec.Bitmap
	// at is the number of the first row of the batch; last says that the piece is the last.
	at   int
	last bool
}

// load sets the rows of the batch that were matched before.
func (c *joinCarry) load(matched []bool) {
	for i := range matched {
		matched[i] = c.matched.Get(c.at + i)
	}
}

// keep notes what the piece has brought. It returns whether the rows of b are settled.
func (c *joinCarry) keep(p *probe, b *vec.Batch) (bool, error) {
	for i, m := range p.matched {
		if m {
			c.matched.Set(c.at + i)
		}
	}
	if c.last || !p.j.threeValued {
		return c.last, nil
	}
	_, err := p.unknown(b)
	return false, err
}

// join adds what earlier pieces have left unknown to the unknown rows of a batch of n, and keeps them.
func (c *joinCarry) join(unknown vec.Bitmap, n int) {
	for i := range n {
		if c.unknown.Get(c.at + i) {
			unknown.Set(i)
		} else if unknown.Get(i) {
			c.unknown.Set(c.at + i)
		}
	}
}

// spilledReader joins the partitions of one worker.
type spilledReader struct {
	s      *spilledState
	w      *worker
	p      *probe
	charge charge
	stack  []joinTask
	pass   *joinPass
}

// joinPass is a task at work: a piece of its right side is in memory.
type joinPass struct {
	task joinTask
	// whole says that all right rows are in memory at once.
	whole bool
	// to is the number of right blocks in this and earlier pieces.
	to int
	// block is the next left block, rest what the block before has left, row the number of the next left row.
	block int
	rest  *vec.Batch
	row   int
	// unmatched are the right rows still to be emitted; met says that they were determined.
	unmatched []int32
	met       bool
}

func (r *spilledReader) start(m int) error {
	r.stack = append(r.stack, r.s.tasks[m])
	return nil
}

func (r *spilledReader) close() { r.charge.clear() }

func (r *spilledReader) next() (*vec.Batch, error) {
	for {
		if err := r.w.check(); err != nil {
			return nil, err
		}
		if r.pass == nil {
			if len(r.stack) == 0 {
				return nil, nil
			}
			task := r.stack[len(r.stack)-1]
			r.stack = r.stack[:len(r.stack)-1]
			if err := r.begin(task); err != nil {
				return nil, err
			}
			continue
		}
		if b, err := r.leftRows(); b != nil || err != nil {
			return b, err
		}
		if b := r.unmatchedRows(); b != nil {
			return b, nil
		}
		if err := r.nextPiece(); err != nil {
			return nil, err
		}
	}
}

// begin starts a task, or cuts it and puts the pieces on the stack.
func (r *spilledReader) begin(task joinTask) error {
	whole := r.fits(&task) && r.charge.grow(r.s.t.need(&task.right)) == nil
	if !whole && task.cuts < maxCuts && r.s.s.probe.j.cutLayout() != nil {
		return r.cut(task)
	}
	r.pass, r.p.carry = &joinPass{task: task, whole: whole}, nil
	if !whole {
		// One bit for matched and one for unknown.
		if err := r.charge.force(int64(task.left.rows)/4 + 16); err != nil {
			return err
		}
		r.p.carry = &joinCarry{matched: vec.NewBitmap(task.left.rows), unknown: vec.NewBitmap(task.left.rows)}
	}
	return r.piece()
}

// fits tells whether the right side of a task fits into memory.
func (r *spilledReader) fits(task *joinTask) bool {
	if r.w.run.env.Options.ForceSpill {
		return task.cuts > 0 && task.right.rows%2 == 0
	}
	return r.s.t.need(&task.right) <= r.s.share
}

// cut cuts both sides of a task. If all its right rows stay together, the task is not to be cut again.
func (r *spilledReader) cut(task joinTask) error {
	run := r.w.run
	right, err := run.newSpillFile(r.s.t.b)
	if err != nil {
		return err
	}
	left, err := run.newSpillFile(r.s.t.b)
	if err != nil {
		return err
	}
	t := r.s.t
	rc, lc := t.rightCutter(right, task.cuts+1), t.leftCutter(left, task.cuts+1)
	if err := r.recut(rc, &task.right); err != nil {
		return err
	}
	if err := r.recut(lc, &task.left); err != nil {
		return err
	}
	files := &taskFiles{files: []*spillFile{right, left}}
	for p := range 1 << spillBits {
		piece := joinTask{cuts: task.cuts + 1, files: files}
		if rc.parts != nil {
			piece.right = rc.parts[p]
		}
		if lc.parts != nil {
			piece.left = lc.parts[p]
		}
		if piece.right.rows == task.right.rows || run.env.Options.ForceSpill {
			piece.cuts = maxCuts
		}
		if r.s.counts(&piece) {
			r.stack = append(r.stack, piece)
			files.left++
		}
	}
	if files.left == 0 {
		r.end(files)
	}
	r.done(&task)
	return nil
}

// recut distributes rows anew.
func (r *spilledReader) recut(c *cutter, rows *spillRows) error {
	var batches []storedBatch
	n, size := 0, int64(0)
	for i := range rows.blocks {
		b, err := rows.file.read(&rows.blocks[i])
		if err != nil {
			return err
		}
		batches = append(batches, storedBatch{n: b.Len, cols: b.Cols})
		n, size = n+b.Len, size+int64(rows.blocks[i].bytes)
		if n >= cutRows || size >= r.w.run.memory.chunk {
			if err := c.cut(batches); err != nil {
				return err
			}
			batches, n, size = nil, 0, 0
		}
	}
	return c.cut(batches)
}

// nextBlocks moves to behind the right blocks that make the next piece: all of them, or as many as there is memory for.
func (r *spilledReader) nextBlocks() {
	p, t := r.pass, r.s.t
	blocks := p.task.right.blocks
	if p.whole {
		p.to = len(blocks)
		return
	}
	size := int64(0)
	for first := p.to; p.to < len(blocks); p.to++ {
		b := &blocks[p.to]
		n := int64(b.bytes) + int64(b.rows)*t.rowBytes()
		size += n
		if p.to == first {
			// One block must do, even if there is no room at all.
			if r.charge.grow(n) != nil {
				_ = r.charge.force(n)
			}
			continue
		}
		if size > r.s.share || r.w.run.env.Options.ForceSpill || r.charge.grow(n) != nil {
			return
		}
	}
}

// piece loads the next piece of the right side and makes the probe ready for it.
func (r *spilledReader) piece() error {
	p, t, task := r.pass, r.s.t, &r.pass.task
	from := p.to
	r.nextBlocks()
	sub := &joinTable{b: t.b, r: t.r, charge: r.charge, allRows: t.allRows}
	sub.anyNulls.Store(t.anyNulls.Load())
	batches, err := t.load(&task.right, task.right.blocks[from:p.to])
	if err != nil {
		return err
	}
	if err := sub.build(batches); err != nil {
		return err
	}
	if c := r.p.carry; c != nil {
		c.last = p.to == len(task.right.blocks)
	}
	r.p.t, r.p.codes, r.p.met = sub, codeCache{}, nil
	if k := t.b.j.n.Kind; k == plan.Right || k == plan.Full {
		r.p.met = vec.NewBitmap(sub.rows)
	}
	p.block, p.row, p.rest, p.unmatched, p.met = 0, 0, nil, nil, false
	return nil
}

// leftRows returns the next left rows, nil at the end of the pass.
func (r *spilledReader) leftRows() (*vec.Batch, error) {
	p := r.pass
	if p.rest == nil {
		if p.block == len(p.task.left.blocks) {
			return nil, nil
		}
		b, err := p.task.left.file.read(&p.task.left.blocks[p.block])
		if err != nil {
			return nil, err
		}
		p.block++
		p.rest = b
	}
	b := p.rest
	p.rest = nil
	if limit := r.p.limit; b.Len > limit {
		b, p.rest = b.Slice(0, limit), b.Slice(limit, b.Len)
	}
	r.p.through = false
	if r.p.carry != nil {
		r.p.carry.at = p.row
	}
	p.row += b.Len
	return b, nil
}

// unmatchedRows returns the next right rows of the piece that no left row has met, nil at the end and for joins that do not want them.
func (r *spilledReader) unmatchedRows() *vec.Batch {
	p, t := r.pass, r.p.t
	if r.p.met == nil {
		return nil
	}
	if !p.met {
		p.met = true
		for i := range t.rows {
			if !r.p.met.Get(i) {
				p.unmatched = append(p.unmatched, int32(i))
			}
		}
	}
	if len(p.unmatched) == 0 {
		return nil
	}
	rows := p.unmatched[:min(len(p.unmatched), r.p.limit)]
	p.unmatched = p.unmatched[len(rows):]
	r.p.through = true
	return t.unmatched(rows, t.b.j.left)
}

// nextPiece goes to the next piece of the right side, or ends the task.
func (r *spilledReader) nextPiece() error {
	p := r.pass
	r.p.t.drop()
	if p.to < len(p.task.right.blocks) {
		return r.piece()
	}
	r.done(&p.task)
	r.pass, r.p.carry = nil, nil
	return nil
}

// done ends a task.
func (r *spilledReader) done(task *joinTask) {
	if f := task.files; f != nil {
		if f.left--; f.left == 0 {
			r.end(f)
		}
	}
}

func (r *spilledReader) end(f *taskFiles) {
	for _, file := range f.files {
		r.w.run.closeFile(file)
	}
}
