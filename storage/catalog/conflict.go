package catalog

import (
	"github.com/ebira-db/ebira/sql/sqlerr"
)

// Check returns an error of kind Conflict if the Edit, made for the Snapshot base, must not be applied to its successor cur, although
// it could be: somebody else has changed what it relies on. What Apply finds out by itself, such as a row deleted by both, is not looked
// at. base may be older by any number of Edits; the cost is that of the Edit.
func (e *Edit) Check(base, cur *Snapshot) error {
	if base.Version == cur.Version {
		return nil
	}
	for _, op := range e.Ops {
		if err := check(op, base, cur); err != nil {
			return err
		}
	}
	return nil
}

func check(op Op, base, cur *Snapshot) error {
	switch o := op.(type) {
	case *AddSegments:
		return checkWrite(o.Table, base, cur)
	case *AddBatch:
		return checkWrite(o.Table, base, cur)
	case *CreateTable:
		return checkName(o.Table.Database, o.Table.Name, base, cur)
	case *AlterTable:
		if old := base.TableByID(o.Table.ID); old != nil && old.Database == o.Table.Database && old.Name == o.Table.Name {
			return nil
		}
		return checkName(o.Table.Database, o.Table.Name, base, cur)
	case *DropTable:
		return checkDrop(o.ID, base, cur)
	case *PutDatabase:
		if base.hasDatabase(o.Name) != cur.hasDatabase(o.Name) {
			return changedMeanwhile("database", o.Name)
		}
	case *DropDatabase:
		b, _ := base.databases.Get(o.Name)
		c, _ := cur.databases.Get(o.Name)
		if b != c {
			return changedMeanwhile("database", o.Name)
		}
	}
	return checkObject(op, base, cur)
}

// checkObject compares the views, stages, formats and users that an operation replaces or drops.
func checkObject(op Op, base, cur *Snapshot) error {
	switch o := op.(type) {
	case *PutView:
		if err := checkName(o.View.Database, o.View.Name, base, cur); err != nil {
			return err
		}
		return unchanged("view", o.View.Name, objectKey(o.View.Database, o.View.Name), base.views.Get, cur.views.Get)
	case *DropView:
		return unchanged("view", o.Name, objectKey(o.Database, o.Name), base.views.Get, cur.views.Get)
	case *PutStage:
		return unchanged("stage", o.Stage.Name, objectKey(o.Stage.Database, o.Stage.Name), base.stages.Get, cur.stages.Get)
	case *DropStage:
		return unchanged("stage", o.Name, objectKey(o.Database, o.Name), base.stages.Get, cur.stages.Get)
	case *PutFormat:
		return unchanged("file format", o.Format.Name, objectKey(o.Format.Database, o.Format.Name), base.formats.Get, cur.formats.Get)
	case *DropFormat:
		return unchanged("file format", o.Name, objectKey(o.Database, o.Name), base.formats.Get, cur.formats.Get)
	case *PutUser:
		return unchanged("user", o.User.Name, o.User.Name, base.users.Get, cur.users.Get)
	case *DropUser:
		return unchanged("user", o.Name, o.Name, base.users.Get, cur.users.Get)
	}
	return nil
}

func unchanged[V comparable](what, name, key string, base, cur func(string) (V, bool)) error {
	b, _ := base(key)
	c, _ := cur(key)
	if b != c {
		return changedMeanwhile(what, name)
	}
	return nil
}

func changedMeanwhile(what, name string) error {
	return sqlerr.New(sqlerr.Conflict, "%s %s was created, changed or dropped by another statement meanwhile", what, name)
}

func (s *Snapshot) hasDatabase(name string) bool {
	_, ok := s.databases.Get(name)
	return ok
}

// tableID returns what a table name stands for, 0 for nothing.
func (s *Snapshot) tableID(database, name string) TableID {
	d, ok := s.databases.Get(database)
	if !ok {
		return 0
	}
	id, _ := d.tables.Get(name)
	return id
}

func checkName(database, name string, base, cur *Snapshot) error {
	if base.tableID(database, name) != cur.tableID(database, name) {
		return changedMeanwhile("table", database+"."+name)
	}
	return unchanged("view", database+"."+name, objectKey(database, name), base.views.Get, cur.views.Get)
}

// checkDrop refuses to drop a table that has another name or other columns by now.
func checkDrop(id TableID, base, cur *Snapshot) error {
	b, c := base.TableByID(id), cur.TableByID(id)
	if b != nil && c != nil && b.SchemaVersion != c.SchemaVersion {
		return changedMeanwhile("table", b.Database+"."+b.Name)
	}
	return nil
}

// checkWrite refuses rows that were made for columns which have become stricter or have another type: they were not checked against that.
// Columns that were added with a default, dropped or renamed do not matter.
func checkWrite(id TableID, base, cur *Snapshot) error {
	b, c := base.TableByID(id), cur.TableByID(id)
	if b == nil || c == nil || b.SchemaVersion == c.SchemaVersion {
		return nil
	}
	for i := range c.Columns {
		now := &c.Columns[i]
		was := b.Column(now.ID)
		switch {
		case was == nil && now.NotNull && now.DefaultValue == nil,
			was != nil && (now.NotNull && !was.NotNull || !now.Type.Equal(was.Type)):
			return sqlerr.New(sqlerr.Conflict, "column %s of table %s.%s was altered by another statement meanwhile", now.Name, c.Database, c.Name)
		}
	}
	return nil
}

// SameRows returns an error of kind Conflict if the rows of a table are others in cur than in base.
func SameRows(id TableID, base, cur *Snapshot) error {
	b, c := base.TableByID(id), cur.TableByID(id)
	if b != nil && c != nil && b.Changes != c.Changes {
		return sqlerr.New(sqlerr.Conflict, "rows of table %s.%s were added or deleted by another statement meanwhile", c.Database, c.Name)
	}
	return nil
}
