package catalog

import (
	"slices"

	"github.com/benbjohnson/immutable"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/segment"
)

// Apply returns the Snapshot that follows s. On error nothing has changed. The cost is that of the edit, not of the Snapshot.
func (s *Snapshot) Apply(e *Edit) (*Snapshot, error) {
	next := *s
	next.Version++
	for _, op := range e.Ops {
		if err := op.apply(&next); err != nil {
			return nil, err
		}
	}
	return &next, nil
}

// Fork returns s as the base of uncommitted changes (the view of an open transaction): its descendants never share lists with the
// committed line.
func (s *Snapshot) Fork() *Snapshot {
	f := *s
	f.fork = true
	return &f
}

// used raises NextID above an id that an operation brings in.
func (s *Snapshot) used(id uint64) { s.NextID = max(s.NextID, id+1) }

func (o *Reserve) apply(s *Snapshot) error {
	s.NextID = max(s.NextID, o.Next)
	return nil
}

func (o *PutDatabase) apply(s *Snapshot) error {
	d := newDatabase(o.Name)
	if old, ok := s.databases.Get(o.Name); ok {
		d.tables = old.tables
	}
	d.Comment = o.Comment
	s.databases = s.databases.Set(o.Name, d)
	return nil
}

func (o *RenameDatabase) apply(s *Snapshot) error {
	d, ok := s.databases.Get(o.From)
	if !ok {
		return sqlerr.New(sqlerr.NotFound, "database %s does not exist", o.From)
	}
	if _, taken := s.databases.Get(o.To); taken {
		return sqlerr.New(sqlerr.Exists, "database %s exists already", o.To)
	}
	renamed := *d
	renamed.Name = o.To
	s.databases = s.databases.Delete(o.From).Set(o.To, &renamed)
	for _, t := range s.Tables(&renamed) {
		moved := *t
		moved.Database = o.To
		s.tables = s.tables.Set(t.ID, &moved)
	}
	for _, v := range s.Views() {
		if v.Database == o.From || v.Home == o.From {
			moved := *v
			if v.Database == o.From {
				moved.Database = o.To
			}
			if v.Home == o.From {
				moved.Home = o.To
			}
			s.views = s.views.Delete(objectKey(v.Database, v.Name)).Set(objectKey(moved.Database, v.Name), &moved)
		}
	}
	for _, st := range s.Stages() {
		if st.Database == o.From {
			moved := *st
			moved.Database = o.To
			s.stages = s.stages.Delete(objectKey(o.From, st.Name)).Set(objectKey(o.To, st.Name), &moved)
		}
	}
	for _, f := range s.Formats() {
		if f.Database == o.From {
			moved := *f
			moved.Database = o.To
			s.formats = s.formats.Delete(objectKey(o.From, f.Name)).Set(objectKey(o.To, f.Name), &moved)
		}
	}
	return nil
}

func (o *DropDatabase) apply(s *Snapshot) error {
	d, ok := s.databases.Get(o.Name)
	if !ok {
		return sqlerr.New(sqlerr.NotFound, "database %s does not exist", o.Name)
	}
	for _, id := range values(d.tables) {
		s.tables = s.tables.Delete(id)
	}
	for _, v := range s.Views() {
		if v.Database == o.Name {
			s.views = s.views.Delete(objectKey(o.Name, v.Name))
		}
	}
	for _, st := range s.Stages() {
		if st.Database == o.Name {
			s.stages = s.stages.Delete(objectKey(o.Name, st.Name))
		}
	}
	for _, f := range s.Formats() {
		if f.Database == o.Name {
			s.formats = s.formats.Delete(objectKey(o.Name, f.Name))
		}
	}
	s.databases = s.databases.Delete(o.Name)
	return nil
}

func (o *CreateTable) apply(s *Snapshot) error {
	if err := s.name(o.Table.Database, o.Table.Name, o.Table.ID); err != nil {
		return err
	}
	t := *o.Table
	s.used(uint64(t.ID))
	s.tables = s.tables.Set(t.ID, &t)
	return nil
}

