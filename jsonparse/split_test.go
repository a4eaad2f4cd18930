package jsonparse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
)

// lineTexts reads a stream to its end and shows every line as number@offset:text, and every error.
func lineTexts(r io.Reader, opts SplitOptions) []string {
	var got []string
	s := NewSplitter(r, opts)
	for {
		c, err := s.Next()
		var in *InputError
		switch {
		case err == io.EOF:
			return append(got, fmt.Sprintf("%d lines", s.Lines()))
		case errors.As(err, &in):
			got = append(got, fmt.Sprintf("error@%d %v", in.Offset, err))
			if strings.Contains(in.Msg, "encoded") {
				return got
			}
			continue
		case err != nil:
			return append(got, err.Error())
		}
		for l := c.Lines(); l.Next(); {
			got = append(got, fmt.Sprintf("%d@%d:%s", l.Number, l.Offset, l.Line))
		}
		c.Release()
	}
}

func TestSplitter(t *testing.T) {
	f := func(in string, want ...string) {
		t.Helper()
		for size := 1; size <= 64; size += 1 + size/8 {
			for _, r := range []io.Reader{strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in)), iotest.DataErrReader(strings.NewReader(in))} {
				got := lineTexts(r, SplitOptions{ChunkBytes: size, MaxLineBytes: 20})
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("%q in chunks of %d:\ngot  %q\nwant %q", in, size, got, want)
				}
			}
		}
	}
	f("", "0 lines")
	f("\n", "1 lines")
	f("a", "1@0:a", "1 lines")
	f("a\nb\n", "1@0:a", "2@2:b", "2 lines")
	f("a\r\n\r\n \t\nb", "1@0:a", "4@8:b", "4 lines")
	f("\xef\xbb\xbfa\nb", "1@3:a", "2@5:b", "2 lines")
	f("a\n\xef\xbb\xbfb", "1@0:a", "2@2:\xef\xbb\xbfb", "2 lines")
	f("a\rb\n", "1@0:a\rb", "1 lines")
	long := strings.Repeat("x", 20)
	f(long+"\n"+long, "1@0:"+long, "2@21:"+long, "2 lines")
	const msg = "the line is longer than 20 bytes"
	f("a\n"+long+"x\nb\n", "1@0:a", "error@2 line 2: "+msg, "3@24:b", "3 lines")
	f(long+long+long+long, "error@0 line 1: "+msg, "1 lines")
	f(long+"xx\n"+long+"yy\nb", "error@0 line 1: "+msg, "error@23 line 2: "+msg, "3@46:b", "3 lines")
	f("a\n\n"+long+long+"\n\nb", "1@0:a", "error@3 line 3: "+msg, "5@45:b", "5 lines")
}

func TestEncodings(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		got := lineTexts(strings.NewReader(in), SplitOptions{})
		if got[0] != "error@0 line 1: the file is encoded in "+want+", only UTF-8 is supported" {
			t.Errorf("%q: %s", in, got)
		}
	}
	f("\xff\xfe{\x00}\x00", "UTF-16 (little endian)")
	f("\xfe\xff\x00{\x00}", "UTF-16 (big endian)")
	f("{\x00}\x00", "UTF-16 (little endian)")
	f("\x00{\x00}", "UTF-16 (big endian)")
	f("\xff\xfe\x00\x00{\x00\x00\x00", "UTF-32 (little endian)")
	f("{\x00\x00\x00}\x00\x00\x00", "UTF-32 (little endian)")
	f("\x00\x00\xfe\xff\x00\x00\x00{", "UTF-32 (big endian)")
	f("\x00\x00\x00{", "UTF-32 (big endian)")
}

func TestSplitterReadErrors(t *testing.T) {
	cut := errors.New("stream cut off")
	for size := 1; size < 20; size++ {
		r := io.MultiReader(strings.NewReader("a\nb\nhalf"), iotest.ErrReader(cut))
		got := fmt.Sprint(lineTexts(r, SplitOptions{ChunkBytes: size}))
		if want := "[1@0:a 2@2:b stream cut off]"; got != want {
			t.Errorf("chunks of %d: got %s, want %s", size, got, want)
		}
	}
	if got := fmt.Sprint(lineTexts(stuck{}, SplitOptions{})); got != "["+io.ErrNoProgress.Error()+"]" {
		t.Errorf("stuck reader: %s", got)
	}
}

