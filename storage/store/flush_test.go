package store

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/vec"
)

func seq(from, to int64) (out []int64) {
	for ; from < to; from++ {
		out = append(out, from)
	}
	return out
}

func TestFlushAndCompact(t *testing.T) {
	m := vfs.NewMem()
	s := openPlain(t, m)
	tb := newTable(s, "t")
	mustCommit(t, s, &catalog.CreateTable{Table: tb})
	f := func(segments, batches int, want []int64) {
		t.Helper()
		now := s.Snapshot().TableByID(tb.ID)
		if len(now.Segments) != segments || len(now.Batches) != batches {
			t.Errorf("%d segments, %d batches, want %d, %d", len(now.Segments), len(now.Batches), segments, batches)
		}
		rows := mustRead(t, s, tb.ID)
		if got := keys(rows); !slices.Equal(got, want) {
			t.Errorf("rows are %v, want %v", got, want)
		}
		for _, r := range rows {
			if r.text != fmt.Sprintf("row number %d", r.key) {
				t.Errorf("row %d has text %q", r.key, r.text)
			}
		}
		if infos, err := m.List(s.SegmentDir()); err != nil || len(infos) != segments {
			t.Errorf("%d segment files: %v", len(infos), err)
		}
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(s.Flush(bg))
	f(0, 0, nil)
	mustCommit(t, s, batch(s, tb.ID, 0, 10))
	mustCommit(t, s, batch(s, tb.ID, 10, 10))
	mustCommit(t, s, deleteKeys(mustRead(t, s, tb.ID), tb.ID, 3, 10, 11)...)
	f(0, 2, append(append(seq(0, 3), seq(4, 10)...), seq(12, 20)...))
	do(s.Flush(bg))
	f(1, 0, append(append(seq(0, 3), seq(4, 10)...), seq(12, 20)...))
	do(s.Flush(bg))
	mustCommit(t, s, batch(s, tb.ID, 20, 5))
	mustCommit(t, s, deleteKeys(mustRead(t, s, tb.ID), tb.ID, 0, 24)...)
	do(s.FlushTable(bg, tb.ID))
	want := append(append(seq(1, 3), seq(4, 10)...), seq(12, 24)...)
	f(2, 0, want)
	do(s.Compact(bg, tb.ID))
	f(1, 0, want)
	do(s.Compact(bg, tb.ID))
	f(1, 0, want)
	// A batch of which nothing is left makes no segment.
	mustCommit(t, s, batch(s, tb.ID, 90, 2))
	mustCommit(t, s, deleteKeys(mustRead(t, s, tb.ID), tb.ID, 90, 91)...)
	do(s.Flush(bg))
	f(1, 0, want)
	do(s.Compact(bg, 12345))
	do(s.FlushTable(bg, 12345))
	mustCommit(t, s, deleteKeys(mustRead(t, s, tb.ID), tb.ID, want...)...)
	do(s.Compact(bg, tb.ID))
	f(0, 0, nil)
	if st := s.Stats(); st.Flushes != 3 || st.Compactions != 2 {
		t.Errorf("stats %+v", st)
	}
	mustClose(t, s)
	if err := s.FlushTable(bg, tb.ID); sqlerr.KindOf(err) != sqlerr.Canceled {
		t.Errorf("flush of a closed store: %v", err)
	}
}

// TestManyRows crosses the borders of pages and segments.
func TestManyRows(t *testing.T) {
	s := openPlain(t, vfs.NewMem())
	tb := newTable(s, "t")
	mustCommit(t, s, &catalog.CreateTable{Table: tb})
	const each, n = 60_000, 20
	for i := range int64(n) {
		mustCommit(t, s, batch(s, tb.ID, i*each, each))
	}
	gone := []int64{0, segment.PageRows - 1, segment.PageRows, each - 1, each, segment.MaxRows, segment.MaxRows + 3}
	mustCommit(t, s, deleteKeys(mustRead(t, s, tb.ID), tb.ID, gone...)...)
	p := s.Pin()
	old := mustRead(t, s, tb.ID)
	if err := s.Flush(bg); err != nil {
		t.Fatal(err)
	}
	now := s.Snapshot().TableByID(tb.ID)
	if len(now.Segments) != 2 || now.Segments[0].Rows != segment.MaxRows || now.Segments[1].Rows != each*n-int64(len(gone))-segment.MaxRows {
		t.Fatalf("segments %+v", now.Segments)
	}
	want := slices.DeleteFunc(seq(0, each*n), func(k int64) bool { return slices.Contains(gone, k) })
	if !slices.Equal(keys(mustRead(t, s, tb.ID)), want) {
		t.Error("rows differ")
	}
	// Deletes at the old places of rows on both sides of the border between the new segments.
	mustCommit(t, s, deleteKeys(old, tb.ID, segment.MaxRows-1, segment.MaxRows+5, segment.MaxRows+6, segment.MaxRows+7, segment.MaxRows+8)...)
	p.Release()
	want = slices.DeleteFunc(want, func(k int64) bool { return k == segment.MaxRows-1 || k >= segment.MaxRows+5 && k <= segment.MaxRows+8 })
	if !slices.Equal(keys(mustRead(t, s, tb.ID)), want) {
		t.Error("rows differ after deletes")
	}
	mustClose(t, s)
}

// TestDeletesDuringFlush deletes rows at every moment of a flush and of a compaction: before it reads, between its pages, after it has
// read but before it commits, and with a Snapshot from before it when it is long done.
func TestDeletesDuringFlush(t *testing.T) {
	for _, sorted := range []bool{false, true} {
		m := vfs.NewMem()
		files := &plainFiles{fs: m}
		s, err := Open(Options{FS: m, Dir: testDir, Segments: files})
		if err != nil {
			t.Fatal(err)
		}
		tb := newTable(s, "t")
		if sorted {
			tb.SortKey = []catalog.ColumnID{2, 1}
		}
		mustCommit(t, s, &catalog.CreateTable{Table: tb})
		mustCommit(t, s, batch(s, tb.ID, 0, 30))
		mustCommit(t, s, batch(s, tb.ID, 30, 30))
		want := seq(0, 60)
		lose := func(ks ...int64) {
			want = slices.DeleteFunc(want, func(k int64) bool { return slices.Contains(ks, k) })
		}
		check := func() {
			t.Helper()
			got := keys(mustRead(t, s, tb.ID))
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("sorted %v: rows are %v, want %v", sorted, got, want)
			}
		}
		remove := func(rows []row, ks ...int64) {
			t.Helper()
			mustCommit(t, s, deleteKeys(rows, tb.ID, ks...)...)
			lose(ks...)
		}
		for round := range int64(3) {
			base := round * 10
			p := s.Pin()
			old, err := readRows(s, p.Snapshot(), tb.ID)
			if err != nil {
				t.Fatal(err)
			}
			remove(old, base, 59-base)
			// From within the flush: its turn to commit comes after ours.
			calls := 0
			files.onPage = func(int) {
				if calls++; calls == 1 {
					remove(mustRead(t, s, tb.ID), base+1, 59-base-1)
				}
			}
			if round == 0 {
				// Batches are not read through files: delete between the read and the commit instead.
				s.turn <- struct{}{}
				done := make(chan error)
				go func() { done <- s.Flush(bg) }()
				waiting(s, 1)
				r := &request{edit: &catalog.Edit{Ops: deleteKeys(old, tb.ID, 1, 58)}, done: make(chan struct{})}
				s.queue.mu.Lock()
				s.queue.waiting = append([]*request{r}, s.queue.waiting...)
				s.queue.mu.Unlock()
				<-s.turn
				if err := <-done; err != nil || r.err != nil {
					t.Fatal(err, r.err)
				}
				lose(1, 58)
			} else if err := s.Compact(bg, tb.ID); err != nil {
				t.Fatal(err)
			}
			files.onPage = nil
			check()
			// The old Snapshot still addresses rows by their old place.
			remove(old, base+2, 59-base-2)
			check()
			if err := s.Compact(bg, tb.ID); err != nil {
				t.Fatal(err)
			}
			remove(old, base+3, 59-base-3)
			check()
			_, err = s.Commit(bg, &catalog.Edit{Ops: deleteKeys(old, tb.ID, base+2)}, nil)
			if sqlerr.KindOf(err) != sqlerr.Conflict {
				t.Errorf("deleting a row again: %v", err)
			}
			_, err = s.Commit(bg, &catalog.Edit{Ops: deleteKeys(old, tb.ID, base)}, nil)
			if sqlerr.KindOf(err) != sqlerr.Conflict {
				t.Errorf("deleting a row that was gone before the flush: %v", err)
			}
			p.Release()
			// Without a pin nobody keeps the way.
			_, err = s.Commit(bg, &catalog.Edit{Ops: deleteKeys(old, tb.ID, base+5)}, nil)
			if sqlerr.KindOf(err) != sqlerr.Conflict || len(s.pins.moves) != 0 {
				t.Errorf("deleting a row at a forgotten place: %v, %d moves are kept", err, len(s.pins.moves))
			}
			check()
			mustCommit(t, s, batch(s, tb.ID, 1000+base, 2))
			want = append(want, 1000+base, 1001+base)
		}
		mustClose(t, s)
		s = openPlain(t, m)
		check()
		mustClose(t, s)
	}
}