// name enters a table name into its database.
func (s *Snapshot) name(database, name string, id TableID) error {
	d, ok := s.databases.Get(database)
	if !ok {
		return sqlerr.New(sqlerr.NotFound, "database %s does not exist", database)
	}
	if _, taken := d.tables.Get(name); taken {
		return sqlerr.New(sqlerr.Exists, "table %s.%s exists already", database, name)
	}
	if _, taken := s.views.Get(objectKey(database, name)); taken {
		return sqlerr.New(sqlerr.Exists, "%s.%s exists already as a view", database, name)
	}
	nd := *d
	nd.tables = d.tables.Set(name, id)
	s.databases = s.databases.Set(database, &nd)
	return nil
}

// unname removes a table name from its database.
func (s *Snapshot) unname(database, name string) {
	if d, ok := s.databases.Get(database); ok {
		nd := *d
		nd.tables = d.tables.Delete(name)
		s.databases = s.databases.Set(database, &nd)
	}
}

// table returns a private copy of a table, which the caller changes and stores with put.
func (s *Snapshot) table(id TableID) (*Table, error) {
	t, ok := s.tables.Get(id)
	if !ok {
		return nil, sqlerr.New(sqlerr.Conflict, "the table was dropped by another statement meanwhile")
	}
	c := *t
	return &c, nil
}

func (s *Snapshot) put(t *Table) error {
	s.tables = s.tables.Set(t.ID, t)
	return nil
}

func (o *AlterTable) apply(s *Snapshot) error {
	old, err := s.table(o.Table.ID)
	if err != nil {
		return err
	}
	if old.SchemaVersion != o.From {
		return sqlerr.New(sqlerr.Conflict, "the columns of table %s were changed by another statement meanwhile", old.Name)
	}
	t := *o.Table
	t.Segments, t.Batches, t.deletes, t.loads, t.Changes = old.Segments, old.Batches, old.deletes, old.loads, old.Changes
	if t.Database != old.Database || t.Name != old.Name {
		s.unname(old.Database, old.Name)
		if err := s.name(t.Database, t.Name, t.ID); err != nil {
			return err
		}
	}
	return s.put(&t)
}

func (o *DropTable) apply(s *Snapshot) error {
	t, err := s.table(o.ID)
	if err != nil {
		return err
	}
	s.unname(t.Database, t.Name)
	s.tables = s.tables.Delete(o.ID)
	return nil
}

// extend appends to a list. Along the committed line of Snapshots the backing array is shared, so that a commit costs O(edit): nobody
// reads behind the length of an older list, and only the newest is extended. A fork copies.
func extend[T any](s *Snapshot, list []T, items ...T) []T {
	if s.fork {
		list = slices.Clip(list)
	}
	return append(list, items...)
}

func (o *AddSegments) apply(s *Snapshot) error {
	t, err := s.table(o.Table)
	if err != nil {
		return err
	}
	for _, m := range o.Segments {
		s.used(uint64(m.ID))
	}
	t.Segments = extend(s, t.Segments, o.Segments...)
	t.Changes++
	return s.put(t)
}

func (o *AddBatch) apply(s *Snapshot) error {
	t, err := s.table(o.Table)
	if err != nil {
		return err
	}
	s.used(uint64(o.Batch.ID))
	t.Batches = extend(s, t.Batches, o.Batch)
	t.Changes++
	return s.put(t)
}

