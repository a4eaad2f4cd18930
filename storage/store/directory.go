package store

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/storage/vfs"
)

const (
	// formatLine is the content of FORMAT: this, the version, a line end.
	formatLine = "ebira data directory, format version "
	// maxFormatBytes bounds what is read of FORMAT.
	maxFormatBytes = 1 << 10
)

func (s *Store) lockPath() string { return path.Join(s.dir, lockName) }

// prepare checks the format version, or makes a new directory. FORMAT is written last, so that a crash before it leaves a directory
// that is made anew.
func (s *Store) prepare() error {
	name := path.Join(s.dir, formatName)
	text, err := vfs.ReadFile(s.fs, name, maxFormatBytes)
	fresh := errors.Is(err, fs.ErrNotExist)
	switch {
	case fresh:
		if err := s.checkEmpty(); err != nil {
			return err
		}
	case err != nil:
		return sqlerr.Wrap(sqlerr.IO, err, "read %s", name)
	default:
		if err := parseFormat(name, string(text)); err != nil {
			return err
		}
	}
	for _, sub := range []string{segmentsName, stagesName, tmpName} {
		if err := vfs.MkdirAllSync(s.fs, path.Join(s.dir, sub)); err != nil {
			return sqlerr.Wrap(sqlerr.IO, err, "make data directory")
		}
	}
	if !fresh {
		return nil
	}
	if err := s.syncAncestors(); err != nil {
		return err
	}
	l, err := createLog(s.fs, s.dir, 0)
	if err == nil {
		err = l.f.Close()
	}
	if err == nil {
		err = vfs.WriteFileAtomic(s.fs, name, []byte(formatLine+strconv.Itoa(formatVersion)+"\n"))
	}
	if err != nil {
		return sqlerr.Wrap(sqlerr.IO, err, "make data directory")
	}
	return nil
}

// syncAncestors makes the name of the data directory durable, although it exists: an Open that failed may have made it and not synced it.
func (s *Store) syncAncestors() error {
	for dir := path.Dir(path.Clean(s.dir)); ; dir = path.Dir(dir) {
		if err := s.fs.SyncDir(dir); errors.Is(err, fs.ErrPermission) {
			// A folder that we may not even read is none that we have made.
			return nil
		} else if err != nil {
			return sqlerr.Wrap(sqlerr.IO, err, "make data directory")
		}
		if dir == path.Dir(dir) {
			return nil
		}
	}
}

func parseFormat(name, text string) error {
	digits, ok := strings.CutPrefix(strings.TrimSuffix(text, "\n"), formatLine)
	version, err := strconv.ParseUint(digits, 10, 32)
	if !ok || err != nil {
		return sqlerr.New(sqlerr.Corrupt, "file %s does not hold a format version", name)
	}
	return checkFormat("data directory "+path.Dir(name), version)
}

// checkEmpty refuses to make a data directory among other things, and to make one anew where FORMAT was lost.
func (s *Store) checkEmpty() error {
	infos, err := s.fs.List(s.dir)
	if err != nil {
		return sqlerr.Wrap(sqlerr.IO, err, "list data directory")
	}
	for _, info := range infos {
		_, isLog := parseVersionName(info.Name, logPrefix)
		_, isCheckpoint := parseVersionName(info.Name, checkpointPrefix)
		switch {
		case isCheckpoint || isLog && info.Size > fileHeaderBytes:
			return sqlerr.New(sqlerr.Corrupt, "data directory %s holds %s, but its file %s is missing", s.dir, info.Name, formatName)
		case isLog || info.Name == lockName || strings.HasPrefix(info.Name, ".") || info.Name == "lost+found":
		case slices.Contains([]string{segmentsName, stagesName, tmpName}, info.Name):
		default:
			return sqlerr.New(sqlerr.Constraint, "directory %s is not empty (it holds %s) and is no ebira data directory", s.dir, info.Name)
		}
	}
	return nil
}