// TestFlushAndDeleteShareARecord lets a flush and the delete of a row that it moves share one record.
func TestFlushAndDeleteShareARecord(t *testing.T) {
	m := vfs.NewMem()
	s := openPlain(t, m)
	tb := newTable(s, "t")
	mustCommit(t, s, &catalog.CreateTable{Table: tb})
	mustCommit(t, s, batch(s, tb.ID, 0, 10))
	mustCommit(t, s, deleteKeys(mustRead(t, s, tb.ID), tb.ID, 2)...)
	p := s.Pin()
	rows := mustRead(t, s, tb.ID)
	before := s.Stats().Records
	s.turn <- struct{}{}
	flushed, deleted := make(chan error), make(chan error)
	go func() { flushed <- s.Flush(bg) }()
	waiting(s, 1)
	go func() {
		_, err := s.Commit(bg, &catalog.Edit{Ops: deleteKeys(rows, tb.ID, 5)}, nil)
		deleted <- err
	}()
	waiting(s, 2)
	<-s.turn
	if err := <-flushed; err != nil {
		t.Fatal(err)
	}
	if err := <-deleted; err != nil {
		t.Fatal(err)
	}
	p.Release()
	if n := s.Stats().Records - before; n != 1 {
		t.Errorf("%d records", n)
	}
	want := []int64{0, 1, 3, 4, 6, 7, 8, 9}
	if got := keys(mustRead(t, s, tb.ID)); !slices.Equal(got, want) {
		t.Errorf("rows are %v", got)
	}
	mustClose(t, s)
	s = openPlain(t, m)
	if got := keys(mustRead(t, s, tb.ID)); !slices.Equal(got, want) {
		t.Errorf("reopened rows are %v", got)
	}
	mustClose(t, s)
}

