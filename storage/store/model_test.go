package store

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/storage/vfs/errorfs"
)

// model is what a store should hold: the keys of each table, ascending.
type model map[string][]int64

func (m model) String() string {
	out := []string{"database default"}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fmt.Sprintf("table %s: 2 columns, 0 loads, %d rows %v", name, len(m[name]), m[name]))
	}
	return strings.Join(out, "\n")
}

func (m model) clone() model {
	c := make(model)
	for name, keys := range m {
		c[name] = slices.Clone(keys)
	}
	return c
}

// player does random operations on a store and on its model.
type player struct {
	t    *testing.T
	rng  *rand.Rand
	mem  *vfs.Mem
	fsys *errorfs.FS
	o    Options
	s    *Store
	m    model
	next int64
	// old is a Snapshot from some time ago with its rows.
	old     *Pin
	oldRows map[string][]row

	// crashes are what a loss of power during the present operation would have left.
	mu      sync.Mutex
	crashes []*vfs.Mem
}

// watch takes a crash clone before some of the operations on the disk.
func (p *player) watch(op errorfs.Op) errorfs.Fault {
	if !op.Kind.Mutates() {
		return errorfs.Fault{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.crashes) < 3 && p.rng.IntN(6) == 0 {
		p.crashes = append(p.crashes, p.mem.CrashClone(p.rng))
	}
	return errorfs.Fault{}
}

// intN is a random number below n.
func (p *player) intN(n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rng.IntN(n)
}

func (p *player) open() {
	o := p.o
	o.FS, o.Dir, o.Segments = p.fsys, testDir, &plainFiles{fs: p.fsys}
	s, err := Open(o)
	if err != nil {
		p.t.Fatal(err)
	}
	p.s = s
}

// do runs one operation and checks the crashes that it might have met.
func (p *player) do(what string, f func() error) {
	p.t.Helper()
	before := p.m.clone()
	if err := f(); err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
	p.mu.Lock()
	crashes := p.crashes
	p.crashes = nil
	p.mu.Unlock()
	for _, c := range crashes {
		s := openPlain(p.t, c)
		if got := content(p.t, c, s.Snapshot()); got != before.String() && got != p.m.String() {
			p.t.Fatalf("crash during %s: state is\n%s\nwant\n%s\nor\n%s", what, got, before, p.m)
		}
		if s.Stats().MissingFiles != 0 {
			p.t.Fatalf("crash during %s: files are missing", what)
		}
		mustClose(p.t, s)
	}
}

func (p *player) check() {
	p.t.Helper()
	pin := p.s.Pin()
	defer pin.Release()
	if got := content(p.t, p.mem, pin.Snapshot()); got != p.m.String() {
		p.t.Fatalf("state is\n%s\nwant\n%s", got, p.m)
	}
}

// table picks a table, or returns nil.
func (p *player) table(snap *catalog.Snapshot) *catalog.Table {
	names := slices.Sorted(maps.Keys(p.m))
	if len(names) == 0 {
		return nil
	}
	t, err := snap.Table("default", names[p.intN(len(names))], true)
	if err != nil {
		p.t.Fatal(err)
	}
	return t
}

func (p *player) commit(ops ...catalog.Op) error {
	_, err := p.s.Commit(bg, &catalog.Edit{Ops: ops}, nil)
	return err
}

func (p *player) create() error {
	name := fmt.Sprint("t", p.intN(3))
	t := newTable(p.s, name)
	if p.intN(2) == 0 {
		t.SortKey = []catalog.ColumnID{1}
	}
	err := p.commit(&catalog.CreateTable{Table: t})
	if _, has := p.m[name]; has {
		if sqlerr.KindOf(err) != sqlerr.Exists {
			p.t.Fatalf("create a table twice: %v", err)
		}
		return nil
	}
	p.m[name] = nil
	return err
}

func (p *player) insert(t *catalog.Table) error {
	n := 1 + p.intN(5)
	from := p.next
	p.next += int64(n)
	p.m[t.Name] = append(p.m[t.Name], seq(from, from+int64(n))...)
	return p.commit(batch(p.s, t.ID, from, n))
}

func (p *player) addSegment(t *catalog.Table) error {
	from := p.next
	p.next += 5
	p.m[t.Name] = append(p.m[t.Name], seq(from, from+5)...)
	l := p.s.Lease()
	defer l.End()
	ops, err := writeSegment(p.s, l, t, from)
	if err != nil {
		return err
	}
	return p.commit(ops...)
}

// remove deletes some rows, as seen by the present or by the old Snapshot.
func (p *player) remove() error {
	pin, rows := p.s.Pin(), map[string][]row(nil)
	defer pin.Release()
	if p.old != nil && p.intN(2) == 0 {
		pin.Release()
		pin, rows = p.old, p.oldRows
		p.old = nil
	}
	t := p.table(p.s.Snapshot())
	if t == nil || pin.Snapshot().TableByID(t.ID) == nil {
		return nil
	}
	have := rows[t.Name]
	if rows == nil {
		var err error
		if have, err = readRows(p.s, pin.Snapshot(), t.ID); err != nil {
			return err
		}
	}
	var victims []int64
	for _, r := range have {
		if p.intN(4) == 0 && slices.Contains(p.m[t.Name], r.key) {
			victims = append(victims, r.key)
		}
	}
	p.m[t.Name] = slices.DeleteFunc(p.m[t.Name], func(k int64) bool { return slices.Contains(victims, k) })
	return p.commit(deleteKeys(have, t.ID, victims...)...)
}

// look pins the present Snapshot for a later remove.
func (p *player) look() error {
	if p.old != nil {
		p.old.Release()
	}
	p.old = p.s.Pin()
	p.oldRows = make(map[string][]row)
	for name := range p.m {
		t, err := p.old.Snapshot().Table("default", name, true)
		if err == nil {
			p.oldRows[name], err = readRows(p.s, p.old.Snapshot(), t.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reopen closes the store, or loses power, and opens it again.
func (p *player) reopen(crash bool) error {
	if p.old != nil {
		p.old.Release()
		p.old = nil
	}
	if crash {
		p.mu.Lock()
		clone := p.mem.CrashClone(p.rng)
		p.mu.Unlock()
		// The process is gone with the power; what it does from now on reaches nobody.
		_ = p.s.Close()
		p.mu.Lock()
		p.mem, p.crashes = clone, nil
		p.mu.Unlock()
		p.fsys = errorfs.Wrap(clone, p.watch)
	} else if err := p.s.Close(); err != nil {
		return err
	}
	p.open()
	return nil
}

func (p *player) step() {
	snap := p.s.Snapshot()
	t := p.table(snap)
	n := p.intN(100)
	switch {
	case n < 8 || t == nil:
		p.do("create", p.create)
	case n < 30:
		p.do("insert", func() error { return p.insert(t) })
	case n < 45:
		p.do("add segment", func() error { return p.addSegment(t) })
	case n < 60:
		p.do("delete", p.remove)
	case n < 68:
		p.do("look", p.look)
	case n < 76:
		p.do("flush", func() error { return p.s.Flush(bg) })
	case n < 84:
		p.do("compact", func() error { return p.s.Compact(bg, t.ID) })
	case n < 88:
		p.do("checkpoint", func() error { return p.s.Checkpoint(bg) })
	case n < 90:
		p.do("truncate", func() error {
			p.m[t.Name] = nil
			return p.commit(&catalog.Truncate{Table: t.ID})
		})
	case n < 92:
		p.do("drop", func() error {
			delete(p.m, t.Name)
			return p.commit(&catalog.DropTable{ID: t.ID})
		})
	case n < 96:
		p.do("reopen", func() error { return p.reopen(false) })
	default:
		p.do("crash", func() error { return p.reopen(true) })
	}
	p.check()
}

// TestModel plays random operations with flush, compaction and checkpoints called by name, then with those in the background, and
// compares with the model after each.
func TestModel(t *testing.T) {
	for seed := range uint64(16) {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			p := &player{t: t, rng: rand.New(rand.NewPCG(seed, 1)), mem: vfs.NewMem(), m: make(model)}
			p.fsys = errorfs.Wrap(p.mem, p.watch)
			if seed%2 == 1 {
				p.o = Options{Background: true, FlushInterval: time.Millisecond, CheckpointBytes: 2000}
			}
			p.open()
			for range 100 {
				p.step()
			}
			p.do("close", func() error { return p.reopen(false) })
			p.check()
			mustClose(t, p.s)
			if st := p.s.Stats(); st.Pins != 0 || st.MissingFiles != 0 {
				t.Errorf("stats %+v", st)
			}
		})
	}
}
