package jsonparse

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// Sizes that apply where SplitOptions leaves a field zero.
const (
	// DefaultChunkBytes keeps a chunk within a core's share of the caches and still large against the cost of handing it over.
	DefaultChunkBytes = 1 << 20
	// DefaultMaxLineBytes bounds one line, and thereby what a file without newlines can make us hold.
	DefaultMaxLineBytes = 64 << 20
)

// SplitOptions configures a Splitter; zero fields take the defaults.
type SplitOptions struct {
	ChunkBytes   int   // bytes read at one time, the usual size of a chunk
	MaxLineBytes int   // length of a line without its newline
	FirstLine    int64 // number of the first line, 1 by default
	Offset       int64 // position of the stream's first byte in its file; encodings are looked at only at 0
}

// InputError is an error in the stream rather than in one of its values: an encoding that is not UTF-8, or a line that is too long.
type InputError struct {
	Line   int64 // physical line, counted from SplitOptions.FirstLine
	Offset int64 // position in the file where the line begins
	Msg    string
}

// Error gives the message with the line.
func (e *InputError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Msg) }

// Splitter cuts newline-delimited JSON into chunks of whole lines. It is used by one goroutine; its chunks may be used by others.
type Splitter struct {
	r      io.Reader
	opts   SplitOptions
	buf    []byte // its first n bytes are read and belong to no chunk yet
	n      int
	line   int64 // number of the line that buf begins
	offset int64 // position of buf in the file
	begun  bool  // the first bytes have been looked at
	skip   bool  // buf begins within a line that was too long and is reported
	err    error // what ended the stream
}

// NewSplitter makes a splitter over r, which must give plain (decompressed) bytes.
func NewSplitter(r io.Reader, opts SplitOptions) *Splitter {
	if opts.ChunkBytes <= 0 {
		opts.ChunkBytes = DefaultChunkBytes
	}
	if opts.MaxLineBytes <= 0 {
		opts.MaxLineBytes = DefaultMaxLineBytes
	}
	if opts.FirstLine <= 0 {
		opts.FirstLine = 1
	}
	opts.ChunkBytes = max(opts.ChunkBytes, 4) // what foreignEncoding looks at
	return &Splitter{r: r, opts: opts, line: opts.FirstLine, offset: opts.Offset}
}

// Next gives the next chunk, which holds at least one line, and io.EOF after the last one. The last line need not end with a newline.
// An error of the reader comes after the whole lines read before it; the line it cuts off is dropped. After the *InputError of a line
// that is too long Next may be called again and goes on behind that line; every other error is final.
func (s *Splitter) Next() (*Chunk, error) {
	for {
		if s.err != nil && s.n == 0 {
			s.recycle()
			return nil, s.err
		}
		s.fill()
		if !s.begun && s.n > 0 {
			s.begun = true
			if s.opts.Offset == 0 {
				if err := s.begin(); err != nil {
					return nil, err
				}
			}
		}
		if s.skip {
			s.skipLine()
		}
		if s.n == 0 {
			continue
		}
		if c, err := s.cut(); c != nil || err != nil {
			return c, err
		}
	}
}

// Lines is the number of physical lines in the chunks given out so far and the lines skipped as too long; after io.EOF, in the whole
// stream. It turns the line numbers of ranges read side by side into those of the file.
func (s *Splitter) Lines() int64 { return s.line - s.opts.FirstLine }

// maxEmptyReads bounds the reads without data and without error that a reader may give in a row.
const maxEmptyReads = 100

// fill reads behind the pending bytes until the buffer is full or the stream ends; a full buffer grows first.
func (s *Splitter) fill() {
	if s.err != nil {
		return
	}
	if s.n == len(s.buf) {
		old := s.buf
		s.buf = chunkBuffer(max(s.opts.ChunkBytes, min(2*s.n, s.opts.MaxLineBytes+1)))
		copy(s.buf, old[:s.n])
		recycle(old)
	}
	for empty := 0; s.n < len(s.buf); {
		m, err := s.r.Read(s.buf[s.n:])
		s.n += m
		if err != nil {
			s.err = err
			return
		}
		if m > 0 {
			empty = 0
		} else if empty++; empty == maxEmptyReads {
			s.err = io.ErrNoProgress
			return
		}
	}
}

// begin looks at the first bytes of the file: it drops a UTF-8 byte order mark and refuses other encodings.
func (s *Splitter) begin() error {
	if encoding := foreignEncoding(s.buf[:s.n]); encoding != "" {
		s.n = 0
		s.err = &InputError{Line: s.line, Offset: s.offset, Msg: "the file is encoded in " + encoding + ", only UTF-8 is supported"}
		return s.err
	}
	if bytes.HasPrefix(s.buf[:s.n], []byte("\xef\xbb\xbf")) {
		s.drop(3)
	}
	return nil
}

