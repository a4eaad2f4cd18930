// Package vexec runs logical plans: physical operators in push pipelines, fed by morsels, on a fixed number of workers.
// It must not know SQL text, sessions or how a table's changes become durable: it writes segments but never commits them.
// Goroutines are started in scheduler.go only and wait for each other only there and in gate.go; everything called a step, a reader or a
// local belongs to one worker, and the states that workers share guard themselves.
//
// # Shape
//
// Build turns a plan into pipelines. A pipeline is a source, a chain of operators and a sink:
//
//	source ── morsel ──▶ reader ──▶ step ──▶ step ──▶ … ──▶ sink step       one such chain for each worker
//
// A description (source, operator, sink) is immutable and may be run many times. open makes the state that the workers of one run
// share, local makes what one worker owns. Workers draw morsel numbers from one counter, so a morsel is never shared.
//
// Breakers (hash build, aggregate, sort) are sinks whose result is the source of a later pipeline; pipelines run one after the
// other, each with all workers. Several pipelines may end in one sink (UNION ALL, the unmatched rows of an outer join).
//
// # Order
//
// A gate lets the batches of a pipeline pass in the order of its morsels, one at a time. LIMIT and the final output sit behind
// one, so rows come in the order of the table and LIMIT without ORDER BY always takes the same rows.
package vexec
