package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/storage/vfs"
)

// Defaults of Options.
const (
	defaultCheckpointBytes = 64 << 20
	// Defaults of the settings group_commit_interval_ms and group_commit_data_bytes.
	defaultFlushInterval = 10 * time.Second
	defaultFlushBytes    = 64 << 20
)

// Options say how to open a data directory. Only Dir must be given.
type Options struct {
	// FS is vfs.OS if nil.
	FS vfs.FS
	// Dir is made if it does not exist.
	Dir string
	// Log gets what operators should know; nil discards it.
	Log *slog.Logger
	// CheckpointBytes is the size of the log at which a checkpoint is due, 0 for 64 MiB. A log smaller than the last checkpoint is
	// left alone, so that the cost of checkpoints stays a fraction of that of the commits.
	CheckpointBytes int64
	// Background starts the goroutine that flushes, compacts and makes checkpoints. Without it they happen when they are called.
	Background bool
	// FlushInterval and FlushBytes bound how long, and up to which size per table, small writes wait before they become a segment;
	// 0 for 10 s and 64 MiB.
	FlushInterval time.Duration
	FlushBytes    int64

	// Segments makes and reads the files that flush and compaction rewrite; nil for those of package segment.
	Segments SegmentFiles
	// OnRemove is told which segments nobody can read any more, just before their files go: caches drop them. It may be nil.
	OnRemove func([]segment.ID)
}

// Store is an open data directory. Make it with Open, end it with Close.
type Store struct {
	o    Options
	fs   vfs.FS
	dir  string
	lock vfs.HeldLock

	ids    atomic.Uint64 // the next id
	pins   pinTable
	leases leaseTable
	queue  commitQueue

	// turn is held (full) by the one goroutine that may touch log and clean.
	turn chan struct{}
	log  *logFile
	// clean says that the last record of the log is an end mark.
	clean bool

	// maintenance is held (full) by the one flush, compaction or checkpoint that runs; it guards checkpointed.
	maintenance  chan struct{}
	checkpointed uint64

	checkpointBytes atomic.Int64
	closed          atomic.Bool
	broken          atomic.Pointer[sqlerr.Error]
	stats           counters
	bg              background
}

// Open opens a data directory, making it if there is none, and recovers its state: the newest checkpoint and all whole records of the
// logs behind it. Files that no table refers to are removed.
//
// Errors: Resource if another process has the directory open; Unsupported if a file has a format version that this program does not
// know; Corrupt, naming file and byte, if something is damaged; IO; Constraint if the directory holds something else.
func Open(o Options) (*Store, error) {
	if o.FS == nil {
		o.FS = vfs.OS
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Segments == nil {
		o.Segments = segmentFiles{o.FS}
	}
	if o.CheckpointBytes <= 0 {
		o.CheckpointBytes = defaultCheckpointBytes
	}
	s := &Store{o: o, fs: o.FS, dir: o.Dir, turn: make(chan struct{}, 1), maintenance: make(chan struct{}, 1)}
	s.pins.moves = make(map[segment.ID]*move)
	s.leases.open = make(map[segment.ID]bool)
	s.SetFlush(o.FlushInterval, o.FlushBytes)
	if err := vfs.MkdirAllSync(s.fs, s.dir); err != nil {
		return nil, sqlerr.Wrap(sqlerr.IO, err, "make data directory %s", s.dir)
	}
	var err error
	if s.lock, err = s.fs.Lock(s.lockPath()); err != nil {
		return nil, s.lockError(err)
	}
	if err := s.open(); err != nil {
		if s.log != nil {
			_ = s.log.f.Close()
		}
		_ = s.lock.Close()
		return nil, err
	}
	s.startBackground()
	return s, nil
}

// lockError tells the second opener what to do.
func (s *Store) lockError(err error) error {
	held, ok := errors.AsType[*vfs.LockedError](err)
	if !ok {
		return sqlerr.Wrap(sqlerr.IO, err, "lock data directory %s", s.dir)
	}
	holder := "another process"
	if held.PID != 0 {
		holder = fmt.Sprintf("process %d", held.PID)
	}
	if held.Note == "" {
		return sqlerr.New(sqlerr.Resource, "data directory %s is in use by %s, which is no server that could be connected to, or not yet; wait until it ends, or end it", s.dir, holder)
	}
	return sqlerr.New(sqlerr.Resource, "data directory %s is in use by %s; end it, or connect to it with: ebira sql --url %s", s.dir, holder, held.Note)
}

// SetURL tells other processes that want the data directory at which URL this one answers clients: it goes into the lock file, and from
// there into their error. The error is of kind IO.
func (s *Store) SetURL(url string) error {
	if err := s.lock.Note(url); err != nil {
		return sqlerr.Wrap(sqlerr.IO, err, "write the server's address to %s", s.lockPath())
	}
	return nil
}

// open does everything behind the lock.
func (s *Store) open() error {
	if err := s.prepare(); err != nil {
		return err
	}
	r := &recovery{fs: s.fs, dir: s.dir}
	err := r.scan()
	if err == nil {
		err = r.run()
	}
	s.log = r.log
	if err != nil {
		return err
	}
	if r.cut > 0 {
		s.o.Log.Info("an unfinished commit was cut off the log", "file", s.log.path, "byte", s.log.size, "bytes", r.cut)
	}
	s.clean, s.checkpointed = r.clean, r.checkpointed
	s.checkpointBytes.Store(r.checkpointBytes)
	s.stats.logBytes.Store(s.log.size)
	s.pins.current = r.snap
	s.raiseIDs(r.snap.NextID)
	s.removeOldLogs(r.checkpointed)
	if err := s.sweep(r.snap); err != nil {
		return err
	}
	if !r.clean {
		// The last process did not say goodbye. If its last sync failed, what we have just read may be in the memory of the operating
		// system only, which takes it for written. Writing it anew settles that; on a full disk it has to wait.
		if err := s.checkpoint(context.Background()); err != nil {
			s.o.Log.Warn("checkpoint after recovery", "error", err)
		}
	}
	return nil
}

// Close ends the background work and the log. Commits that have not had their turn fail with Canceled. Pins should have been released:
// the files that only they protect are removed by the next Open.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.stopBackground()
	s.maintenance <- struct{}{}
	defer func() { <-s.maintenance }()
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	s.collect()
	var err error
	if !s.clean && s.broken.Load() == nil {
		err = s.log.append(&record{version: s.pins.snapshot().Version, nextID: s.ids.Load()})
	}
	err = errors.Join(err, s.log.f.Close(), s.lock.Close())
	if err != nil {
		// Everything acknowledged is synced already; only the end mark is missing, and the next Open will check more.
		return sqlerr.Wrap(sqlerr.IO, err, "close data directory %s", s.dir)
	}
	return nil
}

