package session

import (
	"context"
	"slices"

	"github.com/ebira-db/ebira/sql/bind"
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/store"
	"github.com/ebira-db/ebira/vec"
)

// alteration is one ALTER TABLE under way: the table as it will be, and what its rows must be to become that.
type alteration struct {
	s    *Session
	snap *catalog.Snapshot
	old  *catalog.Table
	t    *catalog.Table
	// with is the table that exchanges its name with this one, nil mostly.
	with *catalog.Table
	// fits are the columns whose values must keep their meaning under the new type; rewrite says that they must be stored anew.
	fits    map[catalog.ColumnID]int // and where the statement says so
	rewrite bool
	// filled are the columns that must not hold NULL.
	filled map[catalog.ColumnID]int
	// empty says that the table must have no rows, and had none.
	empty bool
}

// modify is MODIFY COLUMN: the whole definition of a column anew, or its comment alone.
func (a *alteration) modify(m *parse.ModifyColumn) error {
	c, err := column(a.t, m.Column.Name)
	if err != nil {
		return err
	}
	n := *c
	switch {
	case m.Column.Type != nil:
		if n, err = a.s.buildColumn(&m.Column); err != nil {
			return err
		}
		n.ID, n.Name = c.ID, c.Name
		if m.Column.Comment == nil {
			n.Comment = c.Comment
		}
	case m.Column.Comment != nil:
		n.Comment = m.Column.Comment.Value
	}
	if err := a.change(c, n, m.Pos()); err != nil {
		return err
	}
	return a.place(c.ID, m.First, m.After)
}

// alterColumn is ALTER COLUMN: one change of a column.
func (a *alteration) alterColumn(m *parse.AlterColumn) error {
	c, err := column(a.t, m.Name)
	if err != nil {
		return err
	}
	n := *c
	switch {
	case m.Type != nil:
		def := parse.ColumnDef{Name: m.Name, Type: m.Type}
		built, err := a.s.buildColumn(&def)
		if err != nil {
			return err
		}
		n.Type = built.Type
		if n.Default != "" && !n.Type.Equal(c.Type) {
			if n.DefaultValue, err = bind.DefaultOf(a.s.bindEnv(nil), &n); err != nil {
				return sqlerr.At(sqlerr.KindOf(err), m.Pos(), "%s; DROP DEFAULT first", message(err))
			}
		}
	case m.DropDefault:
		n.Default = ""
	case m.Default != nil:
		typ := *c
		typ.Default, typ.DefaultValue = m.DefaultText, nil
		if _, err := bind.DefaultOf(a.s.bindEnv(nil), &typ); err != nil {
			return sqlerr.At(sqlerr.KindOf(err), m.Default.Pos(), "%s", message(err))
		}
		n.Default = m.DefaultText
	case m.Comment != nil:
		n.Comment = m.Comment.Value
	default:
		n.NotNull = m.Null == parse.NotNull
	}
	return a.change(c, n, m.Pos())
}

// change puts n in the place of column c and notes what that asks of the rows.
func (a *alteration) change(c *catalog.Column, n catalog.Column, pos int) error {
	from, to := c.Type, n.Type
	switch {
	case from.Equal(to):
		n.DefaultValue = c.DefaultValue
	case from.Kind == types.Variant && to.Kind == types.Variant:
		if err := extendsTemplate(from.Variant, to.Variant); err != nil {
			return sqlerr.WithPlace(err, pos)
		}
		n.DefaultValue = c.DefaultValue
	case from.Kind == types.Varchar && to.Kind == types.Varchar:
		if to.Length > 0 && (from.Length == 0 || to.Length < from.Length) {
			a.fits[c.ID] = pos
		}
		n.DefaultValue = c.DefaultValue
	case from.IsVariant():
		return sqlerr.At(sqlerr.Unsupported, pos, "column %s cannot change from %s to %s, because what does not convert would be lost; add a column and UPDATE it", c.Name, from, to)
	case function.CanCast(from, to) == function.No:
		return sqlerr.At(sqlerr.Type, pos, "column %s cannot change from %s to %s", c.Name, from, to)
	default:
		a.fits[c.ID], a.rewrite = pos, true
	}
	if n.NotNull && !c.NotNull {
		a.filled[c.ID] = pos
	}
	i := indexOf(a.t, c)
	a.t.Columns = slices.Clone(a.t.Columns)
	a.t.Columns[i] = n
	return nil
}

// place moves a column to the front or behind another one.
func (a *alteration) place(id catalog.ColumnID, first bool, after parse.Ident) error {
	if !first && after.Name == "" {
		return nil
	}
	to := 0
	if !first {
		c, err := column(a.t, after)
		if err != nil {
			return err
		}
		if c.ID == id {
			return nil
		}
		to = indexOf(a.t, c) + 1
	}
	from := slices.IndexFunc(a.t.Columns, func(c catalog.Column) bool { return c.ID == id })
	moved := a.t.Columns[from]
	cols := slices.Delete(slices.Clone(a.t.Columns), from, from+1)
	if from < to {
		to--
	}
	a.t.Columns = slices.Insert(cols, to, moved)
	return nil
}

