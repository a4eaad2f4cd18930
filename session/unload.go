package session

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/stage"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vexec"
)

// unloadSchema are the result columns of COPY INTO a location.
var unloadSchema = []types.Field{bigint("rows_unloaded"), bigint("input_bytes"), bigint("output_bytes")}

// unloadOptions are the options of COPY INTO a location.
type unloadOptions struct {
	format    stage.Format
	given     bool
	single    bool
	rawPath   bool
	overwrite bool
}

func (s *Session) unloadOptions(opts []parse.Option) (o unloadOptions, err error) {
	for _, p := range opts {
		switch strings.ToUpper(p.Name) {
		case "FILE_FORMAT":
			o.given = true
			o.format, err = s.formatOf(p)
		case "SINGLE":
			o.single, err = boolOption(p)
		case "USE_RAW_PATH":
			o.rawPath, err = boolOption(p)
		case "OVERWRITE":
			o.overwrite, err = boolOption(p)
		default:
			err = sqlerr.New(sqlerr.Unsupported, "option %s is not supported; known are FILE_FORMAT, SINGLE, USE_RAW_PATH and OVERWRITE", strings.ToUpper(p.Name))
		}
		if err != nil {
			return o, sqlerr.WithPlace(err, p.Pos())
		}
	}
	return o, nil
}

// copyIntoLocation writes the rows of a query or table to one file of a stage or folder.
func (s *Session) copyIntoLocation(ctx context.Context, st *parse.CopyIntoLocation) (*Result, error) {
	if st.PartitionBy != nil {
		return nil, sqlerr.At(sqlerr.Unsupported, st.PartitionBy.Pos(), "PARTITION BY is not supported in COPY INTO a location")
	}
	o, err := s.unloadOptions(st.Options)
	if err != nil {
		return nil, err
	}
	v, err := s.reading()
	if err != nil {
		return nil, err
	}
	defer v.Release()
	c := s.newCall(v, nil)
	b, err := c.unloadQuery(st)
	if err != nil {
		return nil, err
	}
	name, format, err := s.unloadTarget(c, st, o)
	if err != nil {
		return nil, err
	}
	rows, in, out, err := c.unload(ctx, st.SourceText(), b, name, format)
	if err != nil {
		return nil, err
	}
	r := newRows(unloadSchema...)
	r.add(rows, in, out)
	return r.result(), nil
}

func (c *call) unloadQuery(st *parse.CopyIntoLocation) (*bound, error) {
	q := st.Query
	if q == nil {
		// COPY INTO @stage FROM table is SELECT * FROM table.
		sel := &parse.Select{Place: st.Place, Items: []parse.SelectItem{{Expr: &parse.Star{Place: st.Place}}}, From: []parse.TableExpr{&parse.TableName{Name: st.Table}}}
		q = &parse.Query{Place: st.Place, Body: sel}
	}
	if st.With != nil {
		withCTE := *q
		withCTE.With = st.With
		q = &withCTE
	}
	b, err := c.bindQuery(q)
	if err != nil {
		return nil, err
	}
	if err := noParams(st, b.Params); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, f := range b.Schema {
		if seen[f.Name] {
			return nil, sqlerr.At(sqlerr.Bind, q.Pos(), "two output columns are named %s: give them aliases, a file needs different names", f.Name)
		}
		seen[f.Name] = true
	}
	return b, nil
}

// unloadTarget finds the path of the file to write.
func (s *Session) unloadTarget(c *call, st *parse.CopyIntoLocation, o unloadOptions) (string, stage.Format, error) {
	l := &st.Target
	var dir, prefix string
	if l.IsStage() {
		p, err := s.resolveStage(c.snap, l)
		if err != nil {
			return "", o.format, err
		}
		if !o.given && len(p.format) > 0 {
			if o.format, err = s.storedFormat(p.format); err != nil {
				return "", o.format, err
			}
		}
		dir, prefix = p.dir, p.prefix
	} else {
		var err error
		if dir, prefix, err = s.unloadFolder(l, o); err != nil {
			return "", o.format, err
		}
	}
	name := path.Join(dir, prefix)
	if !o.rawPath {
		base := fmt.Sprintf("data_%016x_0000_00000000%s", uint64(time.Now().UnixNano()), extension(o.format))
		if i := strings.LastIndexByte(prefix, '/') + 1; strings.HasSuffix(prefix, "data_") {
			name = path.Join(dir, prefix[:i], base)
		} else {
			name = path.Join(dir, prefix, base)
		}
	} else if !o.single || strings.HasSuffix(l.Path, "/") || prefix == "" {
		return "", o.format, sqlerr.At(sqlerr.Bind, l.Pos(), "USE_RAW_PATH needs SINGLE = TRUE and the name of a file")
	}
	exists, err := vfs.Exists(s.engine.fs, name)
	if err != nil {
		return "", o.format, sqlerr.Wrap(sqlerr.IO, err, "write %s", l.URI+l.Path)
	}
	if exists && !o.overwrite {
		return "", o.format, sqlerr.At(sqlerr.Exists, l.Pos(), "file %s exists already; OVERWRITE = TRUE replaces it", path.Base(name))
	}
	return name, o.format, vfs.MkdirAllSync(s.engine.fs, path.Dir(name))
}