// writable returns why no commit is possible, or nil.
func (s *Store) writable() error {
	if s.closed.Load() {
		return sqlerr.New(sqlerr.Canceled, "the store is closed")
	}
	return s.Health()
}

// Health returns nil, or the error of kind IO that all commits get because the Store is read-only after a failed sync or write. Reading
// goes on.
func (s *Store) Health() error {
	if err := s.broken.Load(); err != nil {
		return err
	}
	return nil
}

// breakDown makes the Store read-only.
func (s *Store) breakDown(cause error) {
	err := sqlerr.Wrap(sqlerr.IO, cause, "the store is read-only after a failed sync; check the disk of %s and restart", s.dir)
	if s.broken.CompareAndSwap(nil, err) {
		s.o.Log.Error("the store is read-only", "error", cause)
	}
}

// counters are the live figures of Stats.
type counters struct {
	commits, records, checkpoints, flushes, compactions, logBytes, removed, missing atomic.Int64
}

// Stats are figures for monitoring. Counts run since Open.
type Stats struct {
	// Version is that of the current Snapshot.
	Version uint64
	// Commits counts Edits, Records the syncs of the log that they shared.
	Commits, Records int64
	// Checkpoints, Flushes and Compactions count finished ones.
	Checkpoints, Flushes, Compactions int64
	// LogBytes is the size of the present log, CheckpointBytes that of the newest checkpoint.
	LogBytes, CheckpointBytes int64
	// Pins counts living pins, OldestPin is the version of the oldest (or the current version).
	Pins      int64
	OldestPin uint64
	// DeadFiles wait for a pin to end; RemovedFiles are gone.
	DeadFiles, RemovedFiles int64
	// MissingFiles counts files that tables refer to but Open did not find, or found with a wrong size.
	MissingFiles int64
	// ReadOnly is set after a failed sync, see Health.
	ReadOnly bool
}

// Stats returns the present figures, read one by one.
func (s *Store) Stats() Stats {
	c := &s.stats
	st := Stats{
		Commits: c.commits.Load(), Records: c.records.Load(), Checkpoints: c.checkpoints.Load(), Flushes: c.flushes.Load(),
		Compactions: c.compactions.Load(), LogBytes: c.logBytes.Load(), CheckpointBytes: s.checkpointBytes.Load(),
		RemovedFiles: c.removed.Load(), MissingFiles: c.missing.Load(), ReadOnly: s.Health() != nil,
	}
	s.pins.mu.Lock()
	defer s.pins.mu.Unlock()
	st.Version, st.Pins, st.OldestPin, st.DeadFiles = s.pins.current.Version, int64(s.pins.count), s.pins.oldest(), int64(len(s.pins.dead))
	return st
}
