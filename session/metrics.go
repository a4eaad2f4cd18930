package session

import (
	"sync/atomic"
	"time"

	"github.com/ebira-db/ebira/cache"
)

// Metric is one figure of the server; the names follow Prometheus' habits.
type Metric struct {
	Name  string
	Value float64
	Help  string
}

// counters add up what statements did since the start.
type counters struct {
	statements, failures, rows, nanos atomic.Int64
	rowsWritten, filesLoaded          atomic.Int64
}

func (c *counters) note(q *Query, err error) {
	c.statements.Add(1)
	if err != nil {
		c.failures.Add(1)
	}
	c.rows.Add(q.rows.Load())
	c.nanos.Add(int64(q.Elapsed()))
}

// Metrics returns all figures, sorted by name within their groups.
func (e *Engine) Metrics() []Metric {
	e.mu.Lock()
	sessions, running := e.sessions, len(e.running)
	e.mu.Unlock()
	txns := e.txns.Load()
	c := &e.counts
	out := []Metric{
		{"ebira_uptime_seconds", time.Since(e.started).Seconds(), "seconds since the engine was opened"},
		{"ebira_sessions", float64(sessions), "open sessions"},
		{"ebira_transactions", float64(txns), "open explicit transactions"},
		{"ebira_statements_running", float64(running), "statements that run"},
		{"ebira_statements_queued", float64(e.slots.waiting.Load()), "statements that wait for others to end"},
		{"ebira_statements_total", float64(c.statements.Load()), "statements ended"},
		{"ebira_statements_failed_total", float64(c.failures.Load()), "statements that failed"},
		{"ebira_statement_seconds_total", float64(c.nanos.Load()) / 1e9, "time of all ended statements"},
		{"ebira_rows_returned_total", float64(c.rows.Load()), "rows of results"},
		{"ebira_rows_written_total", float64(c.rowsWritten.Load()), "rows inserted, loaded or updated"},
		{"ebira_files_loaded_total", float64(c.filesLoaded.Load()), "files loaded by COPY INTO"},
		{"ebira_memory_limit_bytes", float64(e.cfg.MemoryLimit), "the memory limit"},
		{"ebira_memory_queries_bytes", float64(e.memory.Queries.Used()), "memory charged to running queries"},
		{"ebira_memory_queries_peak_bytes", float64(e.memory.Queries.Peak()), "the most memory charged to queries at once"},
		{"ebira_spill_bytes", float64(e.spill.Used()), "bytes on disk of queries that spill"},
		{"ebira_spill_bytes_total", float64(e.spill.Total()), "bytes that queries have spilled"},
	}
	out = append(out, cacheMetrics("ebira_segment_cache", e.meta.Metrics())...)
	return append(out, cacheMetrics("ebira_page_cache", e.pages.Metrics())...)
}

func cacheMetrics(prefix string, m cache.Metrics) []Metric {
	return []Metric{
		{prefix + "_bytes", float64(m.Bytes), "bytes held"},
		{prefix + "_entries", float64(m.Entries), "entries held"},
		{prefix + "_evictions_total", float64(m.Evictions), "entries given up"},
		{prefix + "_hits_total", float64(m.Hits), "look-ups that found their entry"},
		{prefix + "_limit_bytes", float64(m.MaxBytes), "the most bytes held"},
		{prefix + "_misses_total", float64(m.Misses), "look-ups that had to load"},
		{prefix + "_rejected_total", float64(m.Rejected), "entries that were not worth keeping"},
	}
}
