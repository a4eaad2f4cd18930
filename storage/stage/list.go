package stage

import (
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/vfs"
)

// Bounds of a listing; a folder beyond them is no stage but an accident.
const (
	maxListDepth = 64
	maxListFiles = 1_000_000
)

// List returns the regular files below dir whose path relative to dir begins with prefix, sorted by name. A path is a prefix: "a/b" selects
// a/b.json and a/b/c.json, "a/" what lies below a. Names that begin with _ or . are left out at every level, as batch jobs leave markers
// under them; symbolic links are not followed. A folder that does not exist is empty.
func List(fsys vfs.FS, dir, prefix string) ([]File, error) {
	l := lister{fsys: fsys, dir: dir, prefix: prefix}
	if err := l.walk("", 0); err != nil {
		return nil, err
	}
	slices.SortFunc(l.files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return l.files, nil
}

type lister struct {
	fsys        vfs.FS
	dir, prefix string
	files       []File
}

// walk lists the folder rel, which is "" or ends with a slash.
func (l *lister) walk(rel string, depth int) error {
	infos, err := l.fsys.List(path.Join(l.dir, rel))
	if err != nil {
		// Another statement may remove a folder while it is listed.
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return sqlerr.Wrap(sqlerr.IO, err, "list %s", rel)
	}
	for _, info := range infos {
		name := rel + info.Name
		switch {
		case strings.HasPrefix(info.Name, "_") || strings.HasPrefix(info.Name, "."):
		case info.IsDir():
			below := name + "/"
			if !strings.HasPrefix(below, l.prefix) && !strings.HasPrefix(l.prefix, below) {
				continue
			}
			if depth == maxListDepth {
				return sqlerr.New(sqlerr.Resource, "folder %s lies deeper than %d levels", name, maxListDepth)
			}
			if err := l.walk(below, depth+1); err != nil {
				return err
			}
		case info.IsRegular() && strings.HasPrefix(name, l.prefix):
			if len(l.files) == maxListFiles {
				return sqlerr.New(sqlerr.Resource, "the location holds more than %d files; name a folder or a prefix", maxListFiles)
			}
			l.files = append(l.files, File{Name: name, Path: path.Join(l.dir, name), Size: info.Size, ModTime: info.ModTime})
		}
	}
	return nil
}

// Stat describes the regular file at a canonical path; its Name is the last element.
func Stat(fsys vfs.FS, name string) (File, error) {
	info, err := fsys.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return File{}, sqlerr.New(sqlerr.NotFound, "file %s does not exist", path.Base(name))
	case err != nil:
		return File{}, sqlerr.Wrap(sqlerr.IO, err, "file %s", path.Base(name))
	case !info.IsRegular():
		return File{}, sqlerr.New(sqlerr.NotFound, "%s is not a regular file", path.Base(name))
	}
	return File{Name: path.Base(name), Path: name, Size: info.Size, ModTime: info.ModTime}, nil
}

// maxPatternBytes bounds a pattern, whose compiled form may be many times as long.
const maxPatternBytes = 10_000

// Match compiles PATTERN: a regular expression (RE2 syntax) that must match the whole name.
func Match(pattern string) (func(name string) bool, error) {
	if len(pattern) > maxPatternBytes {
		return nil, sqlerr.New(sqlerr.Bind, "the pattern is longer than %d bytes", maxPatternBytes)
	}
	// The pattern alone is compiled first, so that its errors do not show the anchors and it cannot close the group.
	if _, err := regexp.Compile(pattern); err != nil {
		return nil, sqlerr.Wrap(sqlerr.Bind, err, "the pattern is no regular expression")
	}
	re, err := regexp.Compile(`\A(?:` + pattern + `)\z`)
	if err != nil {
		return nil, sqlerr.Wrap(sqlerr.Bind, err, "the pattern is no regular expression")
	}
	return re.MatchString, nil
}

// open opens a file for reading. Where the path ends with the name, the name is resolved beneath its folder, so that a link put in place
// since the listing cannot lead elsewhere. A file that has changed its size since then is refused: half of a row would be loaded and the
// load history would be wrong.
func open(fsys vfs.FS, f *File) (vfs.File, error) {
	var r vfs.File
	var err error
	if dir, ok := strings.CutSuffix(f.Path, "/"+f.Name); ok && dir != "" {
		r, err = fsys.OpenBeneath(dir, f.Name)
	} else {
		r, err = fsys.Open(f.Path)
	}
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, sqlerr.New(sqlerr.NotFound, "file %s does not exist any more", f.Name)
		}
		return nil, sqlerr.Wrap(sqlerr.IO, err, "open file %s", f.Name)
	}
	size, err := r.Size()
	switch {
	case err != nil:
		err = sqlerr.Wrap(sqlerr.IO, err, "file %s", f.Name)
	case size != f.Size:
		err = sqlerr.New(sqlerr.IO, "file %s changed from %d to %d bytes since it was listed; load it when it is complete", f.Name, f.Size, size)
	default:
		return r, nil
	}
	_ = r.Close() // nothing was written
	return nil, err
}
