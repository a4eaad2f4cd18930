package session

import (
	"context"

	"github.com/ebira-db/ebira/sql/bind"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/stage"
)

// runQuery is COPY INTO t FROM (SELECT ... FROM @stage): the query's columns go to the table's in order. Such a load never evolves the
// table.
func (l *load) runQuery(ctx context.Context) (*Result, error) {
	if l.o.evolution != nil {
		return nil, sqlerr.At(sqlerr.Bind, l.o.evolution.pos, "a COPY from a query adds no columns; load from the location itself")
	}
	l.c.load = l
	r, err := bind.Query(l.c.env, l.st.Query)
	if err != nil {
		return nil, err
	}
	if err := noParams(l.st, r.Params); err != nil {
		return nil, err
	}
	if l.place == nil {
		return nil, sqlerr.At(sqlerr.Bind, l.st.Query.Pos(), "the query reads no staged files; use INSERT INTO ... SELECT")
	}
	if len(l.files) == 0 {
		return l.result(), nil
	}
	n, err := bind.Rows(l.c.env, r.Plan, l.table, l.st.Columns)
	if err != nil {
		return nil, err
	}
	w, err := l.c.run(ctx, l.st.SourceText(), n)
	if err != nil {
		l.keepErrors(ctx, err)
		return nil, err
	}
	defer w.lease.End()
	if err := l.commit(ctx, w); err != nil {
		return nil, err
	}
	l.c.view.ended(l.purge)
	return l.result(), nil
}

// queryFiles picks the files of the one location that the query may read.
func (l *load) queryFiles(st *parse.StageTable, p *place, files []stage.File) ([]stage.File, error) {
	if l.place != nil {
		return nil, sqlerr.At(sqlerr.Unsupported, st.Pos(), "the query of a COPY reads one location only")
	}
	l.place = p
	err := l.pick(files, st.Pos())
	return l.files, err
}

// noParams refuses the parameters that binding a query found: COPY has none, and $1 is a column of the staged files if they have it.
func noParams(st parse.Statement, params []types.Type) error {
	if len(params) == 0 {
		return nil
	}
	return sqlerr.At(sqlerr.Unsupported, st.Parameters()[0].Pos(), "parameters are not supported in this statement")
}
