package parse

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var soupRounds = flag.Int("soup", 20_000, "number of token mutations that TestTokenSoup tries")

// TestTokenSoup changes, drops, doubles and swaps tokens of known statements, which reaches more of the grammar than changing
// bytes does. Accepted texts must be stable, as in FuzzParse. The seed is the number of rounds, so that a failure repeats.
func TestTokenSoup(t *testing.T) {
	var statements [][]string
	var pool []string
	add := func(sql string) {
		words := splitTokens(sql)
		statements = append(statements, words)
		pool = append(pool, words...)
	}
	for _, name := range []string{"tpch.sql", "clickbench.sql", "variant.sql", "evolution.sql"} {
		for _, s := range loadStatements(t, name) {
			add(s.SourceText())
		}
	}
	text, err := os.ReadFile(filepath.Join("testdata", "forms.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		add(line)
	}
	r := rand.New(rand.NewPCG(1, uint64(*soupRounds)))
	accepted := 0
	for range *soupRounds {
		words := append([]string(nil), statements[r.IntN(len(statements))]...)
		for range 1 + r.IntN(3) {
			words = mutate(r, words, pool, statements)
		}
		list, _ := Parse(strings.Join(words, " "))
		for _, s := range list {
			accepted++
			fuzzStable(t, s)
		}
	}
	if accepted < *soupRounds/20 {
		t.Errorf("only %d of %d texts were accepted: the mutations are too wild to test anything", accepted, *soupRounds)
	}
}

// splitTokens returns the texts of the tokens of sql.
func splitTokens(sql string) []string {
	l := lexer{src: sql}
	var list []string
	for tok := l.scan(0); tok.kind != tokEOF && tok.kind != tokBad; tok = l.scan(tok.end) {
		list = append(list, sql[tok.start:tok.end])
	}
	return list
}

// mutate makes one change at a random place.
func mutate(r *rand.Rand, words, pool []string, statements [][]string) []string {
	if len(words) == 0 {
		return []string{pool[r.IntN(len(pool))]}
	}
	i := r.IntN(len(words))
	switch r.IntN(6) {
	case 0:
		words[i] = pool[r.IntN(len(pool))]
	case 1:
		words = append(words[:i], words[i+1:]...)
	case 2:
		words = append(words[:i], append([]string{pool[r.IntN(len(pool))]}, words[i:]...)...)
	case 3:
		j := r.IntN(len(words))
		words[i], words[j] = words[j], words[i]
	case 4:
		other := statements[r.IntN(len(statements))]
		from := r.IntN(len(other))
		part := append([]string(nil), other[from:min(len(other), from+1+r.IntN(8))]...)
		words = append(words[:i], append(part, words[i:]...)...)
	default:
		words = append(words[:i], append([]string{"("}, words[i:]...)...)
		j := i + 1 + r.IntN(len(words)-i)
		words = append(words[:j], append([]string{")"}, words[j:]...)...)
	}
	return words
}