func TestSortKey(t *testing.T) {
	s := openPlain(t, vfs.NewMem())
	tb := newTable(s, "t")
	tb.SortKey = []catalog.ColumnID{1}
	mustCommit(t, s, &catalog.CreateTable{Table: tb})
	for _, from := range []int64{50, 10, 30} {
		mustCommit(t, s, batch(s, tb.ID, from, 5))
	}
	f := func(want ...int64) {
		t.Helper()
		if got := keys(mustRead(t, s, tb.ID)); !slices.Equal(got, want) {
			t.Errorf("rows are %v, want %v", got, want)
		}
	}
	if err := s.Flush(bg); err != nil {
		t.Fatal(err)
	}
	f(10, 11, 12, 13, 14, 30, 31, 32, 33, 34, 50, 51, 52, 53, 54)
	mustCommit(t, s, batch(s, tb.ID, 20, 3))
	mustCommit(t, s, deleteKeys(mustRead(t, s, tb.ID), tb.ID, 21, 12, 50)...)
	if err := s.Compact(bg, tb.ID); err != nil {
		t.Fatal(err)
	}
	f(10, 11, 13, 14, 20, 22, 30, 31, 32, 33, 34, 51, 52, 53, 54)
	mustClose(t, s)
}

// TestEvolvedTable flushes batches from before and after changes of the columns.
func TestEvolvedTable(t *testing.T) {
	s := openPlain(t, vfs.NewMem())
	tb := newTable(s, "t")
	mustCommit(t, s, &catalog.CreateTable{Table: tb})
	mustCommit(t, s, batch(s, tb.ID, 0, 2))
	alter := func(change func(*catalog.Table)) {
		t.Helper()
		next := *s.Snapshot().TableByID(tb.ID)
		from := next.SchemaVersion
		next.Columns = slices.Clone(next.Columns)
		next.SchemaVersion++
		change(&next)
		mustCommit(t, s, &catalog.AlterTable{Table: &next, From: from})
	}
	put := func(columns []catalog.ColumnID, cols ...*vec.Vector) {
		t.Helper()
		mustCommit(t, s, &catalog.AddBatch{Table: tb.ID, Batch: &catalog.Batch{ID: segment.ID(s.NewID()), Columns: columns, Data: vec.NewBatch(1, cols...)}})
	}
	bigint := func(v int64) *vec.Vector { return vec.NewFlat(types.Of(types.BigInt), []int64{v}, nil) }
	integer := func(v int32) *vec.Vector { return vec.NewFlat(types.Of(types.Int), []int32{v}, nil) }
	alter(func(t *catalog.Table) {
		t.Columns = append(t.Columns, catalog.Column{ID: 3, Name: "n", Type: types.Of(types.Int), DefaultValue: integer(7)}, catalog.Column{ID: 4, Name: "m", Type: types.Of(types.Int)})
		t.NextColumn = 5
	})
	put([]catalog.ColumnID{1, 3}, bigint(2), integer(8))
	alter(func(t *catalog.Table) {
		t.Columns = append(t.Columns[:1:1], t.Columns[2:]...)
		t.Columns[0].Name = "key"
	})
	alter(func(t *catalog.Table) {
		t.Columns[1].Type = types.Of(types.BigInt)
		t.Columns[1].DefaultValue = bigint(7)
	})
	put([]catalog.ColumnID{1, 3}, bigint(3), bigint(9))
	if err := s.Flush(bg); err != nil {
		t.Fatal(err)
	}
	now := s.Snapshot().TableByID(tb.ID)
	got := ""
	for _, m := range now.Segments {
		for _, c := range m.Columns {
			got += fmt.Sprintf("%d %s %s, ", c.ID, c.Name, c.Type)
		}
		got += fmt.Sprint(m.Rows, "\n")
		if m.Columns[0].Name != "key" {
			continue
		}
		in, err := s.o.Segments.Open(s.SegmentDir(), m)
		if err != nil {
			t.Fatal(err)
		}
		b, err := in.Page(0)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range b.Cols[1:] {
			got += fmt.Sprintln(c.Data)
		}
	}
	// The first batch lacks column n; its default has another type than the INT of the second, so they part. Column m is nowhere.
	want := `1 key BIGINT, 2
1 key BIGINT, 3 n INT, 1
[8]
1 key BIGINT, 3 n BIGINT, 1
[9]
`
	if got != want {
		t.Errorf("segments are\n%s", got)
	}
	// Once all are BIGINT, the default is filled in.
	put([]catalog.ColumnID{1}, bigint(4))
	put([]catalog.ColumnID{1, 3}, bigint(5), bigint(10))
	if err := s.Flush(bg); err != nil {
		t.Fatal(err)
	}
	last := s.Snapshot().TableByID(tb.ID).Segments[3]
	in, err := s.o.Segments.Open(s.SegmentDir(), last)
	if err != nil {
		t.Fatal(err)
	}
	b, err := in.Page(0)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(b.Cols[1].Data, []int64{7, 10}) {
		t.Errorf("column n is %v", b.Cols[1].Data)
	}
	// All stored columns dropped: the rows stay.
	alter(func(t *catalog.Table) { t.Columns = t.Columns[2:] })
	if err := s.Compact(bg, tb.ID); err != nil {
		t.Fatal(err)
	}
	if now := s.Snapshot().TableByID(tb.ID); now.Rows() != 6 || len(now.Segments) != 1 || now.Segments[0].Columns[0].ID != 4 {
		t.Errorf("%d rows in %d segments", now.Rows(), len(now.Segments))
	}
	mustClose(t, s)
}

