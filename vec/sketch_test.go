package vec

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
)

func TestSketch(t *testing.T) {
	for _, n := range []int{0, 1, 3, 7, 25, 100, 150, 200, 1000, 20_000, 1_000_000} {
		var ints, texts, a, b Sketch
		for i := range n {
			h := HashInt64(int64(i))
			ints.Add(h)
			ints.Add(h)
			texts.Add(HashBytes(fmt.Appendf(nil, "value number %d", i)))
			if i%3 == 0 {
				a.Add(h)
			} else {
				b.Add(h)
			}
		}
		for name, s := range map[string]*Sketch{"integers": &ints, "texts": &texts} {
			if e := s.Estimate(); math.Abs(e-float64(n)) > 0.3*float64(n) {
				t.Errorf("%d %s: estimated %.1f", n, name, e)
			}
		}
		if a.Merge(&b); a != ints {
			t.Errorf("%d: two halves do not merge to the whole", n)
		}
		text, err := json.Marshal(&ints)
		if err != nil {
			t.Fatal(err)
		}
		var back Sketch
		if err := json.Unmarshal(text, &back); err != nil || back != ints {
			t.Errorf("%d: %s is read as %v (%v)", n, text, back, err)
		}
	}
	for _, bad := range []string{`""`, `"AAAA"`, `"?"`} {
		if err := json.Unmarshal([]byte(bad), new(Sketch)); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}
