package vexec

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// worker is one of the goroutines of a run, as steps and readers see it.
type worker struct {
	id  int
	run *run
	// seq numbers the current morsel over all pipelines of the run: batches sorted by it are in the order of the input.
	seq int64
}

// check returns an error if the run is to stop. Loops that may take long between batches must call it.
func (w *worker) check() error { return w.run.check() }

// execution is one pipeline being run.
type execution struct {
	run     *run
	p       *pipeline
	src     sourceState
	base    int64 // seq of morsel 0
	cursor  atomic.Int64
	stopped atomic.Bool // no more batches are wanted
	gate    *gate       // nil if the whole chain belongs to the worker
	tail    step        // what is behind the gate
	tally   *tally
}

// execute runs one pipeline to its end.
func (r *run) execute(p *pipeline) error {
	src, err := p.src.open(r)
	if err != nil {
		return err
	}
	if err := r.fitJoins(p); err != nil {
		return err
	}
	if err := r.openStates(p); err != nil {
		return err
	}
	e := &execution{run: r, p: p, src: src, base: r.seq, tally: r.q.progress.begin(p.src, src)}
	defer e.tally.end()
	n := src.morsels()
	r.seq += int64(n)
	workers := min(max(r.env.Workers, 1), n)
	if p.serial {
		workers = min(workers, 1)
	}
	if workers > 1 && p.gate >= 0 {
		if err := e.openGate(workers); err != nil {
			return err
		}
		defer e.gate.stop()
	}
	return r.parallel(workers, func(id int) error { return e.work(id, n) })
}

// openGate builds the shared part of the chain.
func (e *execution) openGate(workers int) error {
	tail := &worker{run: e.run}
	s, err := e.chain(tail, e.p.gate, len(e.p.ops), nil)
	if err != nil {
		return err
	}
	e.tail = s
	e.gate = newGate(e.run.ctx, tail, s, e.base, workers)
	return nil
}

// chain builds the steps of ops[from:to] and, if next is nil, of the sink behind them.
func (e *execution) chain(w *worker, from, to int, next step) (step, error) {
	r := e.run
	if next == nil {
		s, err := r.sinks[e.p.sink].local(w)
		if err != nil {
			return nil, err
		}
		next = r.meter(e.p.sink, s)
	}
	for i := to - 1; i >= from; i-- {
		s, err := r.operators[e.p.ops[i]].local(w, next)
		if err != nil {
			return nil, err
		}
		next = r.meter(e.p.ops[i], s)
	}
	return next, nil
}

// work is the life of one worker in a pipeline of n morsels.
func (e *execution) work(id, n int) error {
	w := &worker{id: id, run: e.run}
	var head step
	var err error
	if e.gate != nil {
		head, err = e.chain(w, 0, e.p.gate, e.gate.entry(w))
	} else {
		head, err = e.chain(w, 0, len(e.p.ops), nil)
	}
	if err != nil {
		return err
	}
	rd, err := e.src.reader(w)
	if err != nil {
		return err
	}
	defer rd.close()
	stat := e.run.statOf(e.p.src)
	turn := time.Now()
	for !e.stopped.Load() {
		m := int(e.cursor.Add(1)) - 1
		if m >= n {
			break
		}
		w.seq = e.base + int64(m)
		if err := e.morsel(w, rd, head, m, stat, &turn); err != nil {
			return err
		}
		e.tally.done(m)
	}
	return head.finish()
}

// turnTime is how long a worker goes on before it lets the workers of other queries have the processor. The scheduler of Go would let it
// have ten times as much, and a short query would wait for that behind each worker of each long one.
const turnTime = time.Millisecond

// morsel reads morsel m to its end or until nobody wants more. turn is when the worker last had to wait for the processor.
func (e *execution) morsel(w *worker, rd reader, head step, m int, stat *opStat, turn *time.Time) error {
	start := time.Now()
	if err := rd.start(m); err != nil {
		return err
	}
	for !e.stopped.Load() {
		if err := w.check(); err != nil {
			return err
		}
		b, err := rd.next()
		if err != nil {
			return err
		}
		stat.add(b, time.Since(start))
		if b == nil {
			break
		}
		st, err := head.push(b)
		if err != nil {
			return err
		}
		if st == done {
			e.stopped.Store(true)
		}
		start = time.Now()
		if start.Sub(*turn) > turnTime {
			runtime.Gosched()
			start = time.Now()
			*turn = start
		}
	}
	return head.endMorsel()
}

// parallel calls f(0) to f(n-1) on as many goroutines, at most Env.Workers of them at a time, and waits for all. The first error
// stops the whole run. A panic becomes an error.
func (r *run) parallel(n int, f func(i int) error) error {
	if n <= 1 {
		for i := range n {
			if err := r.guard(f, i); err != nil {
				r.fail(err)
			}
		}
		return r.check()
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, max(r.env.Workers, 1)) {
		wg.Go(func() {
			for r.check() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := r.guard(f, i); err != nil {
					r.fail(err)
				}
			}
		})
	}
	wg.Wait()
	return r.check()
}

// guard calls f(i) and turns a panic into an error of kind Internal, so that a bug ends the query and not the process.
func (r *run) guard(f func(int) error, i int) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicError(p)
		}
	}()
	return f(i)
}

// Bug is the cause in the error of a query that panicked. Stack is for the log, not for the user.
type Bug struct {
	Text  string
	Stack string
}

// Error returns the panic's text, which starts with "BUG:".
func (b *Bug) Error() string { return b.Text }

// panicError describes a recovered panic.
func panicError(p any) error {
	text := fmt.Sprint(p)
	if !strings.HasPrefix(text, "BUG:") {
		text = "BUG: " + text
	}
	return sqlerr.Wrap(sqlerr.Internal, &Bug{text, string(debug.Stack())}, "the query met a programming error")
}

// fail stops the run with err; later errors are dropped.
func (r *run) fail(err error) { r.cancel(err) }

// check returns why the run is to stop, nil if it goes on.
func (r *run) check() error {
	if r.ctx.Err() == nil {
		return nil
	}
	return cause(r.ctx)
}

// cause tells a canceled or late query from one that failed.
func cause(ctx context.Context) error {
	err := context.Cause(ctx)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return sqlerr.Wrap(sqlerr.Canceled, err, "query took too long")
	case errors.Is(err, context.Canceled):
		return sqlerr.Wrap(sqlerr.Canceled, err, "query was canceled")
	}
	return err
}
