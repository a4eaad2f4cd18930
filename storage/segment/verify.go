package segment

import (
	"hash/crc32"
	"strconv"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/parquetio"
)

// Verify reads the whole file and checks the checksums of all pages, of the directory and of the footer against Meta. The error is of
// kind Corrupt (or IO) and names the file.
func (r *Reader) Verify() error {
	if err := r.verify(); err != nil {
		return wrap(err, "segment %s", r.file.name)
	}
	return nil
}

func (r *Reader) verify() error {
	x := r.file
	info, err := parquetio.ReadInfo(x.f, x.size)
	if err != nil {
		return err
	}
	if info.Checksum != r.meta.Checksum {
		return corrupt("footer has checksum %08x instead of %08x", info.Checksum, r.meta.Checksum)
	}
	version := ""
	for _, kv := range info.KeyValues {
		if kv.Key == FormatKey {
			version = kv.Value
		}
	}
	if version != strconv.Itoa(formatVersion) {
		return sqlerr.New(sqlerr.Unsupported, "segment format version %q is not known; this version reads %d", version, formatVersion)
	}
	if info.Rows != r.meta.Rows {
		return corrupt("footer has %d rows instead of %d", info.Rows, r.meta.Rows)
	}
	// All blocks of the directory are read, which checks them; then all pages that it knows, so that the error can name the place;
	// then the bytes before the directory as a whole, which also covers what no reader of ours uses.
	all, err := x.below("")
	if err != nil {
		return err
	}
	for _, e := range all {
		for _, l := range append(e.leaves[:len(e.leaves):len(e.leaves)], e.variantLeaves()...) {
			if l == nil {
				continue
			}
			if err := r.verifyLeaf(l); err != nil {
				return wrap(err, "column %d, path %q", e.column, dotted(e.path))
			}
		}
	}
	return x.verifyBytes()
}

func (x *File) verifyBytes() error {
	sum := uint32(0)
	buf := make([]byte, writeBufferBytes)
	for off := int64(0); off < x.index.start; {
		b := buf[:min(int64(len(buf)), x.index.start-off)]
		if err := parquetio.ReadFull(x.f, b, off); err != nil {
			return err
		}
		sum = crc32.Update(sum, castagnoli, b)
		off += int64(len(b))
	}
	if sum != x.index.before {
		return corrupt("checksum of the file's bytes does not match")
	}
	return nil
}

func (r *Reader) verifyLeaf(l *leafEntry) error {
	if l.chunk.DictLoc.Bytes > 0 {
		if err := l.chunk.Verify(r.file.f, l.chunk.DictLoc); err != nil {
			return err
		}
	}
	for i := range l.pages {
		if err := l.chunk.Verify(r.file.f, l.pages[i].loc); err != nil {
			return err
		}
	}
	return nil
}
