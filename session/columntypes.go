package session

import (
	"sync"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
)

// columnTypes finds the types of the paths of one VARIANT column, for one statement. It starts with what the directories of the segments
// list. Paths that are rare are not listed; only when such a path is asked for are the documents read that may have it.
type columnTypes struct {
	c      *call
	table  *catalog.Table
	column catalog.ColumnID

	mu    sync.RWMutex
	paths *pathCollector // nil before the first question
	// unread are the segments whose documents have members that their directory does not list.
	unread []unreadSegment
	failed error
}

type unreadSegment struct {
	r      *segment.Reader
	listed map[string]struct{} // by pathKey
}

// maxReportedPaths bounds the paths that are remembered of documents; values at further ones report their own types.
const maxReportedPaths = 1 << 18

// lookup is a function.PathTypes.
func (t *columnTypes) lookup(path []string) (types.Type, bool, error) {
	key := pathKey(path)
	t.mu.RLock()
	typ, ok, settled := t.settled(key)
	err := t.failed
	t.mu.RUnlock()
	if settled {
		return typ, ok, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.paths == nil {
		t.failed = t.open()
	}
	if typ, ok, settled = t.settled(key); !settled {
		t.failed = t.readDocuments()
		typ, ok, _ = t.settled(key)
	}
	return typ, ok, t.failed
}

// settled returns the type of a path if nothing that is still unread can change it.
func (t *columnTypes) settled(key string) (typ types.Type, ok, settled bool) {
	if t.failed != nil {
		return typ, false, true
	}
	if t.paths == nil {
		return typ, false, false
	}
	if p := t.paths.found[key]; p != nil {
		typ, ok = p.typ, true
	}
	if ok && typ.Kind == types.JSON {
		return typ, true, true
	}
	for _, u := range t.unread {
		if _, listed := u.listed[key]; !listed {
			return typ, ok, false
		}
	}
	return typ, ok, true
}

// open collects what directories and batches tell.
func (t *columnTypes) open() error {
	for i := range t.table.Columns {
		if t.table.Columns[i].ID == t.column {
			t.paths = newPathCollector(&t.table.Columns[i])
		}
	}
	if t.paths == nil {
		panic("BUG: a scan of a column that its table does not have")
	}
	for _, m := range t.table.Segments {
		if !hasColumn(m, t.column) {
			continue
		}
		r, err := t.c.s.engine.openSegment(m)
		if err != nil {
			return err
		}
		infos, hidden, err := t.paths.segment(r, t.column)
		if err != nil {
			return err
		}
		if hidden {
			u := unreadSegment{r: r, listed: map[string]struct{}{}}
			for i := range infos {
				u.listed[pathKey(infos[i].Path)] = struct{}{}
			}
			t.unread = append(t.unread, u)
		}
	}
	t.paths.batches(t.table, t.column)
	return nil
}

// readDocuments adds the paths of all documents that are still unread.
func (t *columnTypes) readDocuments() error {
	for _, u := range t.unread {
		for p := range u.r.Pages() {
			if err := t.c.running.Err(); err != nil {
				return canceled(t.c.running)
			}
			v, err := u.r.Read(segment.Want{Column: t.column}, p)
			if err != nil {
				return err
			}
			t.paths.documents(v)
			if len(t.paths.found) >= maxReportedPaths {
				t.unread = nil
				return nil
			}
		}
	}
	t.unread = nil
	return nil
}