// unloadFolder checks that a local target lies in an allowed folder.
func (s *Session) unloadFolder(l *parse.Location, o unloadOptions) (dir, prefix string, err error) {
	name, err := localPath(l)
	if err != nil {
		return "", "", err
	}
	real, err := s.engine.fs.Canonical(name)
	if err != nil {
		return "", "", s.outside(l)
	}
	if s.engine.allowedRoot(real) == "" {
		return "", "", s.outside(l)
	}
	if o.rawPath {
		return path.Dir(real), path.Base(real), nil
	}
	return real, "", nil
}

func extension(f stage.Format) string {
	ext := ".parquet"
	if f.Type == stage.NDJSON {
		ext = ".ndjson"
		switch f.Compression {
		case stage.Gzip:
			ext += ".gz"
		case stage.Zstd:
			ext += ".zst"
		}
	}
	return ext
}

// unload runs the query into the file.
func (c *call) unload(ctx context.Context, textOf string, b *bound, name string, format stage.Format) (rows, in, out int64, err error) {
	s := c.s
	w, err := stage.NewWriter(s.engine.fs, name, format, b.Schema)
	if err != nil {
		return 0, 0, 0, err
	}
	run, cancel := s.detach(ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(canceled(ctx)) })()
	q, end := s.begin(ctx, textOf, cancel)
	defer func() { end(err) }()
	sl, err := s.engine.slots.take(run)
	if err != nil {
		w.Abort()
		return 0, 0, 0, err
	}
	defer sl.release()
	budget := s.queryBudget()
	defer budget.Close()
	vq, err := vexec.Build(b.plan, c.execEnv(run, budget, nil))
	if err == nil {
		q.run(&execution{sl, vq, budget})
		err = vq.Run(run, func(batch *vec.Batch) error {
			in += batch.SizeBytes()
			return w.Append(batch)
		})
	}
	if err != nil {
		w.Abort()
		return 0, 0, 0, err
	}
	rows, out, err = w.Finish()
	return rows, in, out, err
}

// fileRelation yields staged files as a table: FROM @stage.
func (c *call) fileRelation(t *parse.StageTable) (*place, []stage.File, stage.Format, error) {
	var format stage.Format
	given := false
	p, err := c.s.resolve(c.snap, &t.Location)
	if err != nil {
		return nil, nil, format, err
	}
	files, err := c.s.engine.list(p)
	if err != nil {
		return nil, nil, format, err
	}
	for _, a := range t.Args {
		switch strings.ToUpper(a.Name) {
		case "FILE_FORMAT":
			given = true
			format, err = c.formatArg(a)
		case "PATTERN":
			files, err = matching(files, p, a)
		case "FILES":
			files, err = named(files, p, a)
		default:
			err = sqlerr.New(sqlerr.Unsupported, "argument %s is not supported; known are FILE_FORMAT, PATTERN and FILES", strings.ToUpper(a.Name))
		}
		if err != nil {
			return nil, nil, format, sqlerr.WithPlace(err, a.Pos())
		}
	}
	if !given && len(p.format) > 0 {
		format, err = c.s.storedFormat(p.format)
	}
	return p, files, format, err
}

// formatArg reads FILE_FORMAT => 'TYPE or name'.
func (c *call) formatArg(a parse.Option) (stage.Format, error) {
	if a.Value.Kind != parse.ValueOptions {
		if f, err := c.snap.Format(c.s.Database(), a.Value.Text, false); err == nil {
			return c.s.storedFormat(f.Format)
		}
	}
	return c.s.formatOf(a)
}

func matching(files []stage.File, p *place, a parse.Option) (out []stage.File, err error) {
	match, err := stage.Match(a.Value.Text)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if match(belowPrefix(f.Name, p.prefix)) {
			out = append(out, f)
		}
	}
	return out, nil
}

func named(files []stage.File, p *place, a parse.Option) (out []stage.File, err error) {
	for _, v := range a.Value.List {
		found := false
		for _, f := range files {
			if belowPrefix(f.Name, p.prefix) == v.Text {
				out, found = append(out, f), true
			}
		}
		if !found {
			return nil, sqlerr.New(sqlerr.NotFound, "file %s does not exist in the location", v.Text)
		}
	}
	return out, nil
}
