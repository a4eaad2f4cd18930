package session

import (
	"context"
	"fmt"
	"log/slog"
	"path"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ebira-db/ebira/cache"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/storage/store"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/vexec"
)

// Config says how an Engine runs. The zero values of all fields but Dir are usable.
type Config struct {
	// FS is the file system of the data directory and of staged files; nil means the operating system's.
	FS vfs.FS
	// Dir is the data directory, made if it does not exist.
	Dir string
	// MemoryLimit is in bytes; 0 means 70 % of the machine or cgroup.
	MemoryLimit int64
	// Threads is the number of workers of a query; 0 means one per processor.
	Threads int
	// MaxRunning bounds the statements that run at once; 0 means 8 per thread, at least 32. They share the processors evenly.
	MaxRunning int
	// MaxQueued bounds the statements that wait for others to end; more are refused. 0 means 1000.
	MaxQueued int
	// AllowedDirs are the folders from which COPY and stages may read and to which they may write.
	AllowedDirs []string
	// Log gets the server's log; nil discards it.
	Log *slog.Logger
	// NoBackground leaves flush, compaction and checkpoints to explicit calls, for tests.
	NoBackground bool
	// DeltaRows is the most rows of a write that ride in the log; 0 means the default, below zero none. For tests.
	DeltaRows int64
	// Version is shown by version().
	Version string
}

// Engine is an open data directory with everything that sessions share.
type Engine struct {
	cfg    Config
	fs     vfs.FS
	store  *store.Store
	log    *slog.Logger
	slots  *slots
	auth   authGuard
	memory *cache.Memory
	meta   *cache.Cache[segment.ID, *segment.File]
	pages  *cache.Cache[segment.PageKey, segment.CachedPage]
	spill  *vexec.SpillSpace
	// allowed are the canonical forms of Config.AllowedDirs.
	allowed []string

	mu       sync.Mutex
	sessions int
	running  map[int64]*Query
	recent   []*Query
	lastID   atomic.Int64
	txns     atomic.Int64 // open explicit transactions
	started  time.Time
	counts   counters
}

// Open opens a data directory, making it if needed.
func Open(cfg Config) (*Engine, error) {
	if cfg.FS == nil {
		cfg.FS = vfs.OS
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Threads <= 0 {
		cfg.Threads = runtime.GOMAXPROCS(0)
	}
	if cfg.MaxRunning <= 0 {
		cfg.MaxRunning = max(8*cfg.Threads, 32)
	}
	if cfg.MaxQueued <= 0 {
		cfg.MaxQueued = 1000
	}
	if cfg.MemoryLimit <= 0 {
		total, _ := vfs.MemoryTotal()
		cfg.MemoryLimit = cache.DefaultMemoryLimit(total)
	}
	e := &Engine{cfg: cfg, fs: cfg.FS, log: cfg.Log, slots: newSlots(cfg.MaxRunning, cfg.MaxQueued), running: map[int64]*Query{}, started: time.Now()}
	st, err := store.Open(store.Options{FS: cfg.FS, Dir: cfg.Dir, Log: cfg.Log, Background: !cfg.NoBackground, OnRemove: e.forget})
	if err != nil {
		return nil, err
	}
	e.store = st
	if err := e.allowDirs(); err != nil {
		st.Close()
		return nil, err
	}
	e.buildCaches()
	spillBytes, _ := strconv.ParseInt(e.global(e.store.Snapshot(), "max_spill_bytes"), 10, 64)
	e.spill = vexec.NewSpillSpace(e.fs, e.store.TempDir(), spillBytes)
	return e, nil
}

// allowDirs resolves the folders that users may name.
func (e *Engine) allowDirs() error {
	data, err := e.fs.Canonical(e.cfg.Dir)
	if err != nil {
		return fmt.Errorf("data directory %s: %w", e.cfg.Dir, err)
	}
	for _, d := range e.cfg.AllowedDirs {
		c, err := e.fs.Canonical(d)
		if err != nil {
			return sqlerr.Wrap(sqlerr.NotFound, err, "allowed folder %s", d)
		}
		info, err := e.fs.Stat(c)
		if err != nil || !info.IsDir() {
			return sqlerr.New(sqlerr.NotFound, "allowed folder %s is not a folder", d)
		}
		if vfs.Within(data, c) {
			return sqlerr.New(sqlerr.Permission, "allowed folder %s lies in the data directory", d)
		}
		e.allowed = append(e.allowed, c)
	}
	return nil
}

// buildCaches divides the memory limit; see package cache.
func (e *Engine) buildCaches() {
	percent, _ := strconv.Atoi(e.global(e.store.Snapshot(), "segment_cache_memory_percentage"))
	e.memory = cache.NewMemory(e.cfg.MemoryLimit, percent)
	e.pages = cache.New[segment.PageKey, segment.CachedPage](cache.Config[segment.PageKey]{Name: "pages", MaxBytes: e.memory.Pages.Limit(), EntryBytes: 64 << 10,
		Budget: e.memory.Pages, Group: func(k segment.PageKey) uint64 { return uint64(k.Segment) }})
	e.meta = cache.New[segment.ID, *segment.File](cache.Config[segment.ID]{Name: "segment metadata", MaxBytes: e.memory.Metadata.Limit(), EntryBytes: 64 << 10,
		Budget: e.memory.Metadata, Urgent: true, Group: func(k segment.ID) uint64 { return uint64(k) }})
	e.memory.Lend(e.pages.Shrink, e.meta.Shrink)
	debug.SetMemoryLimit(e.cfg.MemoryLimit + e.cfg.MemoryLimit/8)
}

// Close ends the engine. Running statements should have been canceled.
func (e *Engine) Close() error {
	err := e.store.Close()
	e.pages.Close()
	e.meta.Close()
	return err
}

// global returns the value of a global setting.
func (e *Engine) global(snap *catalog.Snapshot, name string) string {
	if v, ok := snap.Setting(name); ok {
		return v
	}
	return settings[name].initial
}

// Snapshot returns the present state of the catalogue, for metadata calls.
func (e *Engine) Snapshot() *catalog.Snapshot { return e.store.Snapshot() }

// Flush turns all small writes into segments; Compact merges the segments of all tables.
func (e *Engine) Flush(ctx context.Context) error { return e.store.Flush(ctx) }

// Compact merges the segments of every table.
func (e *Engine) Compact(ctx context.Context) error {
	snap := e.store.Snapshot()
	for _, d := range snap.Databases() {
		for _, t := range snap.Tables(d) {
			if err := e.store.Compact(ctx, t.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// SetURL tells other processes that want the data directory at which URL clients reach this one.
func (e *Engine) SetURL(url string) error { return e.store.SetURL(url) }

// Health returns why the engine cannot write any more, or nil.
func (e *Engine) Health() error { return e.store.Health() }

// stageDir is the folder of an internal stage.
func (e *Engine) stageDir(g *catalog.Stage) string { return path.Clean(e.store.StageDir(g.ID)) }
