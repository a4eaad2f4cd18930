package store

import (
	"context"
	"errors"
	"io"
	"path"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/vfs"
)

// Checkpoint writes the whole state to a file and starts a new log, so that the next Open need not replay the old one. Commits go on
// meanwhile, except for the moment in which the logs are switched. A failure leaves the old log in force; the error is of kind IO or
// Canceled.
//
// A crash between any two steps is harmless: until the checkpoint has its final name, recovery reads the old checkpoint, the old log and
// the new log; afterwards the new checkpoint and the new log.
func (s *Store) Checkpoint(ctx context.Context) error {
	if err := s.beginMaintenance(ctx); err != nil {
		return err
	}
	defer s.endMaintenance()
	return s.checkpoint(ctx)
}

// beginMaintenance waits until no other flush, compaction or checkpoint runs.
func (s *Store) beginMaintenance(ctx context.Context) error {
	select {
	case s.maintenance <- struct{}{}:
		err := s.writable()
		if err != nil {
			s.endMaintenance()
		}
		return err
	case <-ctx.Done():
		return sqlerr.Wrap(sqlerr.Canceled, ctx.Err(), "wait for maintenance to end")
	}
}

func (s *Store) endMaintenance() { <-s.maintenance }

func (s *Store) checkpoint(ctx context.Context) error {
	if err := s.takeTurn(ctx); err != nil {
		return err
	}
	snap := s.pins.snapshot()
	err := s.writable()
	if err == nil && snap.Version == s.checkpointed {
		<-s.turn
		return nil
	}
	if err == nil {
		err = s.rotate(snap.Version)
	}
	<-s.turn
	if err != nil {
		return err
	}
	size, err := writeCheckpoint(ctx, s.fs, s.dir, snap)
	if err != nil {
		return err
	}
	s.checkpointed = snap.Version
	s.checkpointBytes.Store(size)
	s.stats.checkpoints.Add(1)
	s.removeOldLogs(snap.Version)
	return nil
}

// takeTurn waits until no commit runs. The caller ends its turn by receiving from s.turn.
func (s *Store) takeTurn(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return sqlerr.Wrap(sqlerr.Canceled, ctx.Err(), "wait for commits to end")
	}
}

// rotate puts a new log for the Edits behind version in the place of the present one. The caller has the turn.
func (s *Store) rotate(version uint64) error {
	if s.log.header.base == version {
		return nil
	}
	next, err := createLog(s.fs, s.dir, version)
	if err != nil {
		return err
	}
	if err := s.log.f.Close(); err != nil {
		// All of it is synced, so nothing depends on the handle.
		s.o.Log.Warn("close old log", "file", s.log.path, "error", err)
	}
	s.log, s.clean = next, false
	s.stats.logBytes.Store(next.size)
	return nil
}

// removeOldLogs removes what the checkpoint of a version has made superfluous. What cannot be removed is tried again by Open.
func (s *Store) removeOldLogs(version uint64) {
	infos, err := s.fs.List(s.dir)
	if err != nil {
		s.o.Log.Warn("list old logs", "error", err)
		return
	}
	for _, info := range infos {
		for _, prefix := range []string{logPrefix, checkpointPrefix} {
			if v, ok := parseVersionName(info.Name, prefix); ok && v < version {
				s.removeFile(path.Join(s.dir, info.Name))
			}
		}
	}
}

// writeCheckpoint writes a Snapshot under a temporary name, syncs it and gives it its final name. It returns the size of the file.
func writeCheckpoint(ctx context.Context, fsys vfs.FS, dir string, snap *catalog.Snapshot) (int64, error) {
	name := path.Join(dir, versionName(checkpointPrefix, snap.Version))
	temp := vfs.TempName(name)
	f, err := fsys.Create(temp)
	if err != nil {
		return 0, sqlerr.Wrap(sqlerr.IO, err, "write checkpoint")
	}
	size, err := writeState(ctx, f, snap)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = fsys.Rename(temp, name)
	}
	if err == nil {
		err = fsys.SyncDir(dir)
	}
	if err != nil {
		// If only the last step failed the file has its final name already, and is complete.
		_ = fsys.Remove(temp)
		if ctx.Err() != nil {
			return 0, sqlerr.Wrap(sqlerr.Canceled, err, "write checkpoint")
		}
		return 0, sqlerr.Wrap(sqlerr.IO, err, "write checkpoint")
	}
	return size, nil
}

// writeState writes the header and, one record each, the Edits that build a Snapshot, and the end mark.
func writeState(ctx context.Context, w io.Writer, snap *catalog.Snapshot) (int64, error) {
	header := newFileHeader(checkpointMagic, snap.Version)
	if _, err := w.Write(header.encode()); err != nil {
		return 0, err
	}
	size := int64(fileHeaderBytes)
	var buf []byte
	put := func(r record) error {
		buf = r.encode(buf[:0], header.salt, size)
		size += int64(len(buf))
		_, err := w.Write(buf)
		return err
	}
	for i, e := range snap.Rebuild() {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		b, err := e.Encode(nil)
		if err != nil {
			return 0, err
		}
		if err := put(record{uint64(i), snap.NextID, [][]byte{b}}); err != nil {
			return 0, err
		}
	}
	return size, put(record{version: snap.Version, nextID: snap.NextID})
}

// readCheckpoint reads what writeCheckpoint wrote. Anything else is Corrupt: a checkpoint gets its name only when it is complete.
func readCheckpoint(fsys vfs.FS, name string, version uint64) (snap *catalog.Snapshot, size int64, err error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, 0, sqlerr.Wrap(sqlerr.IO, err, "read checkpoint")
	}
	defer f.Close()
	header, err := readFileHeader(f, name, checkpointMagic, version)
	if err != nil {
		return nil, 0, err
	}
	r, err := newRecordReader(f, name, header)
	if err != nil {
		return nil, 0, err
	}
	snap = catalog.NewSnapshot()
	for {
		at := r.off
		rec, err := r.next()
		switch {
		case err == io.EOF:
			return nil, 0, r.corrupt("the end of the checkpoint is missing")
		case err == errBadRecord:
			return nil, 0, r.corrupt("a record is damaged")
		case err != nil:
			return nil, 0, err
		case len(rec.edits) == 0:
			if r.off != r.size || rec.version != version {
				return nil, 0, r.corrupt("the checkpoint ends at a wrong place")
			}
			snap.Version, snap.NextID = version, max(snap.NextID, rec.nextID)
			return snap, r.size, nil
		}
		if snap, err = replay(snap, rec); err != nil {
			return nil, 0, sqlerr.Wrap(sqlerr.Corrupt, err, "file %s, byte %d", name, at)
		}
	}
}
