// Package varianttest makes variant vectors for the tests of other packages.
// It knows nothing of tables, segments and files.
// Its functions may be called from many tests at once.
package varianttest

import (
	"testing"

	"github.com/ebira-db/ebira/jsonparse"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// Documents parses JSON texts to a variant vector of one row each; "" is SQL NULL. A text that is no JSON fails the test.
func Documents(t testing.TB, texts ...string) *vec.Vector {
	t.Helper()
	p := jsonparse.New(jsonparse.Options{})
	b := variant.NewBatchBuilder(len(texts))
	for _, s := range texts {
		if s == "" {
			b.AppendNull()
			continue
		}
		b.BeginRow()
		if err := p.Parse([]byte(s), b); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		b.EndRow()
	}
	return b.Finish()
}
