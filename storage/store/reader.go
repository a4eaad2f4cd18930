package store

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/vfs"
)

// readBufferBytes is how much of a log is read at once.
const readBufferBytes = 1 << 20

// errBadRecord says that no whole record lies where one was expected. Whether that is a torn end or damage is for the caller to find
// out with recordBehind.
var errBadRecord = errors.New("not a whole record")

// recordReader reads the records of one log or checkpoint in order.
type recordReader struct {
	f    vfs.File
	name string
	size int64
	salt uint64
	// off is where the next record begins.
	off int64
	buf *bufio.Reader
}

func newRecordReader(f vfs.File, name string, h fileHeader) (*recordReader, error) {
	size, err := f.Size()
	if err != nil {
		return nil, sqlerr.Wrap(sqlerr.IO, err, "read %s", name)
	}
	r := &recordReader{f: f, name: name, size: size, salt: h.salt, off: fileHeaderBytes}
	r.buf = bufio.NewReaderSize(io.NewSectionReader(f, r.off, max(size-r.off, 0)), int(min(readBufferBytes, size)))
	return r, nil
}

// next returns the next record, io.EOF at the end of the file, errBadRecord if something else lies there, or an error of kind IO or
// Corrupt. After an error off still points at the offending place.
func (r *recordReader) next() (*record, error) {
	if r.off >= r.size {
		return nil, io.EOF
	}
	var h [recordHeaderBytes]byte
	if err := r.read(h[:]); err != nil {
		return nil, err
	}
	if !validHeader(h[:], r.salt, r.off) {
		return nil, errBadRecord
	}
	n := int64(binary.LittleEndian.Uint32(h[4:]))
	if n > maxRecordBytes || n > r.size-r.off-recordHeaderBytes {
		return nil, errBadRecord
	}
	payload := make([]byte, n)
	if err := r.read(payload); err != nil {
		return nil, err
	}
	if crc32.Checksum(payload, castagnoli) != binary.LittleEndian.Uint32(h[28:]) {
		return nil, errBadRecord
	}
	edits, ok := splitEdits(payload, binary.LittleEndian.Uint32(h[24:]))
	if !ok {
		return nil, r.corrupt("the record has a wrong number of edits")
	}
	r.off += recordHeaderBytes + n
	return &record{binary.LittleEndian.Uint64(h[8:]), binary.LittleEndian.Uint64(h[16:]), edits}, nil
}

// read fills b from the file. The file ending early is a bad record.
func (r *recordReader) read(b []byte) error {
	_, err := io.ReadFull(r.buf, b)
	switch {
	case err == nil:
		return nil
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return errBadRecord
	}
	return sqlerr.Wrap(sqlerr.IO, err, "read %s at byte %d", r.name, r.off)
}

func (r *recordReader) corrupt(what string) error {
	return sqlerr.New(sqlerr.Corrupt, "file %s, byte %d: %s", r.name, r.off, what)
}

// recordBehind reports whether a record header lies anywhere behind off. A record is only written when the one before it is synced, so
// a bad record with another one behind it is no torn end.
func (r *recordReader) recordBehind() (bool, error) {
	buf := make([]byte, min(readBufferBytes, r.size))
	for at := r.off + 1; at+recordHeaderBytes <= r.size; at += readBufferBytes - recordHeaderBytes + 1 {
		b := buf[:min(readBufferBytes, r.size-at)]
		if _, err := r.f.ReadAt(b, at); err != nil {
			return false, sqlerr.Wrap(sqlerr.IO, err, "read %s at byte %d", r.name, at)
		}
		for i := 0; i+recordHeaderBytes <= len(b); i++ {
			k := bytes.Index(b[i:len(b)-recordHeaderBytes+len(recordMagic)], []byte(recordMagic))
			if k < 0 {
				break
			}
			i += k
			if validHeader(b[i:i+recordHeaderBytes], r.salt, at+int64(i)) {
				return true, nil
			}
		}
	}
	return false, nil
}
