package session

import (
	"sort"

	"github.com/ebira-db/ebira/sql/types"
)

func double(name string) types.Field { return types.Field{Name: name, Type: types.Of(types.Double)} }

// queriesSchema are the columns of system.queries, the statements that run: own tells those of the session that asks.
var queriesSchema = []types.Field{bigint("query_id"), text("user"), text("database"), text("state"), instant("started"), double("seconds"), double("progress"),
	bigint("rows_read"), bigint("rows_total"), bigint("bytes_read"), bigint("bytes_total"), bigint("rows"), bigint("memory_bytes"), bigint("peak_bytes"), boolean("own"), text("query")}

// queryLogSchema are the columns of system.query_log, the statements that have ended.
var queryLogSchema = []types.Field{bigint("query_id"), text("user"), text("database"), text("state"), instant("started"), double("seconds"),
	bigint("rows"), bigint("rows_written"), bigint("rows_read"), bigint("bytes_read"), bigint("peak_bytes"), text("error"), text("query")}

func fillQueries(c *call, out *rowsBuilder) error {
	for _, q := range c.s.engine.Running() {
		p, memory := q.Progress(), q.memory()
		out.add(q.ID, orNull(q.User), q.Database, q.State(), q.Started.UnixMicro(), q.Elapsed().Seconds(), p.Fraction(),
			p.RowsDone, p.RowsTotal, p.BytesDone, p.BytesTotal, q.rows.Load(), memory, max(memory, q.peak.Load()), q.sess == c.s.state, q.Text)
	}
	return nil
}

func fillQueryLog(c *call, out *rowsBuilder) error {
	e := c.s.engine
	e.mu.Lock()
	list := append([]*Query(nil), e.recent...)
	e.mu.Unlock()
	sort.Slice(list, func(i, j int) bool { return list[i].ID < list[j].ID })
	for _, q := range list {
		var msg any
		if err := q.failed.Load(); err != nil {
			msg = (*err).Error()
		}
		p := q.Progress()
		out.add(q.ID, orNull(q.User), q.Database, q.State(), q.Started.UnixMicro(), q.Elapsed().Seconds(),
			q.rows.Load(), q.written.Load(), p.RowsDone, p.BytesDone, q.peak.Load(), msg, q.Text)
	}
	return nil
}