// TestFlushMeetsDrop drops and empties a table while it is flushed.
func TestFlushMeetsDrop(t *testing.T) {
	f := func(op func(*catalog.Table) catalog.Op) {
		t.Helper()
		m := vfs.NewMem()
		s := openPlain(t, m)
		tb := newTable(s, "t")
		mustCommit(t, s, &catalog.CreateTable{Table: tb})
		mustCommit(t, s, batch(s, tb.ID, 0, 5))
		s.turn <- struct{}{}
		done := make(chan error)
		go func() { done <- s.Flush(bg) }()
		waiting(s, 1)
		r := &request{edit: &catalog.Edit{Ops: []catalog.Op{op(tb)}}, done: make(chan struct{})}
		s.queue.mu.Lock()
		s.queue.waiting = append([]*request{r}, s.queue.waiting...)
		s.queue.mu.Unlock()
		<-s.turn
		if err := <-done; err != nil || r.err != nil {
			t.Errorf("flush %v, drop %v", err, r.err)
		}
		if rows := mustRead(t, s, tb.ID); len(rows) != 0 {
			t.Errorf("%d rows", len(rows))
		}
		if infos, err := m.List(s.SegmentDir()); err != nil || len(infos) != 0 {
			t.Errorf("%d files: %v", len(infos), err)
		}
		mustClose(t, s)
	}
	f(func(t *catalog.Table) catalog.Op { return &catalog.DropTable{ID: t.ID} })
	f(func(t *catalog.Table) catalog.Op { return &catalog.Truncate{Table: t.ID} })
}

