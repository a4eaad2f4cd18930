package store

import (
	"crypto/rand"
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/vfs"
)

// The bytes of logs and checkpoints, see docs/format/log.md. All numbers are little-endian.

// The format versions that this program writes and reads. A file says which it has; no other is touched.
const (
	formatVersion    = 1
	minFormatVersion = 1
)

const (
	logMagic        = "EBIRALOG"
	checkpointMagic = "EBIRACHK"
	recordMagic     = "EREC"

	// fileHeaderBytes: magic 8, format version 4, base version 8, salt 8, CRC-32C of all before 4.
	fileHeaderBytes = 32
	// recordHeaderBytes: magic 4, payload length 4, version 8, next id 8, edit count 4, CRC-32C of the payload 4, CRC-32C of salt,
	// file offset and all before 4.
	recordHeaderBytes = 36
	// maxRecordBytes bounds the payload of a record, so that a wrong length cannot fill memory. A larger Edit is refused.
	maxRecordBytes = 1 << 30
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// fileHeader is the beginning of a log or checkpoint.
type fileHeader struct {
	magic string
	// base is the version of the state that a log continues or a checkpoint holds.
	base uint64
	// salt is random and goes into the checksum of each record header, so that user data that looks like a record is none.
	salt uint64
}

func newFileHeader(magic string, base uint64) fileHeader {
	var b [8]byte
	// The documented behaviour of crypto/rand.Read is never to return an error.
	_, _ = rand.Read(b[:])
	return fileHeader{magic, base, binary.LittleEndian.Uint64(b[:])}
}

func (h fileHeader) encode() []byte {
	b := append(make([]byte, 0, fileHeaderBytes), h.magic...)
	b = binary.LittleEndian.AppendUint32(b, formatVersion)
	b = binary.LittleEndian.AppendUint64(b, h.base)
	b = binary.LittleEndian.AppendUint64(b, h.salt)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// readFileHeader reads and checks the beginning of a file. A file of an unknown format version is refused whatever its checksum says,
// since another version may place it elsewhere.
func readFileHeader(f vfs.File, name, magic string, base uint64) (fileHeader, error) {
	var b [fileHeaderBytes]byte
	if n, err := f.ReadAt(b[:], 0); err != nil {
		if err != io.EOF {
			return fileHeader{}, sqlerr.Wrap(sqlerr.IO, err, "read %s", name)
		}
		return fileHeader{}, sqlerr.New(sqlerr.Corrupt, "file %s is cut off at byte %d, within its header", name, n)
	}
	if string(b[:8]) != magic {
		return fileHeader{}, sqlerr.New(sqlerr.Corrupt, "file %s does not begin with %s", name, magic)
	}
	if err := checkFormat(name, uint64(binary.LittleEndian.Uint32(b[8:]))); err != nil {
		return fileHeader{}, err
	}
	if crc32.Checksum(b[:28], castagnoli) != binary.LittleEndian.Uint32(b[28:]) {
		return fileHeader{}, sqlerr.New(sqlerr.Corrupt, "the header of file %s has a wrong checksum", name)
	}
	h := fileHeader{magic, binary.LittleEndian.Uint64(b[12:]), binary.LittleEndian.Uint64(b[20:])}
	if h.base != base {
		return fileHeader{}, sqlerr.New(sqlerr.Corrupt, "file %s says that it belongs to version %d; was it renamed?", name, h.base)
	}
	return h, nil
}

// checkFormat refuses format versions that this program cannot read. The kind is Unsupported.
func checkFormat(name string, version uint64) error {
	switch {
	case version > formatVersion:
		return sqlerr.New(sqlerr.Unsupported, "%s has format version %d, but this ebira reads versions %d to %d; open it with a newer ebira", name, version, minFormatVersion, formatVersion)
	case version < minFormatVersion:
		return sqlerr.New(sqlerr.Unsupported, "%s has format version %d, but this ebira reads versions %d to %d; open it with an older ebira", name, version, minFormatVersion, formatVersion)
	}
	return nil
}

// record is one step of a log: the Edits of one group of commits. A record without Edits marks a clean end.
type record struct {
	// version is that of the state before the first Edit.
	version uint64
	// nextID is an id that nobody has been given when the record was written.
	nextID uint64
	// edits are encoded Edits.
	edits [][]byte
}

// encode appends the record as it lies at a file offset.
func (r *record) encode(dst []byte, salt uint64, offset int64) []byte {
	start := len(dst)
	dst = append(dst, make([]byte, recordHeaderBytes)...)
	for _, e := range r.edits {
		dst = binary.AppendUvarint(dst, uint64(len(e)))
		dst = append(dst, e...)
	}
	h, payload := dst[start:start+recordHeaderBytes], dst[start+recordHeaderBytes:]
	copy(h, recordMagic)
	binary.LittleEndian.PutUint32(h[4:], uint32(len(payload)))
	binary.LittleEndian.PutUint64(h[8:], r.version)
	binary.LittleEndian.PutUint64(h[16:], r.nextID)
	binary.LittleEndian.PutUint32(h[24:], uint32(len(r.edits)))
	binary.LittleEndian.PutUint32(h[28:], crc32.Checksum(payload, castagnoli))
	binary.LittleEndian.PutUint32(h[32:], headerSum(h, salt, offset))
	return dst
}

// headerSum is the checksum of a record header at a place.
func headerSum(h []byte, salt uint64, offset int64) uint32 {
	var place [16]byte
	binary.LittleEndian.PutUint64(place[:], salt)
	binary.LittleEndian.PutUint64(place[8:], uint64(offset))
	return crc32.Update(crc32.Checksum(place[:], castagnoli), castagnoli, h[:recordHeaderBytes-4])
}

// validHeader reports whether h is the header of a record at that offset.
func validHeader(h []byte, salt uint64, offset int64) bool {
	return string(h[:4]) == recordMagic && headerSum(h, salt, offset) == binary.LittleEndian.Uint32(h[recordHeaderBytes-4:])
}

// splitEdits takes the encoded Edits of a payload apart.
func splitEdits(payload []byte, count uint32) ([][]byte, bool) {
	var edits [][]byte
	for range count {
		n, k := binary.Uvarint(payload)
		if k <= 0 || n > uint64(len(payload)-k) {
			return nil, false
		}
		edits = append(edits, payload[k:k+int(n)])
		payload = payload[k+int(n):]
	}
	return edits, len(payload) == 0
}
