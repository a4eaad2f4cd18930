package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/storage/vfs/errorfs"
)

// gate holds the syncs of the log back while it is closed, and counts them.
type gate struct {
	mu    sync.Mutex
	syncs int
	// entered gets a value for each sync that is held, which goes on when it takes one from open.
	entered, open chan struct{}
	hold          bool
}

func (g *gate) inject(op errorfs.Op) errorfs.Fault {
	if op.Kind != errorfs.Sync || !strings.Contains(op.Path, logPrefix) {
		return errorfs.Fault{}
	}
	g.mu.Lock()
	g.syncs++
	hold := g.hold
	g.mu.Unlock()
	if hold {
		g.entered <- struct{}{}
		<-g.open
	}
	return errorfs.Fault{}
}

func (g *gate) set(hold bool) (syncs int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hold = hold
	return g.syncs
}

func newGate() *gate { return &gate{entered: make(chan struct{}), open: make(chan struct{})} }

// waiting waits until n Edits wait for their turn.
func waiting(s *Store, n int) {
	for {
		s.queue.mu.Lock()
		have := len(s.queue.waiting)
		s.queue.mu.Unlock()
		if have == n {
			return
		}
		runtime.Gosched()
	}
}

func TestGroupCommit(t *testing.T) {
	g := newGate()
	m := vfs.NewMem()
	s := mustOpen(t, errorfs.Wrap(m, g.inject))
	before := g.set(true)
	const n = 50
	var wg sync.WaitGroup
	commit := func(i int) {
		defer wg.Done()
		snap, err := s.Commit(bg, &catalog.Edit{Ops: []catalog.Op{&catalog.PutDatabase{Name: fmt.Sprint("d", i)}}}, nil)
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := snap.Database(fmt.Sprint("d", i), true); err != nil {
			t.Error(err)
		}
		if now := s.Snapshot(); now.Version < snap.Version {
			t.Errorf("committed as %d, visible is %d", snap.Version, now.Version)
		}
	}
	wg.Add(1)
	go commit(0)
	<-g.entered
	// The first sync is under way; all others wait for it and share the next.
	for i := 1; i < n; i++ {
		wg.Add(1)
		go commit(i)
	}
	waiting(s, n-1)
	if v := s.Snapshot().Version; v != 0 {
		t.Errorf("version %d is visible before it is durable", v)
	}
	g.open <- struct{}{}
	<-g.entered
	if v := s.Snapshot().Version; v != 1 {
		t.Errorf("version %d is visible, want 1", v)
	}
	g.open <- struct{}{}
	wg.Wait()
	if syncs := g.set(false) - before; syncs != 2 {
		t.Errorf("%d commits took %d syncs", n, syncs)
	}
	if st := s.Stats(); st.Commits != n || st.Records != 2 {
		t.Errorf("stats %+v", st)
	}
	want := fingerprint(t, s.Snapshot())
	mustClose(t, s)
	s = mustOpen(t, m)
	if fingerprint(t, s.Snapshot()) != want {
		t.Error("reopened state differs")
	}
	mustClose(t, s)
}

func TestCommitCanceled(t *testing.T) {
	g := newGate()
	s := mustOpen(t, errorfs.Wrap(vfs.NewMem(), g.inject))
	g.set(true)
	put := func(ctx context.Context, name string) chan error {
		out := make(chan error)
		go func() {
			_, err := s.Commit(ctx, &catalog.Edit{Ops: []catalog.Op{&catalog.PutDatabase{Name: name}}}, nil)
			out <- err
		}()
		return out
	}
	ctx, cancel := context.WithCancel(bg)
	first := put(ctx, "a")
	<-g.entered
	second := put(ctx, "b")
	waiting(s, 1)
	cancel()
	if err := <-second; sqlerr.KindOf(err) != sqlerr.Canceled || !errors.Is(err, context.Canceled) {
		t.Errorf("a waiting commit: %v", err)
	}
	// The one under way cannot be called back.
	g.set(false)
	g.open <- struct{}{}
	if err := <-first; err != nil {
		t.Errorf("a commit under way: %v", err)
	}
	if n := len(s.Snapshot().Databases()); n != 2 {
		t.Errorf("%d databases", n)
	}
	mustClose(t, s)
}