func TestChooseDue(t *testing.T) {
	f := func(want int, sizes ...int) {
		t.Helper()
		var all []*source
		for i, n := range sizes {
			src := &source{id: segment.ID(i), rows: n}
			if n < 0 {
				src.rows = -n
				var rows []uint32
				for o := range uint32(-n/deadShare + 1) {
					rows = append(rows, o)
				}
				src.deleted = catalog.NewDeletionVector(rows...)
			}
			all = append(all, src)
		}
		if got := len(chooseDue(all)); got != want {
			t.Errorf("%v: chose %d, want %d", sizes, got, want)
		}
	}
	f(0)
	f(0, 1, 2, 3, 4, 5, 6, 7)
	f(8, 1, 2, 3, 4, 5, 6, 7, 7)
	f(0, 1, 2, 3, 4, 5, 6, 7, 8)
	f(8, 10, 20, 30, 40, 50, 60, 9, 8)
	f(0, 100, 100, 100, 100, 60, 60, 60, 60)
	f(1, -10, 100, 100)
	f(0, smallRows, smallRows, smallRows, smallRows, smallRows, smallRows, smallRows, smallRows)
	f(9, 1, 1, 1, 1, 1, 1, 1, 1, -1000)
}

// TestBackground lets the goroutine do its work and waits for the outcome.
func TestBackground(t *testing.T) {
	m := vfs.NewMem()
	s, err := Open(Options{FS: m, Dir: testDir, Segments: &plainFiles{fs: m}, Background: true, FlushInterval: time.Millisecond, CheckpointBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	tb := newTable(s, "t")
	mustCommit(t, s, &catalog.CreateTable{Table: tb})
	var want []int64
	for i := range int64(40) {
		mustCommit(t, s, batch(s, tb.ID, i, 1))
		want = append(want, i)
		if i%4 == 3 {
			for s.Stats().Flushes <= i/4 {
				time.Sleep(time.Millisecond)
			}
		}
	}
	for s.Stats().Compactions == 0 || s.Stats().Checkpoints == 0 || s.Stats().RemovedFiles == 0 {
		time.Sleep(time.Millisecond)
	}
	got := keys(mustRead(t, s, tb.ID))
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("rows are %v", got)
	}
	mustClose(t, s)
	s = openPlain(t, m)
	if n := len(mustRead(t, s, tb.ID)); n != 40 {
		t.Errorf("%d rows", n)
	}
	mustClose(t, s)
}

func TestDueByAgeAndSize(t *testing.T) {
	s := openPlain(t, vfs.NewMem())
	b := &s.bg
	b.pending = make(map[catalog.TableID]*pendingTable)
	s.SetFlush(time.Minute, 1000)
	start := time.Unix(1000, 0)
	b.pending[1] = &pendingTable{since: start, bytes: 10}
	b.pending[2] = &pendingTable{since: start.Add(time.Hour), bytes: 1000}
	b.pending[3] = &pendingTable{since: start.Add(time.Hour), bytes: 10, merge: true}
	b.pending[4] = &pendingTable{merge: true}
	f := func(at time.Duration, want map[catalog.TableID]bool) {
		t.Helper()
		if got := s.due(start.Add(at)); !reflect.DeepEqual(got, want) {
			t.Errorf("after %v: %v, want %v", at, got, want)
		}
	}
	f(time.Second, map[catalog.TableID]bool{2: true, 3: false, 4: false})
	f(2*time.Second, map[catalog.TableID]bool{})
	f(time.Minute, map[catalog.TableID]bool{1: true})
	f(2*time.Hour, map[catalog.TableID]bool{3: true})
	if len(b.pending) != 0 {
		t.Errorf("%d tables are pending", len(b.pending))
	}
	mustClose(t, s)
}

func TestFlushCanceled(t *testing.T) {
	s := openPlain(t, vfs.NewMem())
	tb := newTable(s, "t")
	mustCommit(t, s, &catalog.CreateTable{Table: tb}, batch(s, tb.ID, 0, 5))
	ctx, cancel := context.WithCancel(bg)
	cancel()
	if err := s.FlushTable(ctx, tb.ID); sqlerr.KindOf(err) != sqlerr.Canceled {
		t.Errorf("got %v", err)
	}
	if n := len(s.Snapshot().TableByID(tb.ID).Batches); n != 1 {
		t.Errorf("%d batches", n)
	}
	mustClose(t, s)
}
