package vfs

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// outcomes counts what crash clones of m look like according to see.
func outcomes(m *Mem, see func(c *Mem) string) map[string]int {
	out := make(map[string]int)
	for seed := range uint64(300) {
		out[see(m.CrashClone(rand.New(rand.NewPCG(seed, 1))))]++
	}
	return out
}

// wantOutcomes fails unless exactly the given looks occur.
func wantOutcomes(t *testing.T, got map[string]int, want ...string) {
	t.Helper()
	for _, w := range want {
		if got[w] == 0 {
			t.Errorf("never saw %q", w)
		}
		delete(got, w)
	}
	if len(got) > 0 {
		t.Errorf("saw also %v", got)
	}
}

// look lists the root as name=content pairs.
func look(c *Mem) string {
	infos, err := c.List("/")
	if err != nil {
		return err.Error()
	}
	var parts []string
	for _, i := range infos {
		if i.IsDir() {
			parts = append(parts, i.Name+"/")
			continue
		}
		b, err := ReadFile(c, "/"+i.Name, 1<<20)
		if err != nil {
			return err.Error()
		}
		parts = append(parts, i.Name+"="+string(b))
	}
	return strings.Join(parts, " ")
}

func TestCrashNames(t *testing.T) {
	m := NewMem()
	put(t, m, "/a", "1")
	wantOutcomes(t, outcomes(m, look), "", "a=1")
	must(t, m.SyncDir("/"))
	wantOutcomes(t, outcomes(m, look), "a=1")

	// A rename in one directory is atomic.
	must(t, m.Rename("/a", "/b"))
	wantOutcomes(t, outcomes(m, look), "a=1", "b=1")
	must(t, m.SyncDir("/"))
	wantOutcomes(t, outcomes(m, look), "b=1")

	// A removal may come back.
	must(t, m.Remove("/b"))
	wantOutcomes(t, outcomes(m, look), "", "b=1")
	must(t, m.SyncDir("/"))

	// Between directories each side is on its own.
	put(t, m, "/f", "x")
	must(t, m.MkdirAll("/d"))
	must(t, m.SyncDir("/"))
	must(t, m.Rename("/f", "/d/f"))
	both := func(c *Mem) string {
		inner := ""
		if ok, _ := Exists(c, "/d/f"); ok {
			inner = " +d/f"
		}
		return look(c) + inner
	}
	wantOutcomes(t, outcomes(m, both), "d/", "d/ f=x", "d/ +d/f", "d/ f=x +d/f")
	must(t, m.SyncDir("/d"))
	wantOutcomes(t, outcomes(m, both), "d/ +d/f", "d/ f=x +d/f")

	// A directory whose own name was not synced takes everything in it away.
	m = NewMem()
	must(t, m.MkdirAll("/p/q"))
	put(t, m, "/p/q/f", "x")
	must(t, m.SyncDir("/p/q"))
	must(t, m.SyncDir("/p"))
	wantOutcomes(t, outcomes(m, look), "", "p/")
	m = NewMem()
	must(t, MkdirAllSync(m, "/p/q"))
	wantOutcomes(t, outcomes(m, func(c *Mem) string {
		_, err := c.List("/p/q")
		return fmt.Sprint(err)
	}), "<nil>")
}

func TestCrashContent(t *testing.T) {
	m := NewMem()
	f, err := m.Create("/f")
	must(t, err)
	must(t, m.SyncDir("/"))
	write := func(s string) {
		_, err := f.Write([]byte(s))
		must(t, err)
	}
	write("ab")
	must(t, f.Sync())
	write("cd")
	write("e")
	wantOutcomes(t, outcomes(m, look), "f=ab", "f=abc", "f=abcd", "f=ab\x00\x00", "f=abcde", "f=ab\x00\x00e", "f=abc\x00e",
		"f=abcd\x00", "f=ab\x00\x00\x00", "f=abc\x00\x00")
	must(t, f.Sync())
	wantOutcomes(t, outcomes(m, look), "f=abcde")
	must(t, f.Truncate(3))
	wantOutcomes(t, outcomes(m, look), "f=abc", "f=abcde")
	must(t, f.Sync())
	wantOutcomes(t, outcomes(m, look), "f=abc")

	// The clone is a file system of its own, and what it shows is durable.
	c := m.CrashClone(rand.New(rand.NewPCG(1, 1)))
	write("later")
	put(t, c, "/f", "other")
	wantOutcomes(t, outcomes(c, look), "f=other")
	if got := content(t, m, "/f"); got != "abclater" {
		t.Errorf("the original changed to %q", got)
	}
	// A lock does not survive.
	_, err = m.Lock("/LOCK")
	must(t, err)
	c = m.CrashClone(rand.New(rand.NewPCG(1, 1)))
	if _, err := c.Lock("/LOCK"); err != nil {
		t.Error(err)
	}
}

// TestCrashSeedDecides repeats clones of one random history: equal seeds give equal clones.
func TestCrashSeedDecides(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	m := NewMem()
	for i := range 200 {
		name := fmt.Sprintf("/d%d/f%d", rng.IntN(4), rng.IntN(9))
		switch rng.IntN(5) {
		case 0:
			must(t, m.RemoveAll(name[:3]))
		case 1:
			must(t, m.MkdirAll(name[:3]))
			must(t, m.SyncDir("/"))
		default:
			must(t, m.MkdirAll(name[:3]))
			f, err := m.OpenAppend(name)
			must(t, err)
			_, err = f.Write(bytes.Repeat([]byte{byte(i)}, rng.IntN(2000)))
			must(t, err)
			if rng.IntN(3) == 0 {
				must(t, f.Sync())
			}
		}
	}
	dump := func(c *Mem) string {
		var b strings.Builder
		var walk func(dir string)
		walk = func(dir string) {
			infos, err := c.List(dir)
			must(t, err)
			for _, i := range infos {
				if i.IsDir() {
					walk(dir + i.Name + "/")
				} else {
					fmt.Fprintf(&b, "%s%s %q\n", dir, i.Name, content(t, c, dir+i.Name))
				}
			}
		}
		walk("/")
		return b.String()
	}
	for seed := range uint64(20) {
		a := dump(m.CrashClone(rand.New(rand.NewPCG(seed, 0))))
		b := dump(m.CrashClone(rand.New(rand.NewPCG(seed, 0))))
		if a != b {
			t.Fatalf("seed %d gave two clones", seed)
		}
	}
}
