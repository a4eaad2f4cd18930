package store

import (
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/vfs"
)

// recovery is what is found in a data directory.
type recovery struct {
	fs  vfs.FS
	dir string
	// checkpoints and logs are the versions of the files, ascending.
	checkpoints, logs []uint64

	snap *catalog.Snapshot
	// checkpointed is the version of the checkpoint read, checkpointBytes its size; 0 without one.
	checkpointed    uint64
	checkpointBytes int64
	// log is the one to go on with.
	log *logFile
	// clean says that the last process ended its log properly.
	clean bool
	// cut is how many bytes of an unfinished commit were cut off, for the server's log.
	cut int64
}

// scan finds the files.
func (r *recovery) scan() error {
	infos, err := r.fs.List(r.dir)
	if err != nil {
		return sqlerr.Wrap(sqlerr.IO, err, "list data directory")
	}
	for _, info := range infos {
		if v, ok := parseVersionName(info.Name, logPrefix); ok {
			r.logs = append(r.logs, v)
		}
		if v, ok := parseVersionName(info.Name, checkpointPrefix); ok {
			r.checkpoints = append(r.checkpoints, v)
		}
	}
	slices.Sort(r.logs)
	slices.Sort(r.checkpoints)
	return nil
}

// run rebuilds the state: the newest checkpoint, then the logs that follow it.
func (r *recovery) run() error {
	r.snap = catalog.NewSnapshot()
	if n := len(r.checkpoints); n > 0 {
		v := r.checkpoints[n-1]
		var err error
		if r.snap, r.checkpointBytes, err = readCheckpoint(r.fs, r.path(checkpointPrefix, v), v); err != nil {
			return err
		}
		r.checkpointed = v
	}
	logs := slices.DeleteFunc(slices.Clone(r.logs), func(v uint64) bool { return v < r.checkpointed })
	if len(logs) == 0 || logs[0] != r.checkpointed {
		return sqlerr.New(sqlerr.Corrupt, "file %s is missing", r.path(logPrefix, r.checkpointed))
	}
	for _, base := range logs {
		if err := r.readLog(base); err != nil {
			return err
		}
	}
	return r.trim()
}

func (r *recovery) path(prefix string, version uint64) string {
	return path.Join(r.dir, versionName(prefix, version))
}

// readLog replays one log and makes it the one to go on with.
func (r *recovery) readLog(base uint64) error {
	name := r.path(logPrefix, base)
	f, err := r.fs.OpenAppend(name)
	if err != nil {
		return sqlerr.Wrap(sqlerr.IO, err, "open log")
	}
	err = r.readOpenLog(f, name, base)
	if err != nil || r.log == nil || r.log.f != f {
		_ = f.Close()
	}
	return err
}

func (r *recovery) readOpenLog(f vfs.File, name string, base uint64) error {
	size, err := f.Size()
	if err != nil {
		return sqlerr.Wrap(sqlerr.IO, err, "read %s", name)
	}
	header, err := readFileHeader(f, name, logMagic, base)
	if r.leftover(size, base, err) {
		if err := r.fs.Remove(name); err != nil {
			return sqlerr.Wrap(sqlerr.IO, err, "remove empty log")
		}
		return nil
	}
	if err != nil {
		return err
	}
	if base != r.snap.Version {
		return r.missing(base)
	}
	rr, err := newRecordReader(f, name, header)
	if err != nil {
		return err
	}
	if err := r.replayAll(rr); err != nil {
		return err
	}
	if r.log != nil {
		_ = r.log.f.Close()
	}
	r.log = &logFile{f: f, path: name, header: header, size: rr.off}
	r.cut = rr.size - rr.off
	return nil
}

// leftover reports whether a log is one that was made but never written to, because of a crash or a full disk; the log before it went on.
func (r *recovery) leftover(size int64, base uint64, headerErr error) bool {
	if r.log == nil || size > fileHeaderBytes {
		return false
	}
	switch {
	case headerErr == nil:
		return base < r.snap.Version
	case sqlerr.KindOf(headerErr) == sqlerr.Corrupt:
		return base <= r.snap.Version
	}
	return false
}

// missing is the error for a log that does not continue where the one before it ended.
func (r *recovery) missing(base uint64) error {
	if r.log == nil {
		return sqlerr.New(sqlerr.Corrupt, "log %s does not continue the checkpoint", r.path(logPrefix, base))
	}
	return sqlerr.New(sqlerr.Corrupt, "file %s, byte %d: the log ends at version %d, but the next log begins at version %d", r.log.path, r.log.size, r.snap.Version, base)
}

// replayAll applies all whole records of a log. A bad record is the end of the log if nothing was written behind it, else damage.
func (r *recovery) replayAll(rr *recordReader) error {
	for {
		at := rr.off
		rec, err := rr.next()
		if err == io.EOF {
			return nil
		}
		if err == errBadRecord {
			behind, err := rr.recordBehind()
			if err == nil && behind {
				err = rr.corrupt("a record is damaged, but there are records behind it")
			}
			r.clean = false
			return err
		}
		if err != nil {
			return err
		}
		if rec.version != r.snap.Version {
			return sqlerr.New(sqlerr.Corrupt, "file %s, byte %d: a record for version %d follows version %d", rr.name, at, rec.version, r.snap.Version)
		}
		snap, err := replay(r.snap, rec)
		if err != nil {
			return sqlerr.Wrap(sqlerr.Corrupt, err, "file %s, byte %d", rr.name, at)
		}
		snap.NextID = max(snap.NextID, rec.nextID)
		r.snap = snap
		r.clean = len(rec.edits) == 0
	}
}

// replay applies the Edits of a record.
func replay(snap *catalog.Snapshot, rec *record) (*catalog.Snapshot, error) {
	for i, b := range rec.edits {
		e, err := catalog.DecodeEdit(b)
		if err != nil {
			return nil, fmt.Errorf("decode edit %d: %w", i, err)
		}
		if snap, err = snap.Apply(e); err != nil {
			return nil, fmt.Errorf("apply edit %d: %w", i, err)
		}
	}
	return snap, nil
}

// trim cuts an unfinished commit off the last log and makes sure that all we replayed is durable: after the crash of a process, bytes
// that were never synced can still be read.
func (r *recovery) trim() error {
	if r.cut > 0 {
		if err := r.log.f.Truncate(r.log.size); err != nil {
			return sqlerr.Wrap(sqlerr.IO, err, "cut off the unfinished end of %s", r.log.path)
		}
	}
	if err := r.log.f.Sync(); err != nil {
		return sqlerr.Wrap(sqlerr.IO, err, "sync %s", r.log.path)
	}
	if err := r.fs.SyncDir(r.dir); err != nil {
		return sqlerr.Wrap(sqlerr.IO, err, "sync data directory")
	}
	return nil
}
