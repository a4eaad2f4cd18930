package tpch

import (
	"strconv"
	"strings"
	"sync"
)

const (
	// textBytes is the length of the text; where comments lie in it depends on it.
	textBytes = 300 << 20
	textSeed  = 933588178
	// longestSentence is more than the bytes of any sentence.
	longestSentence = 512
)

// text returns the text that all comments are pieces of. It is made once, and kept.
var text = sync.OnceValue(func() []byte { return newGrammar().write(textBytes) })

// weighted is a list of phrases in which each comes as often as its weight says, so that a draw is one index.
type weighted []string

// parseWeighted reads "phrase weight|phrase weight|…" and appends a tail to each phrase.
func parseWeighted(list, tail string) weighted {
	var w weighted
	for _, entry := range strings.Split(list, "|") {
		at := strings.LastIndexByte(entry, ' ')
		n, err := strconv.Atoi(entry[at+1:])
		if err != nil {
			panic("BUG: weight of " + entry)
		}
		for range n {
			w = append(w, entry[:at]+tail)
		}
	}
	return w
}

func (w weighted) draw(s *stream) string { return w[s.pick(int64(len(w)))] }

// grammar writes the text. Words have the blank that follows them.
type grammar struct {
	sentences, nounPhrases, verbPhrases                                weighted
	nouns, verbs, adverbs, adjectives, prepositions, auxiliaries, ends weighted
}

func newGrammar() *grammar {
	return &grammar{
		sentences: parseWeighted(sentenceList, ""), nounPhrases: parseWeighted(nounPhraseList, ""), verbPhrases: parseWeighted(verbPhraseList, ""),
		nouns: parseWeighted(nounList, " "), verbs: parseWeighted(verbList, " "), adverbs: parseWeighted(adverbList, " "),
		adjectives: parseWeighted(adjectiveList, " "), prepositions: parseWeighted(prepositionList, " the "),
		auxiliaries: parseWeighted(auxiliaryList, " "), ends: parseWeighted(terminatorList, " "),
	}
}

// write returns the first n bytes of the text.
func (g *grammar) write(n int) []byte {
	s := stream{seed: textSeed}
	out := make([]byte, 0, n+longestSentence)
	for len(out) < n {
		out = g.sentence(out, &s)
	}
	return out[:n:n]
}

// sentence appends a sentence and a blank.
func (g *grammar) sentence(out []byte, s *stream) []byte {
	for _, part := range []byte(g.sentences.draw(s)) {
		switch part {
		case 'N':
			out = g.nounPhrase(out, s)
		case 'V':
			out = g.verbPhrase(out, s)
		case 'P':
			out = append(out, g.prepositions.draw(s)...)
			out = g.nounPhrase(out, s)
		case 'T':
			out = append(out[:len(out)-1], g.ends.draw(s)...)
		}
	}
	return out
}

func (g *grammar) nounPhrase(out []byte, s *stream) []byte {
	for _, part := range []byte(g.nounPhrases.draw(s)) {
		switch part {
		case 'N':
			out = append(out, g.nouns.draw(s)...)
		case 'J':
			out = append(out, g.adjectives.draw(s)...)
		case 'D':
			out = append(out, g.adverbs.draw(s)...)
		case ',':
			out = append(out[:len(out)-1], ", "...)
		}
	}
	return out
}

func (g *grammar) verbPhrase(out []byte, s *stream) []byte {
	for _, part := range []byte(g.verbPhrases.draw(s)) {
		switch part {
		case 'V':
			out = append(out, g.verbs.draw(s)...)
		case 'X':
			out = append(out, g.auxiliaries.draw(s)...)
		case 'D':
			out = append(out, g.adverbs.draw(s)...)
		}
	}
	return out
}

// comments is the column of comments of a table: two draws each, where the comment starts in the text and how long it is.
type comments struct {
	stream
	text     []byte
	min, max int64
}

// newComments makes comments of an average length; a unit has perUnit comments.
func newComments(seed, average, perUnit, unit int64) comments {
	return comments{stream: newStream(seed, 2*perUnit, unit), text: text(), min: average * 4 / 10, max: average * 16 / 10}
}

// draw returns the next comment, which must not be changed.
func (c *comments) draw() []byte {
	at := c.between(0, textBytes-c.max)
	n := c.between(c.min, c.max)
	return c.text[at : at+n]
}