// drop removes the first k pending bytes.
func (s *Splitter) drop(k int) {
	s.n = copy(s.buf, s.buf[k:s.n])
	s.offset += int64(k)
}

// skipLine drops the rest of a line that was too long, as far as it is read.
func (s *Splitter) skipLine() {
	end := bytes.IndexByte(s.buf[:s.n], '\n') + 1
	if end == 0 && s.err == nil {
		s.drop(s.n)
		return
	}
	if end == 0 {
		end = s.n
	}
	s.drop(end)
	s.skip = false
	s.line++
}

// cut makes a chunk of the whole lines among the pending bytes. It gives nothing if there is none.
func (s *Splitter) cut() (*Chunk, error) {
	data := s.buf[:s.n]
	end := bytes.LastIndexByte(data, '\n') + 1
	switch {
	case s.err == io.EOF:
		end = s.n
	case s.err != nil && end == 0:
		s.drop(s.n)
		return nil, s.err
	}
	if s.n > s.opts.MaxLineBytes {
		if at, whole := longLine(data, s.opts.MaxLineBytes); at == 0 {
			return nil, s.tooLong(whole)
		} else if at > 0 {
			end = at
		}
	}
	if end == 0 {
		return nil, nil
	}
	c := &Chunk{Data: data[:end:end], FirstLine: s.line, Offset: s.offset, buf: s.buf}
	// The beginning of the next line moves to another buffer, because this one now belongs to the chunk.
	s.n -= end
	s.buf = nil
	if s.n > 0 || s.err == nil {
		s.buf = chunkBuffer(max(s.opts.ChunkBytes, s.n))
		copy(s.buf, data[end:])
	}
	s.line += CountLines(c.Data)
	s.offset += int64(end)
	return c, nil
}

// longLine gives the start of the first line of data that is longer than limit (without its newline), or -1, and whether its end is in
// data.
func longLine(data []byte, limit int) (at int, whole bool) {
	for len(data)-at > limit {
		n := bytes.IndexByte(data[at:], '\n')
		if n < 0 || n > limit {
			return at, n >= 0
		}
		at += n + 1
	}
	return -1, false
}

// tooLong drops the line that the pending bytes begin with, and gives its error.
func (s *Splitter) tooLong(whole bool) error {
	err := &InputError{Line: s.line, Offset: s.offset, Msg: fmt.Sprintf("the line is longer than %d bytes", s.opts.MaxLineBytes)}
	s.skip = true
	if whole || s.err != nil {
		s.skipLine()
	} else {
		s.drop(s.n)
	}
	return err
}

// recycle gives the splitter's own buffer back at the end of the stream.
func (s *Splitter) recycle() {
	recycle(s.buf)
	s.buf = nil
}

// chunkBuffers holds buffers of the default size for all splitters; others are left to the garbage collector.
var chunkBuffers sync.Pool

// chunkBuffer gives a buffer of size bytes with any content.
func chunkBuffer(size int) []byte {
	if size == DefaultChunkBytes {
		if b, _ := chunkBuffers.Get().(*[DefaultChunkBytes]byte); b != nil {
			return b[:]
		}
	}
	return make([]byte, size)
}

// recycle takes a buffer of chunkBuffer back.
func recycle(b []byte) {
	if len(b) == DefaultChunkBytes {
		chunkBuffers.Put((*[DefaultChunkBytes]byte)(b))
	}
}

// foreignEncoding names the UTF-16 or UTF-32 encoding that the first bytes of a JSON text betray, by their mark or by the zero bytes
// around a first character that is ASCII in all JSON; it gives "" for what may be UTF-8.
func foreignEncoding(b []byte) string {
	var zero [4]bool
	for i := range zero {
		zero[i] = i < len(b) && b[i] == 0
	}
	has := func(mark string) bool { return bytes.HasPrefix(b, []byte(mark)) }
	switch {
	case has("\xff\xfe\x00\x00"), len(b) >= 4 && !zero[0] && zero[1] && zero[2] && zero[3]:
		return "UTF-32 (little endian)"
	case has("\x00\x00\xfe\xff"), len(b) >= 4 && zero[0] && zero[1] && zero[2] && !zero[3]:
		return "UTF-32 (big endian)"
	case has("\xff\xfe"), len(b) >= 2 && !zero[0] && zero[1]:
		return "UTF-16 (little endian)"
	case has("\xfe\xff"), len(b) >= 2 && zero[0] && !zero[1]:
		return "UTF-16 (big endian)"
	}
	return ""
}
