package session

import (
	"path"
	"strings"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/stage"
	"github.com/ebira-db/ebira/storage/vfs"
)

// place is a written location resolved: a folder that may be read, and a prefix of paths in it.
type place struct {
	dir    string
	prefix string
	// key names the folder in the load history.
	key string
	// single is the one file meant where the location names a file, not a folder.
	single *stage.File
	// format is the stage's own FILE_FORMAT.
	format []types.Property
}

// resolve finds the files' folder of a location.
func (s *Session) resolve(snap *catalog.Snapshot, l *parse.Location) (*place, error) {
	if l.IsStage() {
		return s.resolveStage(snap, l)
	}
	name, err := localPath(l)
	if err != nil {
		return nil, err
	}
	return s.resolveLocal(l, name)
}

func (s *Session) resolveStage(snap *catalog.Snapshot, l *parse.Location) (*place, error) {
	if l.Stage.Name == "~" {
		return nil, sqlerr.At(sqlerr.Unsupported, l.Pos(), "the user stage @~ is not supported; CREATE STAGE makes one")
	}
	g, err := snap.Stage(s.Database(), l.Stage.Name, l.Stage.Quoted)
	if err != nil {
		return nil, sqlerr.WithPlace(err, l.Pos())
	}
	for _, part := range strings.Split(l.Path, "/") {
		if part == ".." {
			return nil, sqlerr.At(sqlerr.Permission, l.Pos(), "a stage path cannot hold ..")
		}
	}
	if g.URL != "" {
		return nil, sqlerr.At(sqlerr.Unsupported, l.Pos(), "external stages are not supported")
	}
	return &place{dir: s.engine.stageDir(g), prefix: strings.TrimPrefix(path.Clean("/"+l.Path), "/") + trailingSlash(l.Path), key: "@" + g.Database + "." + g.Name, format: g.Format}, nil
}

// trailingSlash keeps the slash that path.Clean removes: "dir/" selects only what lies below dir.
func trailingSlash(p string) string {
	if strings.HasSuffix(p, "/") && strings.Trim(p, "/") != "" {
		return "/"
	}
	return ""
}

// localPath takes /path, fs:///path and file:///path.
func localPath(l *parse.Location) (string, error) {
	uri := l.URI
	for _, scheme := range []string{"fs://", "file://"} {
		if rest, ok := strings.CutPrefix(uri, scheme); ok {
			uri = rest
		}
	}
	if i := strings.Index(uri, "://"); i > 0 {
		return "", sqlerr.At(sqlerr.Unsupported, l.Pos(), "locations of kind %s:// are not supported; known are stages, /path and fs:///path", uri[:i])
	}
	if len(l.Connection) > 0 {
		return "", sqlerr.At(sqlerr.Bind, l.Connection[0].Pos(), "a local path takes no CONNECTION")
	}
	if uri == "" || strings.ContainsRune(uri, 0) {
		return "", sqlerr.At(sqlerr.Bind, l.Pos(), "the location is empty")
	}
	return uri, nil
}

// outside is the one answer for every path that may not be touched; it tells nothing of the path, not even whether it exists.
func (s *Session) outside(l *parse.Location) error {
	s.engine.log.Warn("path refused", "user", s.user, "path", l.URI)
	return sqlerr.At(sqlerr.Permission, l.Pos(), "%s lies outside of the allowed folders; start the server with --allowed-dirs to allow its folder", l.URI)
}

func (s *Session) resolveLocal(l *parse.Location, name string) (*place, error) {
	e := s.engine
	folder := strings.HasSuffix(name, "/")
	real, err := e.fs.Canonical(name)
	if err != nil {
		return nil, s.outside(l)
	}
	if e.allowedRoot(real) == "" {
		return nil, s.outside(l)
	}
	info, err := e.fs.Stat(real)
	switch {
	case err != nil:
		return nil, sqlerr.At(sqlerr.NotFound, l.Pos(), "%s does not exist", l.URI)
	case info.IsDir():
		return &place{dir: real, key: real}, nil
	case folder:
		return nil, sqlerr.At(sqlerr.NotFound, l.Pos(), "%s is not a folder", l.URI)
	}
	f, err := stage.Stat(e.fs, real)
	if err != nil {
		return nil, sqlerr.WithPlace(err, l.Pos())
	}
	f.Name = path.Base(real)
	return &place{dir: path.Dir(real), key: path.Dir(real), single: &f}, nil
}

// allowedRoot returns the allowed folder that holds a canonical path, "" if none does or the path lies in the data directory.
func (e *Engine) allowedRoot(real string) string {
	data, err := e.fs.Canonical(e.cfg.Dir)
	if err != nil || vfs.Within(data, real) {
		return ""
	}
	for _, dir := range e.allowed {
		if vfs.Within(dir, real) {
			return dir
		}
	}
	return ""
}

// list returns the files of a place, sorted by name.
func (e *Engine) list(p *place) ([]stage.File, error) {
	if p.single != nil {
		return []stage.File{*p.single}, nil
	}
	return stage.List(e.fs, p.dir, p.prefix)
}
