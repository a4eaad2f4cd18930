package session

import (
	"context"
	"strings"
	"time"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/stage"
)

var listSchema = []types.Field{text("name"), bigint("size"), text("md5"), instant("last_modified"), text("creator")}

func (s *Session) createStage(ctx context.Context, st *parse.CreateStage) (*Result, error) {
	if st.Temporary {
		return nil, sqlerr.At(sqlerr.Unsupported, st.Pos(), "temporary stages are not supported")
	}
	if err := checkName("stage", st.Name); err != nil {
		return nil, err
	}
	g := &catalog.Stage{ID: s.engine.store.NewID(), Database: s.Database(), Name: st.Name.Name, Created: time.Now().UTC()}
	for _, o := range st.Options {
		switch strings.ToUpper(o.Name) {
		case "FILE_FORMAT":
			if _, err := s.formatOf(o); err != nil {
				return nil, err
			}
			g.Format = formatProperties(o.Value.Options)
		case "COMMENT", "COMMENTS":
			g.Comment = o.Value.Text
		case "URL":
			return nil, sqlerr.At(sqlerr.Unsupported, o.Pos(), "external stages are not supported; leave URL out for an internal one")
		default:
			return nil, sqlerr.At(sqlerr.Bind, o.Pos(), "unknown stage option %s; known are FILE_FORMAT and COMMENT", o.Name)
		}
	}
	if reservedDatabase(g.Database) {
		return nil, sqlerr.At(sqlerr.Permission, st.Pos(), "stages cannot be created in database %s", g.Database)
	}
	return s.change(ctx, func(snap *catalog.Snapshot) (*catalog.Edit, error) {
		e := &catalog.Edit{}
		if old, err := snap.Stage(g.Database, g.Name, st.Name.Quoted); err == nil {
			switch {
			case st.IfNotExists:
				return nil, nil
			case !st.OrReplace:
				return nil, sqlerr.At(sqlerr.Exists, st.Name.Pos(), "stage %s exists already", old.Name)
			}
			e.Add(&catalog.DropStage{Database: old.Database, Name: old.Name})
		}
		e.Add(&catalog.PutStage{Stage: g})
		return e, nil
	})
}

// formatProperties keeps options as written.
func formatProperties(opts []parse.Option) []types.Property {
	var out []types.Property
	for _, o := range opts {
		v := o.Value.Text
		if len(o.Value.List) > 0 {
			var items []string
			for _, it := range o.Value.List {
				items = append(items, quoteText(it.Text))
			}
			v = "(" + strings.Join(items, ", ") + ")"
		}
		out = append(out, types.Property{Name: strings.ToUpper(o.Name), Value: v})
	}
	return out
}

func (s *Session) dropStage(ctx context.Context, st *parse.DropStage) (*Result, error) {
	return s.change(ctx, func(snap *catalog.Snapshot) (*catalog.Edit, error) {
		g, err := snap.Stage(s.Database(), st.Name.Name, st.Name.Quoted)
		if err != nil {
			if st.IfExists {
				return nil, nil
			}
			return nil, sqlerr.WithPlace(err, st.Name.Pos())
		}
		return &catalog.Edit{Ops: []catalog.Op{&catalog.DropStage{Database: g.Database, Name: g.Name}}}, nil
	})
}

// stageFiles lists the files of a location whose path below it matches a pattern.
func (s *Session) stageFiles(l *parse.Location, pattern *parse.StringLit) ([]stage.File, error) {
	p, err := s.resolve(s.snapshot(), l)
	if err != nil {
		return nil, err
	}
	files, err := s.engine.list(p)
	if err != nil || pattern == nil {
		return files, err
	}
	match, err := stage.Match(pattern.Value)
	if err != nil {
		return nil, sqlerr.WithPlace(err, pattern.Pos())
	}
	kept := files[:0:0]
	for _, f := range files {
		if match(belowPrefix(f.Name, p.prefix)) {
			kept = append(kept, f)
		}
	}
	return kept, nil
}

// belowPrefix is the part of a file's name that PATTERN looks at: what follows the folder named in the location.
func belowPrefix(name, prefix string) string {
	dir := prefix[:strings.LastIndexByte(prefix, '/')+1]
	return strings.TrimPrefix(name, dir)
}

func (s *Session) listStage(st *parse.ListStage) (*Result, error) {
	files, err := s.stageFiles(&st.Location, st.Pattern)
	if err != nil {
		return nil, err
	}
	out := newRows(listSchema...)
	for _, f := range files {
		out.add(f.Name, f.Size, nil, f.ModTime.UnixMicro(), nil)
	}
	return out.result(), nil
}

