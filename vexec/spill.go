package vexec

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"path"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/ebira-db/ebira/cache"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/vec"
)

// SpillSpace is the folder where all queries of a server put what does not fit into their memory. Its files end with their query; what a
// crash leaves is for whoever opens the folder next to remove.
type SpillSpace struct {
	fs    vfs.FS
	dir   string
	limit atomic.Int64
	used  atomic.Int64
	total atomic.Int64
	names atomic.Int64
}

// NewSpillSpace uses a folder that exists. A limit of 0 means nine tenths of what is free on its disk.
func NewSpillSpace(fs vfs.FS, dir string, limitBytes int64) *SpillSpace {
	s := &SpillSpace{fs: fs, dir: dir}
	s.SetLimit(limitBytes)
	return s
}

// SetLimit changes the limit of all files together. What is in use stays in use.
func (s *SpillSpace) SetLimit(limitBytes int64) { s.limit.Store(limitBytes) }

// Used returns the bytes of the files that there are now, Total those of all files that there ever were.
func (s *SpillSpace) Used() int64 { return s.used.Load() }

// Total returns how much was written since the start.
func (s *SpillSpace) Total() int64 { return s.total.Load() }

// allowance returns the limit in bytes.
func (s *SpillSpace) allowance() int64 {
	if limit := s.limit.Load(); limit > 0 {
		return limit
	}
	free, err := s.fs.DiskFree(s.dir)
	if err != nil {
		return 1 << 62
	}
	return s.used.Load() + free/10*9
}

// spillFile is a file of blocks, each a batch in the layout of its vectors. Any worker may write and read; blocks are found by what
// write returned.
type spillFile struct {
	space *SpillSpace
	stat  *opStat
	name  string

	mu    sync.Mutex
	f     vfs.File
	size  int64
	limit int64
}

// newSpillFile makes a file for op, in whose figures it counts. It ends with the run unless it is closed before.
func (r *run) newSpillFile(op any) (*spillFile, error) {
	s := r.env.Spill
	if s == nil {
		return nil, sqlerr.New(sqlerr.Resource, "the query needs more memory than its limit, and there is no folder to spill to")
	}
	f := &spillFile{space: s, stat: r.statOf(op), name: path.Join(s.dir, fmt.Sprintf("spill-%d", s.names.Add(1))), limit: s.allowance()}
	var err error
	if f.f, err = s.fs.Create(f.name); err != nil {
		return nil, spillError(err, "make", s.dir)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files[f] = struct{}{}
	return f, nil
}

func spillError(err error, what, dir string) error {
	if errors.Is(err, syscall.ENOSPC) {
		return sqlerr.Wrap(sqlerr.IO, err, "the disk of %s is full: cannot %s a spill file", dir, what)
	}
	return sqlerr.Wrap(sqlerr.IO, err, "cannot %s a spill file in %s", what, dir)
}

// closeFile ends a file that nobody reads any more.
func (r *run) closeFile(f *spillFile) {
	r.mu.Lock()
	delete(r.files, f)
	r.mu.Unlock()
	f.close()
}

// close removes the file. A failure costs space until the folder is opened again, but no query its result.
func (f *spillFile) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = f.f.Close()
	_ = f.space.fs.Remove(f.name)
	f.space.used.Add(-f.size)
	f.size = 0
}

// spillBlock tells where a batch is.
type spillBlock struct {
	off   int64
	bytes int
	rows  int
	sum   uint32
	types []types.Type
}

var spillTable = crc32.MakeTable(crc32.Castagnoli)

// write appends a batch that e has encoded.
func (f *spillFile) write(e *spillEncoder) (spillBlock, error) {
	data := e.buf
	b := spillBlock{bytes: len(data), rows: e.rows, sum: crc32.Checksum(data, spillTable), types: e.types}
	n := int64(len(data))
	f.mu.Lock()
	defer f.mu.Unlock()
	if used := f.space.used.Add(n); used > f.limit {
		f.space.used.Add(-n)
		return b, sqlerr.New(sqlerr.Resource, "the query does not fit into memory, and spilling has used %s of the %s allowed: raise max_query_memory or SET GLOBAL max_spill_bytes",
			cache.FormatBytes(used-n), cache.FormatBytes(f.limit))
	}
	f.space.total.Add(n)
	b.off = f.size
	f.size += n
	f.stat.spilled.Add(n)
	if _, err := f.f.Write(data); err != nil {
		return b, spillError(err, "write", f.space.dir)
	}
	return b, nil
}

// read returns the batch of a block. Its vectors share the memory of one buffer.
func (f *spillFile) read(b *spillBlock) (*vec.Batch, error) {
	data := alignedBytes(b.bytes)
	n, err := f.f.ReadAt(data, b.off)
	if n < len(data) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, spillError(err, "read", f.space.dir)
	}
	if crc32.Checksum(data, spillTable) != b.sum {
		return nil, sqlerr.New(sqlerr.IO, "cannot read a spill file in %s: what was written is not what came back", f.space.dir)
	}
	d := spillDecoder{data: data, types: b.types}
	return d.batch(b.rows), nil
}

// spillRows are rows on disk, in order.
type spillRows struct {
	file   *spillFile
	blocks []spillBlock
	rows   int
	bytes  int64
}

// add writes a batch.
func (s *spillRows) add(e *spillEncoder, b *vec.Batch) error {
	e.encode(b)
	block, err := s.file.write(e)
	if err != nil {
		return err
	}
	s.blocks = append(s.blocks, block)
	s.rows += b.Len
	s.bytes += int64(block.bytes)
	return nil
}

// join appends the rows of o, which are in the same file.
func (s *spillRows) join(o *spillRows) {
	if o.rows == 0 {
		return
	}
	s.file = o.file
	s.blocks = append(s.blocks, o.blocks...)
	s.rows += o.rows
	s.bytes += o.bytes
}