// commit checks the rows, stores them anew where that is needed, and commits all of it.
func (a *alteration) commit(ctx context.Context, v *View, st *parse.AlterTable) (*Result, error) {
	e := &catalog.Edit{Ops: a.ops()}
	var lease *store.Lease
	rows := a.empty
	if len(a.fits)+len(a.filled) > 0 {
		rows = true
		c := a.s.newCall(v, nil)
		if err := a.verify(ctx, c, st.SourceText()); err != nil {
			return nil, err
		}
		if a.rewrite {
			w, err := c.run(ctx, st.SourceText(), a.copyPlan())
			if err != nil {
				return nil, err
			}
			defer w.lease.End()
			lease = w.lease
			e.Add(&catalog.Truncate{Table: a.t.ID, KeepLoads: true})
			e.Add(w.ops(a.t)...)
		}
	}
	var check store.Check
	if rows {
		base := v.base()
		check = func(cur *catalog.Snapshot) error { return catalog.SameRows(a.t.ID, base, cur) }
	}
	if err := v.commit(ctx, e, check, lease); err != nil {
		return nil, err
	}
	return &Result{}, nil
}

// ops are the changes of the definitions. Where two tables exchange their names, one has another name in between.
func (a *alteration) ops() []catalog.Op {
	change := &catalog.AlterTable{Table: a.t, From: a.old.SchemaVersion}
	if a.with == nil {
		return []catalog.Op{change}
	}
	between, other, last := *a.t, *a.with, *a.t
	between.Name += "\x00" // a name cannot hold NUL, so nobody has this one
	other.Database, other.Name = a.old.Database, a.old.Name
	other.SchemaVersion++
	last.Database, last.Name = a.with.Database, a.with.Name
	last.SchemaVersion++
	change.Table = &between
	return []catalog.Op{change, &catalog.AlterTable{Table: &other, From: a.with.SchemaVersion}, &catalog.AlterTable{Table: &last, From: between.SchemaVersion}}
}

// verify reads the columns that change. A value is never changed to fit a type: one that would be is the error.
func (a *alteration) verify(ctx context.Context, c *call, text string) error {
	for id, pos := range a.filled {
		c := a.t.Column(id)
		if c != nil && a.old.Column(id) == nil && c.DefaultValue == nil && a.old.Rows() > 0 {
			return sqlerr.At(sqlerr.Constraint, pos, "column %s is NOT NULL and needs a DEFAULT for the rows that exist", c.Name)
		}
	}
	scan := &plan.Scan{Table: a.old}
	for i := range a.old.Columns {
		col := &a.old.Columns[i]
		if a.t.Column(col.ID) == nil {
			continue // dropped by the same statement
		}
		_, fits := a.fits[col.ID]
		_, filled := a.filled[col.ID]
		if fits || filled {
			scan.Columns = append(scan.Columns, plan.ScanColumn{ID: col.ID, Name: col.Name, Type: col.Type})
		}
	}
	scan.Out = plan.ScanSchema(a.old, scan.Columns, false)
	fn := *c.fn
	fn.Rounding = false
	w, err := c.runTo(ctx, text, scan, func(b *vec.Batch) error {
		for i, v := range b.Cols {
			if err := a.verifyColumn(&fn, a.t.Column(scan.Columns[i].ID), v); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		w.lease.End()
	}
	return err
}

func (a *alteration) verifyColumn(fn *function.Ctx, c *catalog.Column, v *vec.Vector) error {
	if pos, ok := a.filled[c.ID]; ok && v.HasNulls() {
		return sqlerr.At(sqlerr.Constraint, pos, "column %s holds NULLs and cannot become NOT NULL; UPDATE them first", c.Name)
	}
	if pos, ok := a.fits[c.ID]; ok {
		if _, err := function.Assign(fn, v, c.Type, false); err != nil {
			return sqlerr.At(sqlerr.KindOf(err), pos, "column %s cannot become %s: %s", c.Name, c.Type, message(err))
		}
	}
	return nil
}

// copyPlan writes the rows of the old table as those of the new one.
func (a *alteration) copyPlan() plan.Node {
	scan := plan.NewScan(a.old, false)
	p := &plan.Project{Input: scan}
	for i := range a.t.Columns {
		c := &a.t.Columns[i]
		j := slices.IndexFunc(a.old.Columns, func(o catalog.Column) bool { return o.ID == c.ID })
		var x expr.Expr
		switch {
		case j >= 0:
			x = &expr.Column{Index: j, Name: c.Name, T: scan.Out[j].Type}
		case c.DefaultValue != nil:
			x = &expr.Const{Value: vec.Flatten(c.DefaultValue)}
		default:
			x = &expr.Const{Value: vec.NewNull(c.Type, 1)}
		}
		if !x.Type().Equal(c.Type) && !(x.Type().IsVariant() && c.Type.IsVariant()) {
			x = &expr.Cast{Arg: x, To: c.Type}
		}
		p.Exprs = append(p.Exprs, x)
		p.Out = append(p.Out, types.Field{Name: c.Name, Type: c.Type})
	}
	return &plan.Write{Input: p, Table: a.t}
}
