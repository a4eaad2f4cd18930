package vexec

import "sync"

// ofWorker is embedded by the steps of sinks that several pipelines of one worker share: w is the worker in the pipeline that runs now.
type ofWorker struct{ w *worker }

// serves tells whether the step belongs to w.
func (o *ofWorker) serves(w *worker) bool { return o.w != nil && o.w.id == w.id }

// bind makes the step work for w.
func (o *ofWorker) bind(w *worker) { o.w = w }

// localStep returns the step of worker w among locals, which mu guards, and binds it to w. A worker without one gets what fresh makes.
func localStep[S interface {
	step
	serves(w *worker) bool
	bind(w *worker)
}](mu *sync.Mutex, locals *[]S, w *worker, fresh func() S) S {
	mu.Lock()
	defer mu.Unlock()
	for _, l := range *locals {
		if l.serves(w) {
			l.bind(w)
			return l
		}
	}
	l := fresh()
	l.bind(w)
	*locals = append(*locals, l)
	return l
}