// sweep removes what no table refers to and checks that all it refers to is there. Nobody else uses the directory yet.
func (s *Store) sweep(snap *catalog.Snapshot) error {
	if _, err := vfs.RemoveTemps(s.fs, s.dir); err != nil {
		return sqlerr.Wrap(sqlerr.IO, err, "remove temporary files")
	}
	if err := s.fs.RemoveAll(s.TempDir()); err != nil {
		return sqlerr.Wrap(sqlerr.IO, err, "empty %s", s.TempDir())
	}
	if err := s.fs.MkdirAll(s.TempDir()); err != nil {
		return sqlerr.Wrap(sqlerr.IO, err, "empty %s", s.TempDir())
	}
	if err := s.sweepSegments(snap); err != nil {
		return err
	}
	return s.sweepStages(snap)
}

func (s *Store) sweepSegments(snap *catalog.Snapshot) error {
	infos, err := s.fs.List(s.SegmentDir())
	if err != nil {
		return sqlerr.Wrap(sqlerr.IO, err, "list segments")
	}
	sizes := make(map[string]int64, len(infos))
	for _, info := range infos {
		sizes[info.Name] = info.Size
	}
	wanted := make(map[string]bool)
	for _, d := range snap.Databases() {
		for _, t := range snap.Tables(d) {
			for _, m := range t.Segments {
				wanted[m.File] = true
				if size, ok := sizes[m.File]; !ok || size != m.Bytes {
					s.stats.missing.Add(1)
					s.o.Log.Error("a segment file is missing or has a wrong size; queries that need it will fail",
						"table", d.Name+"."+t.Name, "file", path.Join(s.SegmentDir(), m.File), "bytes", size, "want", m.Bytes)
				}
			}
		}
	}
	for _, info := range infos {
		digits, ok := strings.CutSuffix(info.Name, segmentSuffix)
		id, err := strconv.ParseUint(digits, 10, 63)
		ours := ok && err == nil
		if ours {
			s.raiseIDs(id + 1)
		}
		if info.IsRegular() && !wanted[info.Name] && (ours || vfs.IsTemp(info.Name)) {
			s.o.Log.Info("remove a segment file that no table refers to", "file", info.Name)
			s.removeFile(path.Join(s.SegmentDir(), info.Name))
		}
	}
	return nil
}

func (s *Store) sweepStages(snap *catalog.Snapshot) error {
	wanted := make(map[uint64]bool)
	for _, st := range snap.Stages() {
		if st.URL != "" {
			continue
		}
		wanted[st.ID] = true
		if err := vfs.MkdirAllSync(s.fs, s.StageDir(st.ID)); err != nil {
			return sqlerr.Wrap(sqlerr.IO, err, "make the folder of stage %s", st.Name)
		}
	}
	infos, err := s.fs.List(path.Join(s.dir, stagesName))
	if err != nil {
		return sqlerr.Wrap(sqlerr.IO, err, "list stages")
	}
	for _, info := range infos {
		id, err := strconv.ParseUint(info.Name, 10, 63)
		if err != nil || !info.IsDir() {
			continue
		}
		s.raiseIDs(id + 1)
		if !wanted[id] {
			s.removeTree(s.StageDir(id))
		}
	}
	return nil
}

// removeFile removes a file that nothing refers to. A failure is no reason to fail anything: the next Open tries again.
func (s *Store) removeFile(name string) {
	err := s.fs.Remove(name)
	if err == nil {
		s.stats.removed.Add(1)
	} else if !errors.Is(err, fs.ErrNotExist) {
		s.o.Log.Warn("remove file", "file", name, "error", err)
	}
}

func (s *Store) removeTree(name string) {
	if err := s.fs.RemoveAll(name); err != nil {
		s.o.Log.Warn("remove folder", "folder", name, "error", err)
	}
}

// collect removes dead files that no pin protects any more.
func (s *Store) collect() {
	dead := s.pins.takeDead()
	var ids []segment.ID
	for _, d := range dead {
		if d.segment != 0 {
			ids = append(ids, d.segment)
		}
	}
	if len(ids) > 0 && s.o.OnRemove != nil {
		s.o.OnRemove(ids)
	}
	for _, d := range dead {
		if d.segment != 0 {
			s.removeFile(d.path)
		} else {
			s.removeTree(d.path)
		}
	}
}
