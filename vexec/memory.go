package vexec

import (
	"sync"

	"github.com/ebira-db/ebira/cache"
)

// runMemory shares a query's budget between its operators. Those that can spill charge soft, which is seven eighths of the budget; what
// they need to go on when soft is used up (the batch at hand, a block of each run) and what the others need comes from the rest.
//
// Who finds soft used up makes room: if the build side of a join waits for its probe and is larger than what the asker holds, it goes to
// disk, else the asker's own rows do. Nobody waits for anybody: a build side is spilled once at most, and an asker that holds less than
// chunk takes from the reserve, of which all askers together use half at most.
type runMemory struct {
	soft *cache.Budget
	// limit is the budget's, 0 for none.
	limit int64
	// chunk is how much an asker holds at least before its rows are worth a run on disk.
	chunk int64

	mu   sync.Mutex
	idle map[*joinTable]struct{}
}

const (
	minSpillChunk = 64 << 10
	maxSpillChunk = 8 << 20
)

func (m *runMemory) open(r *run) {
	m.limit = r.budget.Limit()
	m.soft = r.budget.Child("the operators of a query", m.limit-m.limit/8)
	m.chunk = maxSpillChunk
	if m.limit > 0 {
		m.chunk = min(max(m.limit/int64(16*max(r.env.Workers, 1)), minSpillChunk), maxSpillChunk)
	}
	if r.env.Options.ForceSpill {
		m.chunk = 1
	}
	m.idle = map[*joinTable]struct{}{}
}

// room returns how much of soft is left, at least a chunk.
func (m *runMemory) room() int64 {
	if m.limit == 0 {
		return 1 << 40
	}
	return max(m.soft.Limit()-m.soft.Used(), m.chunk)
}

// blockBytes is the size of the blocks that are written one by one and read many at a time.
func (m *runMemory) blockBytes() int64 {
	if m.limit == 0 {
		return 1 << 20
	}
	return min(max(m.limit/256, 8<<10), 1<<20)
}

// charge is what an operator that can spill has in memory.
type charge struct{ soft, reserve *cache.Account }

// charge makes an empty one, which ends with the run.
func (r *run) charge() charge {
	soft := r.memory.soft.Account()
	c := charge{&soft, r.account()}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.accounts = append(r.accounts, c.soft)
	return c
}

// grow takes n bytes of what operators share; force takes them of the reserve. The error is of kind Resource.
func (c charge) grow(n int64) error  { return c.soft.Grow(n) }
func (c charge) force(n int64) error { return c.reserve.Grow(n) }

// shrink gives n bytes back, at most what there is.
func (c charge) shrink(n int64) error {
	k := min(n, c.reserve.Used())
	c.reserve.Shrink(k)
	c.soft.Shrink(min(n-k, c.soft.Used()))
	return nil
}

func (c charge) used() int64 { return c.soft.Used() + c.reserve.Used() }

// clear gives everything back.
func (c charge) clear() {
	c.soft.Close()
	c.reserve.Close()
}

// wait says that t is kept in memory until its probe begins, and may be spilled until then.
func (r *run) wait(t *joinTable) {
	r.memory.mu.Lock()
	defer r.memory.mu.Unlock()
	r.memory.idle[t] = struct{}{}
}

// resume says that t is used now.
func (r *run) resume(t *joinTable) {
	r.memory.mu.Lock()
	defer r.memory.mu.Unlock()
	delete(r.memory.idle, t)
}

// relieve spills the largest build side that waits, if it is larger than what the asker holds itself.
func (r *run) relieve(own int64) (bool, error) {
	m := &r.memory
	if r.env.Spill == nil {
		return false, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var largest *joinTable
	for t := range m.idle {
		if n := t.used(); n > own {
			largest, own = t, n
		}
	}
	if largest == nil {
		return false, nil
	}
	delete(m.idle, largest)
	return true, largest.spillAll()
}

// uses is implemented by sources and operators that read what a sink has collected.
type uses interface{ uses() sink }

// releaser is implemented by states of sinks that hold much.
type releaser interface {
	// release gives up what the state holds; the last pipeline that reads it has ended.
	release()
}

// lastUses tells for each sink the last pipeline that reads it.
func lastUses(pipelines []*pipeline) map[sink]int {
	out := map[sink]int{}
	for i, p := range pipelines {
		noteUses(p, i, nil, out)
	}
	return out
}

// noteUses notes that p reads sinks while pipeline i runs: the steps of a recursion run at the end of its base. of is the recursion that p
// is part of a step of.
func noteUses(p *pipeline, i int, of *recursive, out map[sink]int) {
	if u, ok := p.src.(uses); ok {
		out[u.uses()] = i
	}
	for _, op := range p.ops {
		if u, ok := op.(uses); ok {
			out[u.uses()] = i
		}
	}
	if rec, ok := p.sink.(*recursive); ok && rec != of {
		for _, step := range rec.steps {
			noteUses(step, i, rec, out)
		}
	}
}

// releaseAfter releases the sinks whose last reader was pipeline i.
func (r *run) releaseAfter(i int) {
	for s, last := range r.q.lastUse {
		if st, ok := r.sinks[s].(releaser); ok && last == i {
			st.release()
		}
	}
}
