package jsonparse

import (
	"bytes"
	"io"
)

// Chunk is a run of whole lines. Data, and everything sliced from it, is valid until Release.
type Chunk struct {
	Data      []byte
	FirstLine int64 // number of the physical line with which Data begins
	Offset    int64 // position of Data in the file

	buf []byte
}

// Release gives the chunk's memory back for other chunks; it may be called from any goroutine, once the last slice of Data is out of
// use. A chunk that is never released is left to the garbage collector.
func (c *Chunk) Release() {
	recycle(c.buf)
	c.Data, c.buf = nil, nil
}

// Lines gives an iterator over the lines of the chunk.
func (c *Chunk) Lines() Lines {
	return Lines{rest: c.Data, number: c.FirstLine, offset: c.Offset}
}

// Lines iterates over the lines of a chunk that are not blank. Line, Number and Offset describe the current one after each Next that
// gave true.
type Lines struct {
	Line   []byte // without its newline (LF or CRLF)
	Number int64  // physical line number: blank lines count
	Offset int64  // position of Line in the file

	rest   []byte
	number int64 // of the line that rest begins
	offset int64
}

// Next goes to the next line that holds anything but white space, and gives false after the last one.
func (l *Lines) Next() bool {
	for len(l.rest) > 0 {
		line, size := l.rest, len(l.rest)
		if n := bytes.IndexByte(line, '\n'); n >= 0 {
			line, size = line[:n:n], n+1
		}
		l.Number, l.Offset = l.number, l.offset
		l.rest = l.rest[size:]
		l.number++
		l.offset += int64(size)
		if n := len(line); n > 0 && line[n-1] == '\r' {
			line = line[:n-1]
		}
		if skipSpace(line, 0) < len(line) {
			l.Line = line
			return true
		}
	}
	l.Line = nil
	return false
}

// CountLines counts the physical lines of data, the last of which need not end with a newline.
func CountLines(data []byte) int64 {
	n := bytes.Count(data, []byte{'\n'})
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return int64(n)
}

// seekBytes is read at one time when ranges are aligned or counted.
const seekBytes = 256 << 10

// CountRangeLines counts the physical lines in the bytes from..to of r. Added up over the ranges before a range, it gives the number of
// the range's first line.
func CountRangeLines(r io.ReaderAt, from, to int64) (int64, error) {
	var lines int64
	ended := true // the byte before was a newline, or there is none
	err := readRange(r, from, to, func(b []byte) bool {
		lines += int64(bytes.Count(b, []byte{'\n'}))
		ended = b[len(b)-1] == '\n'
		return true
	})
	if !ended {
		lines++
	}
	return lines, err
}

// Range is a run of bytes in a file, To excluded.
type Range struct{ From, To int64 }

// AlignRange moves both ends of a range of a file of size bytes forward to the beginning of a line, so that ranges which cover the file
// without gaps still do, and every line lies in exactly one: that in which it begins. The result is empty if no line begins in the range.
// Each call may read on to the end of a long line; AlignRanges reads every byte at most once.
func AlignRange(r io.ReaderAt, size int64, want Range) (Range, error) {
	from, err := alignAt(r, size, want.From)
	if err != nil || want.To <= from {
		return Range{from, from}, err
	}
	to, err := alignAt(r, size, want.To)
	return Range{from, to}, err
}

// AlignRanges cuts a file of size bytes into ranges of whole lines and about target bytes, in order and without gaps. A line longer than
// target makes its range longer.
func AlignRanges(r io.ReaderAt, size, target int64) ([]Range, error) {
	var ranges []Range
	target = max(target, 1)
	for from := int64(0); from < size; {
		to, err := alignAt(r, size, from+target)
		if err != nil {
			return nil, err
		}
		ranges = append(ranges, Range{from, to})
		from = to
	}
	return ranges, nil
}

// alignAt gives the position of the first line that begins at or after pos, or size.
func alignAt(r io.ReaderAt, size, pos int64) (int64, error) {
	if pos <= 0 {
		return 0, nil
	}
	if pos >= size {
		return size, nil
	}
	at := pos - 1 // a newline there makes pos the beginning of a line
	found := false
	err := readRange(r, at, size, func(b []byte) bool {
		n := bytes.IndexByte(b, '\n')
		found = n >= 0
		if found {
			at += int64(n) + 1
		} else {
			at += int64(len(b))
		}
		return !found
	})
	return at, err
}

// readRange hands the bytes from..to of r to f, piece by piece, until f gives false. A file that is shorter is io.ErrUnexpectedEOF.
func readRange(r io.ReaderAt, from, to int64, f func([]byte) bool) error {
	if to <= from {
		return nil
	}
	buf := make([]byte, min(seekBytes, to-from))
	for from < to {
		n, err := r.ReadAt(buf[:min(int64(len(buf)), to-from)], from)
		if n == 0 {
			if err == nil || err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		from += int64(n)
		if !f(buf[:n]) {
			return nil
		}
	}
	return nil
}
