package store

import (
	"path"

	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
)

// dropped lists what old, or the Edit itself, refers to and next does not: files to be removed once nobody reads an older Snapshot.
// Its cost is that of the tables that lose rows; an Edit that only adds costs nothing.
func (s *Store) dropped(old, next *catalog.Snapshot, e *catalog.Edit) []deadPath {
	tables, stages := losers(old, e)
	var out []deadPath
	if len(tables) > 0 {
		live := make(map[segment.ID]bool)
		var had []*segment.Meta
		for id := range tables {
			if t := old.TableByID(id); t != nil {
				had = append(had, t.Segments...)
			}
			if t := next.TableByID(id); t != nil {
				for _, m := range t.Segments {
					live[m.ID] = true
				}
			}
		}
		for _, m := range append(had, addedTo(e, tables)...) {
			if !live[m.ID] {
				live[m.ID] = true // a segment may be listed twice
				out = append(out, deadPath{next.Version, path.Join(s.SegmentDir(), m.File), m.ID})
			}
		}
	}
	if stages {
		live := make(map[uint64]bool)
		for _, st := range next.Stages() {
			live[st.ID] = true
		}
		for _, st := range old.Stages() {
			if !live[st.ID] && st.URL == "" {
				out = append(out, deadPath{next.Version, s.StageDir(st.ID), 0})
			}
		}
	}
	return out
}

// losers returns the tables that an Edit takes rows from and whether it may take stages away.
func losers(old *catalog.Snapshot, e *catalog.Edit) (tables map[catalog.TableID]bool, stages bool) {
	tables = make(map[catalog.TableID]bool)
	created := make(map[string][]catalog.TableID)
	for _, op := range e.Ops {
		switch o := op.(type) {
		case *catalog.CreateTable:
			created[o.Table.Database] = append(created[o.Table.Database], o.Table.ID)
		case *catalog.DropTable:
			tables[o.ID] = true
		case *catalog.Truncate:
			tables[o.Table] = true
		case *catalog.Replace:
			tables[o.Table] = true
		case *catalog.DropDatabase:
			stages = true
			for _, id := range created[o.Name] {
				tables[id] = true
			}
			if d, err := old.Database(o.Name, true); err == nil {
				for _, t := range old.Tables(d) {
					tables[t.ID] = true
				}
			}
		case *catalog.PutStage, *catalog.DropStage:
			stages = true
		}
	}
	return tables, stages
}

// addedTo lists the segments that an Edit adds to some tables.
func addedTo(e *catalog.Edit, tables map[catalog.TableID]bool) []*segment.Meta {
	var out []*segment.Meta
	for _, op := range e.Ops {
		switch o := op.(type) {
		case *catalog.AddSegments:
			if tables[o.Table] {
				out = append(out, o.Segments...)
			}
		case *catalog.Replace:
			out = append(out, o.Add...)
		}
	}
	return out
}