func (s *Session) removeStage(st *parse.RemoveStage) (*Result, error) {
	if !st.Location.IsStage() {
		return nil, sqlerr.At(sqlerr.Permission, st.Location.Pos(), "REMOVE works on stages only")
	}
	files, err := s.stageFiles(&st.Location, st.Pattern)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := s.engine.fs.Remove(f.Path); err != nil {
			return nil, sqlerr.Wrap(sqlerr.IO, err, "remove %s", f.Name)
		}
	}
	return &Result{}, nil
}

func (s *Session) createFormat(ctx context.Context, st *parse.CreateFileFormat) (*Result, error) {
	if err := checkName("file format", st.Name); err != nil {
		return nil, err
	}
	if _, err := stage.ParseFormat(stageOptions(st.Options)); err != nil {
		return nil, err
	}
	f := &catalog.FileFormat{Database: s.Database(), Name: st.Name.Name, Format: formatProperties(st.Options)}
	return s.change(ctx, func(snap *catalog.Snapshot) (*catalog.Edit, error) {
		e := &catalog.Edit{}
		if old, err := snap.Format(f.Database, f.Name, st.Name.Quoted); err == nil {
			switch {
			case st.IfNotExists:
				return nil, nil
			case !st.OrReplace:
				return nil, sqlerr.At(sqlerr.Exists, st.Name.Pos(), "file format %s exists already", old.Name)
			}
			e.Add(&catalog.DropFormat{Database: old.Database, Name: old.Name})
		}
		e.Add(&catalog.PutFormat{Format: f})
		return e, nil
	})
}

func (s *Session) dropFormat(ctx context.Context, st *parse.DropFileFormat) (*Result, error) {
	return s.change(ctx, func(snap *catalog.Snapshot) (*catalog.Edit, error) {
		f, err := snap.Format(s.Database(), st.Name.Name, st.Name.Quoted)
		if err != nil {
			if st.IfExists {
				return nil, nil
			}
			return nil, sqlerr.WithPlace(err, st.Name.Pos())
		}
		return &catalog.Edit{Ops: []catalog.Op{&catalog.DropFormat{Database: f.Database, Name: f.Name}}}, nil
	})
}

// stageOptions hands written options to package stage.
func stageOptions(opts []parse.Option) []stage.Option {
	var out []stage.Option
	for _, o := range opts {
		so := stage.Option{Name: o.Name, Text: o.Value.Text, Pos: o.Pos()}
		for _, it := range o.Value.List {
			so.List = append(so.List, it.Text)
		}
		out = append(out, so)
	}
	return out
}

// formatOf reads a FILE_FORMAT = (...) option, which may name a stored format.
func (s *Session) formatOf(o parse.Option) (stage.Format, error) {
	opts := o.Value.Options
	if o.Value.Kind != parse.ValueOptions {
		opts = []parse.Option{{Place: o.Place, Name: "TYPE", Value: o.Value}}
	}
	for _, f := range opts {
		if !strings.EqualFold(f.Name, "FORMAT_NAME") {
			continue
		}
		if len(opts) > 1 {
			return stage.Format{}, sqlerr.At(sqlerr.Bind, f.Pos(), "FORMAT_NAME stands alone")
		}
		stored, err := s.snapshot().Format(s.Database(), f.Value.Text, false)
		if err != nil {
			return stage.Format{}, sqlerr.WithPlace(err, f.Pos())
		}
		return s.storedFormat(stored.Format)
	}
	return stage.ParseFormat(stageOptions(opts))
}

// storedFormat reads the options kept with a stage or a file format, by way of their written form.
func (s *Session) storedFormat(props []types.Property) (stage.Format, error) {
	var opts []stage.Option
	for _, p := range props {
		o := stage.Option{Name: p.Name, Text: p.Value}
		if list, ok := strings.CutPrefix(p.Value, "("); ok {
			o.Text = ""
			o.List = splitList(strings.TrimSuffix(list, ")"))
		}
		opts = append(opts, o)
	}
	return stage.ParseFormat(opts)
}

// splitList takes 'a', 'b' apart, the form that formatProperties writes.
func splitList(s string) (out []string) {
	for len(s) > 0 {
		i := strings.IndexByte(s, '\'')
		if i < 0 {
			return out
		}
		var item strings.Builder
		for s = s[i+1:]; len(s) > 0; s = s[1:] {
			if s[0] == '\'' {
				if len(s) < 2 || s[1] != '\'' {
					s = s[1:]
					break
				}
				s = s[1:]
			}
			item.WriteByte(s[0])
		}
		out = append(out, item.String())
	}
	return out
}
