package segment

import (
	"context"
	"encoding/binary"
	"sort"
	"sync"

	"github.com/ebira-db/ebira/cache"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/parquetio"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// PageKey identifies a decoded page in the page cache.
type PageKey struct {
	Segment ID
	// Leaf is the number of the leaf in the file. Page is the number of the page, -1 for the dictionary.
	Leaf, Page int32
	// Level is not zero for the presence of a group at that definition level, an object or a list, and denseLevel for the values without
	// the rows that have none.
	Level uint8
}

// denseLevel is no definition level that a file of ours has.
const denseLevel = 255

// CachedPage is a decoded page, a dictionary or a presence bitmap. Only this package looks inside.
type CachedPage struct {
	vec   *vec.Vector
	rows  []uint32 // of a dense page, or of a group; nil for all
	count int      // how many rows there are: those of the table, or within a list its elements
	// offsets are those of a list.
	offsets []uint32
	dict    *parquetio.Values
	valid   vec.Bitmap
}

// Caches are the caches that readers share. Nil caches are off.
type Caches struct {
	Meta  *cache.Cache[ID, *File]
	Pages *cache.Cache[PageKey, CachedPage]
}

// File is an opened segment file: the index of its directory and the blocks read so far. It lives in the metadata cache.
type File struct {
	f     vfs.File
	name  string
	size  int64
	index *dirIndex

	mu     sync.Mutex
	blocks map[int][]*entry
	roots  map[ColumnID]*dictionary
}

// dictionary is the metadata of a VARIANT column, prepared for putting documents together.
type dictionary struct {
	meta  []byte
	names [][]byte
	ranks []uint32
	ids   map[string]uint32
}

// tailBytes is how much of the end of the file is read at once in the hope that footer tail, directory trailer and index are in it.
const tailBytes = 4 << 10

// blockOverhead estimates the memory of a decoded directory per byte of it.
const blockOverhead = 4

// openFile reads the index of the directory.
func openFile(fsys vfs.FS, path string, m *Meta) (_ *File, err error) {
	f, err := fsys.Open(path)
	if err != nil {
		return nil, sqlerr.Wrap(sqlerr.IO, err, "open segment %s", path)
	}
	defer func() {
		if err != nil {
			// The error that matters is the one that led here.
			_ = f.Close()
		}
	}()
	x := &File{f: f, name: path, blocks: map[int][]*entry{}, roots: map[ColumnID]*dictionary{}}
	if x.size, err = f.Size(); err != nil {
		return nil, sqlerr.Wrap(sqlerr.IO, err, "open segment %s", path)
	}
	if x.size != m.Bytes {
		return nil, corrupt("segment %s has %d bytes instead of %d", path, x.size, m.Bytes)
	}
	if err := x.readIndex(); err != nil {
		return nil, wrap(err, "open segment %s", path)
	}
	if x.index.rows != m.Rows {
		return nil, corrupt("segment %s has %d rows instead of %d", path, x.index.rows, m.Rows)
	}
	return x, nil
}

// wrap adds context to an error and keeps its kind; one without a kind is corruption.
func wrap(err error, format string, args ...any) error {
	k := sqlerr.KindOf(err)
	if k == sqlerr.Internal {
		k = sqlerr.Corrupt
	}
	return sqlerr.Wrap(k, err, format, args...)
}

// footerTail is the length of the footer size and the magic at the end of a Parquet file.
const footerTail = 8

func (x *File) readIndex() error {
	tail := make([]byte, min(tailBytes, x.size))
	if err := parquetio.ReadFull(x.f, tail, x.size-int64(len(tail))); err != nil {
		return err
	}
	if len(tail) < footerTail || string(tail[len(tail)-4:]) != "PAR1" {
		return corrupt("file does not end like a Parquet file")
	}
	footer := x.size - footerTail - int64(binary.LittleEndian.Uint32(tail[len(tail)-footerTail:]))
	trailer, err := x.near(tail, footer-int64(dirTrailerBytes), dirTrailerBytes)
	if err != nil {
		return err
	}
	n, sum, err := parseTrailer(trailer)
	if err != nil {
		return err
	}
	end := footer - int64(dirTrailerBytes)
	raw, err := x.near(tail, end-int64(n), n)
	if err != nil {
		return err
	}
	x.index, err = parseIndex(raw, sum, end)
	return err
}

// near returns n bytes at an offset, from the tail of the file if they are in it.
func (x *File) near(tail []byte, off int64, n int) ([]byte, error) {
	if off < 0 {
		return nil, corrupt("segment directory lies outside the file")
	}
	if at := off - (x.size - int64(len(tail))); at >= 0 {
		return tail[at : at+int64(n)], nil
	}
	b := make([]byte, n)
	return b, parquetio.ReadFull(x.f, b, off)
}

// sizeBytes is what the file costs in the metadata cache, with all its blocks decoded: they come one by one.
func (x *File) sizeBytes() int64 {
	n := int64(1024)
	for i := range x.index.blocks {
		n += int64(len(x.index.blocks[i].first)+32) + int64(x.index.blocks[i].size)*blockOverhead
	}
	return n
}

// block returns the entries of a block of the directory.
func (x *File) block(i int) ([]*entry, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if b, ok := x.blocks[i]; ok {
		return b, nil
	}
	at := &x.index.blocks[i]
	raw := make([]byte, at.size)
	if err := parquetio.ReadFull(x.f, raw, x.index.start+int64(at.offset)); err != nil {
		return nil, err
	}
	b, err := parseBlock(raw)
	if err == nil {
		x.blocks[i] = b
	}
	return b, err
}

// find returns the entry of a key, nil if there is none.
func (x *File) find(key string) (*entry, error) {
	i := sort.Search(len(x.index.blocks), func(i int) bool { return x.index.blocks[i].first > key }) - 1
	if i < 0 {
		return nil, nil
	}
	b, err := x.block(i)
	if err != nil {
		return nil, err
	}
	k := sort.Search(len(b), func(k int) bool { return b[k].key >= key })
	if k < len(b) && b[k].key == key {
		return b[k], nil
	}
	return nil, nil
}

// below returns all entries whose key starts with prefix, in order.
func (x *File) below(prefix string) ([]*entry, error) {
	var out []*entry
	i := max(sort.Search(len(x.index.blocks), func(i int) bool { return x.index.blocks[i].first > prefix })-1, 0)
	for ; i < len(x.index.blocks); i++ {
		b, err := x.block(i)
		if err != nil {
			return nil, err
		}
		k := sort.Search(len(b), func(k int) bool { return b[k].key >= prefix })
		for ; k < len(b); k++ {
			if len(b[k].key) < len(prefix) || b[k].key[:len(prefix)] != prefix {
				return out, nil
			}
			out = append(out, b[k])
		}
	}
	return out, nil
}

// Reader reads pages of a segment. It is safe for concurrent use.
type Reader struct {
	file   *File
	meta   *Meta
	caches Caches
	owned  bool
}

// Open opens a segment file that m describes. Errors are of kind Corrupt, Unsupported (another format version) or IO.
func Open(fsys vfs.FS, path string, m *Meta, caches Caches) (*Reader, error) {
	r := &Reader{meta: m, caches: caches}
	if caches.Meta == nil {
		f, err := openFile(fsys, path, m)
		r.file, r.owned = f, true
		return r, err
	}
	f, err := caches.Meta.Get(context.Background(), m.ID, func() (*File, int64, error) {
		f, err := openFile(fsys, path, m)
		if err != nil {
			return nil, 0, err
		}
		return f, f.sizeBytes(), nil
	})
	r.file = f
	return r, err
}

// Close closes the file unless it belongs to the metadata cache, where it is closed when nobody refers to it any more.
func (r *Reader) Close() error {
	if r.owned && r.file != nil {
		return r.file.f.Close()
	}
	return nil
}

// Rows returns the number of rows.
func (r *Reader) Rows() int64 { return r.meta.Rows }

// Pages returns the number of pages.
func (r *Reader) Pages() int { return int((r.meta.Rows + PageRows - 1) / PageRows) }

// PageRows returns the number of rows of page p.
func (r *Reader) PageRows(p int) int { return int(min(PageRows, r.meta.Rows-int64(p)*PageRows)) }

// Want says what to read: a column, or a path of names in a VARIANT column.
type Want struct {
	Column ColumnID
	Path   []string
	// Type, if not NULL, is given to the result where the stored type has the same kind: it may differ in parameters that do not
	// change values, such as the length of VARCHAR.
	Type types.Type
}

// Read returns page p of w. Text columns come as Dictionary vectors where their pages are so encoded.
//
// A path comes as VARIANT: Shredded where the path has a typed leaf; else Flat, or a constant NULL. JSON null and a missing value are
// NULL. A whole VARIANT or JSON column comes Flat, with JSON null as a value.
//
// A column that the segment does not have is a bug of the caller, who knows it from Meta.
func (r *Reader) Read(w Want, p int) (*vec.Vector, error) {
	if p < 0 || p >= r.Pages() {
		panic("BUG: read beyond the pages of a segment")
	}
	col := r.column(w.Column)
	v, err := r.read(col, w, p)
	if err != nil {
		return nil, wrap(err, "segment %s: column %s, page %d", r.file.name, col.Name, p)
	}
	if v.Len != r.PageRows(p) {
		return nil, corrupt("segment %s: column %s, page %d: %d rows instead of %d", r.file.name, col.Name, p, v.Len, r.PageRows(p))
	}
	if w.Type.Kind == v.Type.Kind && !w.Type.Equal(v.Type) && w.Type.Kind != types.Decimal && w.Type.Phys() != types.PhysList && w.Type.Phys() != types.PhysStruct {
		v = v.Retype(w.Type)
	}
	return v, nil
}

// column returns the column of an id.
func (r *Reader) column(id ColumnID) *Column {
	for i := range r.meta.Columns {
		if r.meta.Columns[i].ID == id {
			return &r.meta.Columns[i]
		}
	}
	panic("BUG: read of a column that the segment does not have")
}

func (r *Reader) read(col *Column, w Want, p int) (*vec.Vector, error) {
	root, err := r.file.find(entryKey(col.ID, nil))
	if err != nil {
		return nil, err
	}
	if root == nil || root.isVariant() != col.Type.IsVariant() {
		return nil, corrupt("segment directory lacks the column")
	}
	switch {
	case root.isVariant() && len(w.Path) == 0:
		return r.documents(col, root, p)
	case root.isVariant():
		return r.path(root, w.Path, p)
	case len(w.Path) > 0:
		panic("BUG: path into a column of type " + col.Type.String())
	}
	if _, scalar := parquetio.StoreOf(col.Type); scalar {
		if len(root.leaves) != 1 {
			return nil, corrupt("segment directory has %d leaves of a scalar column", len(root.leaves))
		}
		return r.page(root.leaves[0], col.Type, col.Type, p)
	}
	return r.nested(col, root, p)
}

// cached runs load through the page cache.
func (r *Reader) cached(key PageKey, load func() (CachedPage, int64, error)) (CachedPage, error) {
	if r.caches.Pages == nil {
		c, _, err := load()
		return c, err
	}
	key.Segment = r.meta.ID
	return r.caches.Pages.Get(context.Background(), key, load)
}

// page returns a page of a leaf, stored under one type, as a vector of another, one row a row.
func (r *Reader) page(l *leafEntry, stored, t types.Type, p int) (*vec.Vector, error) {
	c, err := r.cached(PageKey{Leaf: int32(l.num), Page: int32(p)}, func() (CachedPage, int64, error) {
		d, err := r.decode(l, p, false)
		if err != nil {
			return CachedPage{}, 0, err
		}
		v, err := d.Vector(stored)
		if err == nil {
			v, err = asDeclared(v, stored, t)
		}
		if err != nil {
			return CachedPage{}, 0, err
		}
		return CachedPage{vec: v}, ownBytes(v), nil
	})
	return c.vec, err
}

// densePage returns the values of a page of a leaf and their rows: what putting documents together wants, at a cost that does not depend on
// the rows without a value. base is the definition level of the elements of the innermost list around the leaf.
func (r *Reader) densePage(l *leafEntry, stored, t types.Type, p, base int) (CachedPage, error) {
	c, err := r.cached(PageKey{Leaf: int32(l.num), Page: int32(p), Level: denseLevel}, func() (CachedPage, int64, error) {
		d, err := r.decode(l, p, false)
		if err != nil {
			return CachedPage{}, 0, err
		}
		c := CachedPage{count: d.Entries}
		if c.vec, err = d.Dense(stored); err == nil {
			c.vec, err = asDeclared(c.vec, stored, t)
		}
		if err != nil {
			return CachedPage{}, 0, err
		}
		switch {
		case l.chunk.Leaf.MaxRep > 0:
			c.rows, c.count = groupRows(d.Rep, d.Def, l.chunk.Leaf.MaxRep, base, l.chunk.Leaf.MaxDef)
		case d.Valid != nil:
			c.rows = setRows(d.Valid)
		}
		return c, c.vec.SizeBytes() + int64(4*len(c.rows)), nil
	})
	return c, err
}

// ownBytes is the memory of a page without the dictionary that it shares.
func ownBytes(v *vec.Vector) int64 {
	if v.Form == vec.Dictionary {
		c := *v
		c.Dict = nil
		return c.SizeBytes()
	}
	return v.SizeBytes()
}

// decode reads a page of a leaf.
func (r *Reader) decode(l *leafEntry, p int, asLevels bool) (*parquetio.Data, error) {
	if p >= len(l.pages) {
		return nil, corrupt("leaf %d has %d pages", l.num, len(l.pages))
	}
	dict, err := r.dict(l)
	if err != nil {
		return nil, err
	}
	d, err := l.chunk.ReadPage(r.file.f, l.pages[p].loc, dict, asLevels)
	if err != nil {
		return nil, err
	}
	if !asLevels && l.chunk.Leaf.MaxRep == 0 && d.Entries != r.PageRows(p) {
		return nil, corrupt("page has %d rows instead of %d", d.Entries, r.PageRows(p))
	}
	return &d, nil
}

// dict returns the dictionary of a leaf, nil if it has none.
func (r *Reader) dict(l *leafEntry) (*parquetio.Values, error) {
	if l.chunk.DictLoc.Bytes == 0 {
		return nil, nil
	}
	c, err := r.cached(PageKey{Leaf: int32(l.num), Page: -1}, func() (CachedPage, int64, error) {
		v, err := l.chunk.ReadDict(r.file.f)
		if err != nil {
			return CachedPage{}, 0, err
		}
		// The dictionary is kept as read and as the vector made of it.
		return CachedPage{dict: v}, 2 * v.SizeBytes(), nil
	})
	return c.dict, err
}

// nested returns a page of a column of a nested type.
func (r *Reader) nested(col *Column, root *entry, p int) (*vec.Vector, error) {
	a := parquetio.NewAssembler(col.Type, col.NotNull)
	if a.Leaves() != len(root.leaves) {
		return nil, corrupt("segment directory has %d leaves of a column that needs %d", len(root.leaves), a.Leaves())
	}
	c, err := r.cached(PageKey{Leaf: int32(root.leaves[0].num), Page: int32(p)}, func() (CachedPage, int64, error) {
		pages := make([]parquetio.Data, len(root.leaves))
		for i, l := range root.leaves {
			d, err := r.decode(l, p, true)
			if err != nil {
				return CachedPage{}, 0, err
			}
			pages[i] = *d
		}
		v, err := a.Assemble(pages)
		if err != nil {
			return CachedPage{}, 0, err
		}
		return CachedPage{vec: v}, v.SizeBytes(), nil
	})
	return c.vec, err
}

// dictionary returns the metadata of a VARIANT column.
func (r *Reader) dictionary(root *entry) (*dictionary, error) {
	x := r.file
	x.mu.Lock()
	defer x.mu.Unlock()
	if d := x.roots[root.column]; d != nil {
		return d, nil
	}
	d := &dictionary{meta: variant.EncodeMetadata(nil)}
	if root.meta == nil {
		return nil, corrupt("segment directory lacks the metadata of a variant")
	}
	if root.meta.chunk.DictLoc.Bytes > 0 {
		v, err := root.meta.chunk.ReadDict(x.f)
		if err != nil {
			return nil, err
		}
		if d.meta, err = v.Single(); err != nil {
			return nil, err
		}
	} else {
		meta, err := r.plainMetadata(root)
		if err != nil {
			return nil, err
		}
		if meta != nil {
			d.meta = meta
		}
	}
	names, ok := variant.DecodeMetadata(d.meta)
	if !ok {
		return nil, corrupt("metadata of a variant is malformed")
	}
	d.names, d.ranks, d.ids = names, variant.NameRanks(names), make(map[string]uint32, len(names))
	for i, n := range names {
		d.ids[string(n)] = uint32(i)
	}
	x.roots[root.column] = d
	return d, nil
}

// plainMetadata returns the metadata of a column whose writer found no dictionary worth it: all its values are equal. It is nil if there
// are none.
func (r *Reader) plainMetadata(root *entry) ([]byte, error) {
	for p := range root.meta.pages {
		if root.meta.pages[p].values == 0 {
			continue
		}
		d, err := root.meta.chunk.ReadPage(r.file.f, root.meta.pages[p].loc, nil, false)
		if err != nil {
			return nil, err
		}
		return d.Values.First()
	}
	return nil, nil
}
