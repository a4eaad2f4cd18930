package expr

import (
	"fmt"
	"sync"
	"testing"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// dictionary makes a batch of n rows over a dictionary of so many entries.
func dictionary(entries, n int) (*vec.Vector, func(from int) *vec.Batch) {
	b := vec.NewBuilder(types.Of(types.Varchar), entries)
	for i := range entries {
		b.AppendString(fmt.Sprintf("entry %d", i))
	}
	dict := b.Finish()
	return dict, func(from int) *vec.Batch {
		v := &vec.Vector{Type: dict.Type, Form: vec.Dictionary, Len: n, Codes: make([]uint32, n), Dict: dict}
		for i := range n {
			v.Codes[i] = uint32((from + i) % entries)
		}
		return vec.NewBatch(n, v)
	}
}

func TestMemoComputesEntriesOnce(t *testing.T) {
	const entries, n = 1000, 100
	_, batchAt := dictionary(entries, n)
	like, ok := call(t, "like", &Column{Index: 0, T: types.Of(types.Varchar)}, text("%7%")).(*Call)
	if !ok {
		t.Fatal("like is no call")
	}
	var mu sync.Mutex
	evaluated := 0
	inner := *like.Fn
	counted := inner
	counted.Kernel = func(c *function.Ctx, args []*vec.Vector, rows int) (*vec.Vector, error) {
		mu.Lock()
		evaluated += rows
		mu.Unlock()
		return inner.Kernel(c, args, rows)
	}
	e := &Call{Fn: &counted, Args: like.Args}
	var wait sync.WaitGroup
	for w := range 2 {
		wait.Go(func() {
			for k := range 100 {
				b := batchAt(k*n + w)
				got, err := e.Eval(utc, b)
				if err != nil {
					t.Error(err)
					return
				}
				want, _ := inner.Kernel(utc, []*vec.Vector{vec.Flatten(b.Cols[0]), vec.NewConstant(text("%7%").Value, n)}, n)
				if dump(got) != dump(want) {
					t.Errorf("batch %d differs", k)
				}
			}
		})
	}
	wait.Wait()
	if evaluated > 4*entries {
		t.Errorf("evaluated %d rows for a dictionary of %d entries", evaluated, entries)
	}
}

// TestMemoOfFailingEntries checks that an entry without a result only matters to the rows that refer to it.
func TestMemoOfFailingEntries(t *testing.T) {
	b := vec.NewBuilder(types.Of(types.Varchar), 2)
	b.AppendString("12")
	b.AppendString("no number")
	dict := b.Finish()
	rows := func(codes ...uint32) *vec.Batch {
		return vec.NewBatch(len(codes), &vec.Vector{Type: dict.Type, Form: vec.Dictionary, Len: len(codes), Codes: codes, Dict: dict})
	}
	cast := &Cast{Arg: &Column{Index: 0, T: dict.Type}, To: types.Of(types.Int)}
	for range 3 {
		v, err := cast.Eval(utc, rows(0, 0, 0))
		if err != nil || dump(v) != "12 12 12" {
			t.Errorf("got %v, %v", v, err)
		}
		if _, err := cast.Eval(utc, rows(0, 1)); err == nil {
			t.Error("the row with the bad entry was cast")
		}
	}
}