func (o *Replace) apply(s *Snapshot) error {
	t, err := s.table(o.Table)
	if err != nil {
		return err
	}
	gone := make(map[segment.ID]bool, len(o.Remove))
	for _, id := range o.Remove {
		gone[id] = true
	}
	found := 0
	t.Segments = slices.DeleteFunc(slices.Clone(t.Segments), func(m *segment.Meta) bool { found += btoi(gone[m.ID]); return gone[m.ID] })
	t.Batches = slices.DeleteFunc(slices.Clone(t.Batches), func(b *Batch) bool { found += btoi(gone[b.ID]); return gone[b.ID] })
	if found != len(gone) {
		return sqlerr.New(sqlerr.Conflict, "table %s lost rows to another statement while they were rewritten", t.Name)
	}
	for _, m := range o.Add {
		s.used(uint64(m.ID))
	}
	t.Segments = append(t.Segments, o.Add...)
	for id := range gone {
		if t.deletes != nil {
			t.deletes = t.deletes.Delete(id)
		}
	}
	return s.put(t)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (o *DeleteRows) apply(s *Snapshot) error {
	t, err := s.table(o.Table)
	if err != nil {
		return err
	}
	known := slices.ContainsFunc(t.Segments, func(m *segment.Meta) bool { return m.ID == o.Target }) ||
		slices.ContainsFunc(t.Batches, func(b *Batch) bool { return b.ID == o.Target })
	if !known {
		return sqlerr.New(sqlerr.Conflict, "rows of table %s to be deleted were moved by another statement meanwhile", t.Name)
	}
	if t.deletes == nil {
		t.deletes = immutable.NewMap[segment.ID, *DeletionVector](idHasher[segment.ID]{})
	}
	old, _ := t.deletes.Get(o.Target)
	if old.Intersects(o.Rows) {
		return sqlerr.New(sqlerr.Conflict, "rows of table %s were deleted by another statement meanwhile", t.Name)
	}
	t.deletes = t.deletes.Set(o.Target, old.Union(o.Rows))
	t.Changes++
	return s.put(t)
}

func (o *Truncate) apply(s *Snapshot) error {
	t, err := s.table(o.Table)
	if err != nil {
		return err
	}
	t.Segments, t.Batches, t.deletes = nil, nil, nil
	if !o.KeepLoads {
		t.loads = nil
	}
	t.Changes++
	return s.put(t)
}

func (o *PutView) apply(s *Snapshot) error {
	v := o.View
	d, ok := s.databases.Get(v.Database)
	if !ok {
		return sqlerr.New(sqlerr.NotFound, "database %s does not exist", v.Database)
	}
	if _, taken := d.tables.Get(v.Name); taken {
		return sqlerr.New(sqlerr.Exists, "%s.%s exists already as a table", v.Database, v.Name)
	}
	s.views = s.views.Set(objectKey(v.Database, v.Name), v)
	return nil
}

func (o *DropView) apply(s *Snapshot) error {
	s.views = s.views.Delete(objectKey(o.Database, o.Name))
	return nil
}

func (o *PutStage) apply(s *Snapshot) error {
	s.used(o.Stage.ID)
	s.stages = s.stages.Set(objectKey(o.Stage.Database, o.Stage.Name), o.Stage)
	return nil
}

func (o *DropStage) apply(s *Snapshot) error {
	s.stages = s.stages.Delete(objectKey(o.Database, o.Name))
	return nil
}

func (o *PutFormat) apply(s *Snapshot) error {
	s.formats = s.formats.Set(objectKey(o.Format.Database, o.Format.Name), o.Format)
	return nil
}

func (o *DropFormat) apply(s *Snapshot) error {
	s.formats = s.formats.Delete(objectKey(o.Database, o.Name))
	return nil
}

func (o *PutUser) apply(s *Snapshot) error {
	s.users = s.users.Set(o.User.Name, o.User)
	return nil
}

func (o *DropUser) apply(s *Snapshot) error {
	s.users = s.users.Delete(o.Name)
	return nil
}

func (o *SetGlobal) apply(s *Snapshot) error {
	if o.Value == "" {
		s.settings = s.settings.Delete(o.Name)
	} else {
		s.settings = s.settings.Set(o.Name, o.Value)
	}
	return nil
}

func (o *AddLoads) apply(s *Snapshot) error {
	t, err := s.table(o.Table)
	if err != nil {
		return err
	}
	if t.loads == nil {
		t.loads = immutable.NewSortedMap[string, LoadEntry](nil)
	}
	for _, l := range o.Loads {
		s.used(l.LoadID)
		t.loads = t.loads.Set(l.Key, l)
	}
	return s.put(t)
}

func (o *AddChanges) apply(s *Snapshot) error {
	s.Changes = extend(s, s.Changes, o.Changes...)
	return nil
}

func (o *AddErrors) apply(s *Snapshot) error {
	s.Errors = extend(s, s.Errors, o.Errors...)
	if n := len(s.Errors) - MaxLoadErrors; n > 0 {
		s.Errors = s.Errors[n:]
	}
	return nil
}
