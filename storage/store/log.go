package store

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"syscall"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/vfs"
)

// Names in the data directory.
const (
	lockName         = "LOCK"
	formatName       = "FORMAT"
	logPrefix        = "log-"
	checkpointPrefix = "checkpoint-"
	segmentsName     = "segments"
	segmentSuffix    = ".parquet"
	stagesName       = "stages"
	tmpName          = "tmp"
)

// versionName is the name of a log or checkpoint; versions are padded so that names sort.
func versionName(prefix string, version uint64) string {
	return fmt.Sprintf("%s%020d", prefix, version)
}

// parseVersionName is the inverse of versionName.
func parseVersionName(name, prefix string) (uint64, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	if !ok || len(digits) != 20 {
		return 0, false
	}
	v, err := strconv.ParseUint(digits, 10, 64)
	return v, err == nil
}

// logFile is a log open for appending. It belongs to whoever has the Store's turn.
type logFile struct {
	f      vfs.File
	path   string
	header fileHeader
	// size is the length of all whole, synced records with the header.
	size int64
	// buf is reused for the bytes of records.
	buf []byte
}

// keepBufferBytes is the largest record buffer that is kept for the next record.
const keepBufferBytes = 1 << 20

// createLog makes an empty log with a durable header and a durable name.
func createLog(fsys vfs.FS, dir string, base uint64) (*logFile, error) {
	l := &logFile{path: path.Join(dir, versionName(logPrefix, base)), header: newFileHeader(logMagic, base), size: fileHeaderBytes}
	f, err := fsys.Create(l.path)
	if err != nil {
		return nil, sqlerr.Wrap(sqlerr.IO, err, "create log")
	}
	l.f = f
	_, err = f.Write(l.header.encode())
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = fsys.SyncDir(dir)
	}
	if err != nil {
		// Nothing was ever written to it, so it makes no difference whether the file stays: recovery ignores an empty log.
		_ = f.Close()
		_ = fsys.Remove(l.path)
		return nil, sqlerr.Wrap(sqlerr.IO, err, "create log")
	}
	return l, nil
}

// errLogUnknown is in the chain of errors after which nobody knows what is on disk.
var errLogUnknown = errors.New("what is on disk is unknown")

func unknown(err error) error { return fmt.Errorf("%w (%w)", err, errLogUnknown) }

// append writes a record and syncs it. If the disk was full and the log could be brought back to its old end, the error is a plain one
// of kind IO; after any other failure it wraps errLogUnknown and the log must not be written any more.
func (l *logFile) append(r *record) error {
	l.buf = r.encode(l.buf[:0], l.header.salt, l.size)
	n := int64(len(l.buf))
	_, err := l.f.Write(l.buf)
	if cap(l.buf) > keepBufferBytes {
		l.buf = nil
	}
	if err != nil {
		if isDiskFull(err) && l.cut() == nil {
			return sqlerr.Wrap(sqlerr.IO, err, "the disk is full, nothing was changed; free some space and try again")
		}
		return sqlerr.Wrap(sqlerr.IO, unknown(err), "write log")
	}
	if err := l.f.Sync(); err != nil {
		return sqlerr.Wrap(sqlerr.IO, unknown(err), "sync log")
	}
	l.size += n
	return nil
}

// cut removes what a failed write has left behind the last whole record.
func (l *logFile) cut() error {
	if err := l.f.Truncate(l.size); err != nil {
		return err
	}
	return l.f.Sync()
}

// isDiskFull reports whether an error says that there is no room, as opposed to a broken disk.
func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
