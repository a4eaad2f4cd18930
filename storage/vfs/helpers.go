package vfs

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

const (
	// tempPrefix hides temporary files from stage listings, which skip names beginning with "." or "_".
	tempPrefix = "."
	// tempSuffix marks files that may be deleted by whoever holds the lock of their directory.
	tempSuffix = ".tmp"
	// tempRandomBytes makes collisions of temporary names impossible in practice.
	tempRandomBytes = 8
)

// TempName returns a fresh name in the directory of name, of the form ".base.<16 hex digits>.tmp".
// The file is to be renamed to its final name when it is complete and synced.
func TempName(name string) string {
	var b [tempRandomBytes]byte
	// The documented behaviour of crypto/rand.Read is never to return an error.
	_, _ = rand.Read(b[:])
	dir, base := path.Split(name)
	return dir + tempPrefix + base + "." + hex.EncodeToString(b[:]) + tempSuffix
}

// IsTemp reports whether the last element of name has the form that TempName gives. Such files are left over by a crash.
func IsTemp(name string) bool {
	base := path.Base(name)
	rest, ok := strings.CutSuffix(base, tempSuffix)
	if !ok || !strings.HasPrefix(base, tempPrefix) {
		return false
	}
	dot := strings.LastIndexByte(rest, '.')
	random, err := hex.DecodeString(rest[dot+1:])
	return dot > 0 && err == nil && len(random) == tempRandomBytes
}

// RemoveTemps deletes the temporary files directly in dir and returns how many there were.
func RemoveTemps(fsys FS, dir string) (int, error) {
	infos, err := fsys.List(dir)
	if err != nil {
		return 0, err
	}
	removed := 0
	for _, info := range infos {
		if !info.IsRegular() || !IsTemp(info.Name) {
			continue
		}
		if err := fsys.Remove(path.Join(dir, info.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// WriteFileAtomic replaces the file name by data so that a crash leaves the old content or the new, never a mixture, and
// that the new content is durable when it returns nil. After an error the old content may or may not have been replaced.
func WriteFileAtomic(fsys FS, name string, data []byte) error {
	temp := TempName(name)
	if err := writeSynced(fsys, temp, data); err != nil {
		// The first error matters; a temporary file that stays is removed by RemoveTemps at the next open.
		_ = fsys.Remove(temp)
		return err
	}
	if err := fsys.Rename(temp, name); err != nil {
		_ = fsys.Remove(temp)
		return err
	}
	return fsys.SyncDir(path.Dir(name))
}

// writeSynced creates a file with data and syncs it.
func writeSynced(fsys FS, name string, data []byte) error {
	f, err := fsys.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// ReadFile returns the content of a file of at most maxBytes; a longer file is an error, so that a wrong file cannot fill memory.
func ReadFile(fsys FS, name string, maxBytes int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > maxBytes {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("file is larger than %d bytes", maxBytes)}
	}
	return data, nil
}

// MkdirAllSync makes a directory with its missing parents and makes all the new names durable.
func MkdirAllSync(fsys FS, name string) error {
	// The topmost missing directory decides how far up the names are new.
	var fresh []string
	for dir := path.Clean(name); ; dir = path.Dir(dir) {
		ok, err := Exists(fsys, dir)
		if err != nil {
			return err
		}
		if ok || dir == path.Dir(dir) {
			break
		}
		fresh = append(fresh, dir)
	}
	if err := fsys.MkdirAll(name); err != nil {
		return err
	}
	for _, dir := range fresh {
		if err := fsys.SyncDir(path.Dir(dir)); err != nil {
			return err
		}
	}
	return nil
}

// Within reports whether the canonical path name is the canonical directory dir or lies beneath it.
func Within(dir, name string) bool {
	if dir == name {
		return true
	}
	return strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}