func TestRebase(t *testing.T) {
	s := mustOpen(t, vfs.NewMem())
	mustCommit(t, s, &catalog.PutDatabase{Name: "d"})
	var seen uint64
	e := &catalog.Edit{}
	snap, err := s.commit(bg, &request{edit: e, rebase: func(cur *catalog.Snapshot, e *catalog.Edit) error {
		seen = cur.Version
		e.Add(&catalog.PutDatabase{Name: fmt.Sprint("d", len(cur.Databases()))})
		return nil
	}})
	if err != nil || seen != 1 || snap.Version != 2 || snap.Databases()[2].Name != "default" {
		t.Errorf("version %d rebased on %d: %v", snap.Version, seen, err)
	}
	refuse := sqlerr.New(sqlerr.Conflict, "no")
	if _, err := s.Commit(bg, e, func(*catalog.Snapshot) error { return refuse }); err != error(refuse) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Commit(bg, &catalog.Edit{Ops: []catalog.Op{&catalog.PutDatabase{Name: "x"}, &catalog.DropTable{ID: 99}}}, nil); sqlerr.KindOf(err) != sqlerr.Conflict {
		t.Errorf("got %v", err)
	}
	func() {
		defer func() {
			if p := recover(); p != "BUG: mine" {
				t.Errorf("recovered %v", p)
			}
		}()
		_, _ = s.Commit(bg, e, func(*catalog.Snapshot) error { panic("BUG: mine") })
	}()
	if v := s.Snapshot().Version; v != 2 || len(s.Snapshot().Databases()) != 3 {
		t.Errorf("failed edits left version %d", v)
	}
	mustCommit(t, s, &catalog.PutDatabase{Name: "e"})
	mustClose(t, s)
}

// TestConcurrentUse mixes commits, pins, leases and checkpoints; every reader sees whole commits only.
func TestConcurrentUse(t *testing.T) {
	m := vfs.NewMem()
	s, err := Open(Options{FS: m, Dir: testDir, Background: true, CheckpointBytes: 4 << 10, FlushInterval: 1 << 60})
	if err != nil {
		t.Fatal(err)
	}
	a, b := newTable(s, "a"), newTable(s, "b")
	mustCommit(t, s, &catalog.CreateTable{Table: a}, &catalog.CreateTable{Table: b})
	var writers, readers sync.WaitGroup
	stop := make(chan struct{})
	const each, rounds = 4, 30
	for w := range each {
		writers.Go(func() {
			for i := range rounds {
				l := s.Lease()
				x, err := fakeSegment(s, l, 1)
				if err != nil {
					t.Error(err)
				}
				y, err := fakeSegment(s, l, 1)
				if err != nil {
					t.Error(err)
				}
				ops := []catalog.Op{batch(s, a.ID, int64(i), 1), batch(s, b.ID, int64(i), 1),
					&catalog.AddSegments{Table: a.ID, Segments: []*segment.Meta{x}}, &catalog.AddSegments{Table: b.ID, Segments: []*segment.Meta{y}}}
				if _, err := s.Commit(bg, &catalog.Edit{Ops: ops}, nil); err != nil {
					t.Error(err)
				}
				l.End()
				if w == 0 && i%10 == 9 {
					if _, err := s.Commit(bg, &catalog.Edit{Ops: []catalog.Op{&catalog.Truncate{Table: a.ID}, &catalog.Truncate{Table: b.ID}}}, nil); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				p := s.Pin()
				x, y := p.Snapshot().TableByID(a.ID), p.Snapshot().TableByID(b.ID)
				if x.Rows() != y.Rows() {
					t.Errorf("a has %d rows, b %d", x.Rows(), y.Rows())
				}
				for _, seg := range x.Segments {
					if _, err := m.Stat(s.SegmentDir() + "/" + seg.File); err != nil {
						t.Error(err)
					}
				}
				p.Release()
			}
		})
	}
	readers.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if err := s.Checkpoint(bg); err != nil {
					t.Error(err)
				}
			}
		}
	})
	writers.Wait()
	close(stop)
	readers.Wait()
	if st := s.Stats(); st.Pins != 0 || st.Commits != each*rounds+3+1 {
		t.Errorf("stats %+v", st)
	}
	want := fingerprint(t, s.Snapshot())
	live := len(s.Snapshot().TableByID(a.ID).Segments) * 2
	mustClose(t, s)
	s = mustOpen(t, m)
	if fingerprint(t, s.Snapshot()) != want {
		t.Error("reopened state differs")
	}
	if infos, err := m.List(s.SegmentDir()); err != nil || len(infos) != live {
		t.Errorf("%d segment files, want %d: %v", len(infos), live, err)
	}
	// What a crash would leave is the same: everything was acknowledged.
	c := m.CrashClone(rand.New(rand.NewPCG(1, 2)))
	mustClose(t, s)
	s = mustOpen(t, c)
	if fingerprint(t, s.Snapshot()) != want {
		t.Error("state after a crash differs")
	}
	mustClose(t, s)
}