// stuck is a reader that gives neither data nor an error.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// TestSplitterWorkers hands chunks to workers that release them while the splitter goes on.
func TestSplitterWorkers(t *testing.T) {
	var text bytes.Buffer
	const lines = 200_000
	for i := range lines {
		fmt.Fprintf(&text, "{\"i\":%d,\"pad\":\"%s\"}\n", i, strings.Repeat("x", i%90))
	}
	s := NewSplitter(bytes.NewReader(text.Bytes()), SplitOptions{})
	chunks := make(chan *Chunk)
	var wg sync.WaitGroup
	sums := make([]int64, 3)
	for w := range sums {
		wg.Add(1)
		go func() {
			defer wg.Done()
			p := New(Options{})
			for c := range chunks {
				for l := c.Lines(); l.Next(); {
					var v lastInt
					if err := p.Parse(l.Line, &v); err != nil {
						t.Errorf("line %d: %v", l.Number, err)
					}
					if v.n != l.Number-1 || !bytes.HasPrefix(text.Bytes()[l.Offset:], l.Line) {
						t.Errorf("line %d holds %d", l.Number, v.n)
					}
					sums[w] += v.n
				}
				c.Release()
			}
		}()
	}
	for {
		c, err := s.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		chunks <- c
	}
	close(chunks)
	wg.Wait()
	if sum := sums[0] + sums[1] + sums[2]; sum != lines*(lines-1)/2 {
		t.Errorf("sum %d", sum)
	}
}

// lastInt remembers the last integer.
type lastInt struct {
	deaf
	n int64
}

func (l *lastInt) Int(v int64) { l.n = v }

// TestRanges checks that aligned ranges cover a file, that each line lies in the range in which it begins, and that counting gives the
// same line numbers as reading from the start.
func TestRanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for round := range 300 {
		var text []byte
		for range rng.IntN(30) {
			text = append(text, strings.Repeat("x", rng.IntN(12))...)
			text = append(text, '\n')
		}
		if rng.IntN(2) == 0 {
			text = append(text, "end"...)
		}
		r, size := bytes.NewReader(text), int64(len(text))
		want := lineTexts(bytes.NewReader(text), SplitOptions{})
		step := int64(1 + rng.IntN(20))
		ranges, err := AlignRanges(r, size, step)
		if err != nil {
			t.Fatal(err)
		}
		var single []Range
		for from := int64(0); from < size; from += step {
			one, err := AlignRange(r, size, Range{from, from + step})
			if err != nil {
				t.Fatal(err)
			}
			single = append(single, one)
		}
		for _, rs := range [][]Range{ranges, single} {
			var got []string
			at, line := int64(0), int64(1)
			for _, one := range rs {
				if one.From != at && one.From != one.To {
					t.Fatalf("round %d: gap at %d: %v", round, at, rs)
				}
				n, err := CountRangeLines(r, one.From, one.To)
				if err != nil {
					t.Fatal(err)
				}
				texts := lineTexts(io.NewSectionReader(r, one.From, one.To-one.From), SplitOptions{FirstLine: line, Offset: one.From})
				if texts[len(texts)-1] != fmt.Sprintf("%d lines", n) {
					t.Fatalf("%v: counted %d, read %s", one, n, texts)
				}
				got = append(got, texts[:len(texts)-1]...)
				line += n
				at = max(at, one.To)
			}
			got = append(got, fmt.Sprintf("%d lines", line-1))
			if fmt.Sprint(got) != fmt.Sprint(want) || at != size {
				t.Fatalf("round %d %q: got %s up to %d, want %s", round, text, got, at, want)
			}
		}
	}
	if _, err := AlignRanges(bytes.NewReader([]byte("a\nb")), 100, 50); err != io.ErrUnexpectedEOF {
		t.Errorf("a file that is shorter than its size: %v", err)
	}
}
