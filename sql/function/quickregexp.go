package function

import (
	"bytes"
	"regexp/syntax"
	"unicode/utf8"
)

// quickRegexp matches the plain expressions that queries are full of (anchors, literals, classes of characters, repetition of one class,
// optional parts, groups) by backtracking over bytes, several times faster than package regexp. Backtracking can take exponential time,
// so each text has a budget of steps; a text that exceeds it is left to package regexp.
type quickRegexp struct {
	nodes    []quickNode
	anchored bool
	groups   int
	// caps are the bounds of match and groups.
	caps []int
	// budget is what the current text may still cost; below zero it was too much.
	budget int
}

// quickOp is what one node does.
type quickOp uint8

const (
	quickLiteral quickOp = iota // lit
	quickClass                  // one byte of set, or, with wide, one character
	quickStar                   // least or more of set, greedy
	quickOption                 // the nodes up to next, or nothing
	quickOpen                   // group begins
	quickClose                  // group ends
	quickBegin                  // beginning of the text
	quickEnd                    // end of the text
)

// quickNode is one step; the next one follows in the list.
type quickNode struct {
	op  quickOp
	lit []byte
	set *byteSet
	// stop is the one byte that ends a repetition, noStop if there is none, anyStop if there are several.
	stop int
	// least is the smallest number of repetitions.
	least int
	// exclusive tells that what follows a repetition can only match at its very end.
	exclusive bool
	// next is the node behind an option.
	next  int
	group int
}

// byteSet is a set of bytes. Bytes from 128 on are all in it or none: then every character beyond ASCII is.
type byteSet [256]bool

// Each text may cost stepsPerByte steps for each byte of it, and freeSteps more.
const (
	stepsPerByte = 16
	freeSteps    = 1000
)

// newQuickRegexp translates an expression, nil if it is not plain enough.
func newQuickRegexp(tree *syntax.Regexp, groups int) *quickRegexp {
	q := &quickRegexp{groups: groups}
	if !q.add(tree) {
		return nil
	}
	q.anchored = len(q.nodes) > 0 && q.nodes[0].op == quickBegin
	for i := range q.nodes {
		if n := &q.nodes[i]; n.op == quickStar {
			n.exclusive, n.stop = q.exclusive(i+1, n.set), n.set.stop()
		}
	}
	return q
}

// The values of quickNode.stop that are no bytes.
const (
	noStop  = -1
	anyStop = -2
)

// stop returns the only byte outside the set, or one of the constants.
func (s *byteSet) stop() int {
	stop := noStop
	for b, in := range s {
		switch {
		case in:
		case stop != noStop:
			return anyStop
		default:
			stop = b
		}
	}
	return stop
}

func (q *quickRegexp) own() *quickRegexp {
	c := *q
	c.caps = make([]int, 2*(q.groups+1))
	return &c
}

// add appends the nodes of an expression.
func (q *quickRegexp) add(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return true
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return false
		}
		q.nodes = append(q.nodes, quickNode{op: quickLiteral, lit: []byte(string(re.Rune))})
		return true
	case syntax.OpBeginText:
		q.nodes = append(q.nodes, quickNode{op: quickBegin})
		return true
	case syntax.OpEndText:
		if re.Flags&syntax.WasDollar == 0 {
			return false
		}
		q.nodes = append(q.nodes, quickNode{op: quickEnd})
		return true
	case syntax.OpCharClass, syntax.OpAnyCharNotNL, syntax.OpAnyChar:
		set := classSet(re)
		if set == nil {
			return false
		}
		q.nodes = append(q.nodes, quickNode{op: quickClass, set: set})
		return true
	case syntax.OpStar, syntax.OpPlus:
		return q.addStar(re)
	case syntax.OpQuest:
		if re.Flags&syntax.NonGreedy != 0 {
			return false
		}
		at := len(q.nodes)
		q.nodes = append(q.nodes, quickNode{op: quickOption})
		if !q.add(re.Sub[0]) {
			return false
		}
		q.nodes[at].next = len(q.nodes)
		return true
	case syntax.OpCapture:
		q.nodes = append(q.nodes, quickNode{op: quickOpen, group: re.Cap})
		if !q.add(re.Sub[0]) {
			return false
		}
		q.nodes = append(q.nodes, quickNode{op: quickClose, group: re.Cap})
		return true
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if !q.add(sub) {
				return false
			}
		}
		return true
	}
	return false
}

func (q *quickRegexp) addStar(re *syntax.Regexp) bool {
	sub := re.Sub[0]
	if re.Flags&syntax.NonGreedy != 0 {
		return false
	}
	set := classSet(sub)
	if sub.Op == syntax.OpLiteral && len(sub.Rune) == 1 && sub.Rune[0] < utf8.RuneSelf && sub.Flags&syntax.FoldCase == 0 {
		set = &byteSet{}
		set[sub.Rune[0]] = true
	}
	if set == nil {
		return false
	}
	n := quickNode{op: quickStar, set: set}
	if re.Op == syntax.OpPlus {
		n.least = 1
	}
	q.nodes = append(q.nodes, n)
	return true
}

// classSet returns the bytes of a class that holds all or none of the characters beyond ASCII, nil for other classes.
func classSet(re *syntax.Regexp) *byteSet {
	set := &byteSet{}
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		for i := range set {
			set[i] = true
		}
		set['\n'] = re.Op == syntax.OpAnyChar
		return set
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			lo, hi := re.Rune[i], re.Rune[i+1]
			if hi >= utf8.RuneSelf && (hi != utf8.MaxRune || lo > utf8.RuneSelf) {
				return nil
			}
			for c := lo; c <= min(hi, 255); c++ {
				set[c] = true
			}
		}
		return set
	}
	return nil
}

// find returns the bounds of the first match and its groups, nil if there is none; ok is false if the text was too much. The result is
// valid until the next call.
func (q *quickRegexp) find(s []byte) (m []int, ok bool) {
	q.budget = len(s)*stepsPerByte + freeSteps
	m = q.search(s, 0)
	return m, q.budget >= 0
}

// each calls f for every match that does not overlap with one before, as FindAll of package regexp finds them; false if the text was too
// much.
func (q *quickRegexp) each(s []byte, f func(m []int)) bool {
	q.budget = len(s)*stepsPerByte + freeSteps
	for pos, lastEnd := 0, -1; pos <= len(s); {
		m := q.search(s, pos)
		if m == nil {
			break
		}
		accept := true
		if m[1] == pos { // empty
			accept = m[0] != lastEnd
			if _, n := utf8.DecodeRune(s[pos:]); n > 0 {
				pos += n
			} else {
				pos = len(s) + 1
			}
		} else {
			pos = m[1]
		}
		if lastEnd = m[1]; accept {
			f(m)
		}
	}
	return q.budget >= 0
}

// search returns the first match that begins at pos or later.
func (q *quickRegexp) search(s []byte, pos int) []int {
	if q.anchored {
		if pos == 0 && q.attempt(s, 0) {
			return q.caps
		}
		return nil
	}
	var first []byte
	if len(q.nodes) > 0 && q.nodes[0].op == quickLiteral {
		first = q.nodes[0].lit
	}
	for from := pos; from <= len(s); {
		if first != nil {
			i := bytes.Index(s[from:], first)
			if i < 0 {
				return nil
			}
			from += i
		}
		if q.attempt(s, from) {
			return q.caps
		}
		if from == len(s) || q.budget < 0 {
			return nil
		}
		_, n := utf8.DecodeRune(s[from:])
		from += n
	}
	return nil
}

// attempt looks for a match that begins at from: first the one that takes all it can at every choice, which is the right one if it is a
// match at all, then the others.
func (q *quickRegexp) attempt(s []byte, from int) bool {
	for i := range q.caps {
		q.caps[i] = -1
	}
	matched, settled := q.greedy(s, from)
	if matched || settled {
		return matched
	}
	for i := range q.caps {
		q.caps[i] = -1
	}
	return q.run(s, from, 0, from)
}

// greedy takes all it can at every choice; settled tells that without a match there is no other either.
func (q *quickRegexp) greedy(s []byte, start int) (matched, settled bool) {
	i := start
	settled = true
	q.budget -= len(q.nodes)
	for n := 0; n < len(q.nodes); n++ {
		node := &q.nodes[n]
		switch node.op {
		case quickLiteral:
			if !bytes.HasPrefix(s[i:], node.lit) {
				return false, settled
			}
			i += len(node.lit)
		case quickClass:
			if i == len(s) || !node.set[s[i]] {
				return false, settled
			}
			i += sizeAt(s, i)
		case quickStar:
			end := node.end(s, i)
			q.budget -= (end - i) / stepsPerByte
			if node.least > 0 && end == i {
				return false, settled
			}
			settled = settled && (node.exclusive || end == i)
			i = end
		case quickOption:
			// Only what begins with a literal is known not to match.
			if first := &q.nodes[n+1]; n+1 < node.next && first.op == quickLiteral && !bytes.HasPrefix(s[i:], first.lit) {
				n = node.next - 1
				break
			}
			settled = false
		case quickOpen:
			q.caps[2*node.group] = i
		case quickClose:
			q.caps[2*node.group+1] = i
		case quickBegin:
			if i != 0 {
				return false, settled
			}
		case quickEnd:
			if i != len(s) {
				return false, settled
			}
		}
	}
	q.caps[0], q.caps[1] = start, i
	return true, true
}

// end is where the longest repetition that begins at i ends.
func (n *quickNode) end(s []byte, i int) int {
	switch n.stop {
	case noStop:
		return len(s)
	case anyStop:
		for i < len(s) && n.set[s[i]] {
			i++
		}
		return i
	}
	if k := bytes.IndexByte(s[i:], byte(n.stop)); k >= 0 {
		return i + k
	}
	return len(s)
}

// sizeAt is the length of the character at i.
func sizeAt(s []byte, i int) int {
	if s[i] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRune(s[i:])
	return n
}

// run matches the nodes from n on at position i of s; start is where the match began.
func (q *quickRegexp) run(s []byte, start, n, i int) bool {
	for n < len(q.nodes) {
		node := &q.nodes[n]
		n++
		if q.budget--; q.budget < 0 {
			return false
		}
		switch node.op {
		case quickLiteral:
			if !bytes.HasPrefix(s[i:], node.lit) {
				return false
			}
			i += len(node.lit)
		case quickClass:
			if i == len(s) || !node.set[s[i]] {
				return false
			}
			i += sizeAt(s, i)
		case quickStar:
			return q.star(s, start, n, i, node)
		case quickOption:
			if q.run(s, start, n, i) {
				return true
			}
			n = node.next
		case quickOpen:
			return q.capture(s, start, n, i, 2*node.group)
		case quickClose:
			return q.capture(s, start, n, i, 2*node.group+1)
		case quickBegin:
			if i != 0 {
				return false
			}
		case quickEnd:
			if i != len(s) {
				return false
			}
		}
	}
	q.caps[0], q.caps[1] = start, i
	return true
}

// capture sets a bound of a group and takes it back if the rest does not match.
func (q *quickRegexp) capture(s []byte, start, n, i, slot int) bool {
	old := q.caps[slot]
	q.caps[slot] = i
	if q.run(s, start, n, i) {
		return true
	}
	q.caps[slot] = old
	return false
}

// star takes as much as there is and gives back a character at a time. Where the next step can only begin with a byte that the
// repetition would never take, there is nothing to give back.
func (q *quickRegexp) star(s []byte, start, n, i int, node *quickNode) bool {
	end := node.end(s, i)
	q.budget -= (end - i) / stepsPerByte
	least := i
	for k := 0; k < node.least; k++ {
		if least == end {
			return false
		}
		_, size := utf8.DecodeRune(s[least:])
		least += size
	}
	for {
		if q.run(s, start, n, end) {
			return true
		}
		if end <= least || node.exclusive {
			return false
		}
		_, size := utf8.DecodeLastRune(s[i:end])
		end -= size
	}
}

// exclusive tells that what follows a repetition of set can only match at its very end: a literal that begins outside the set, or the
// end of the text.
func (q *quickRegexp) exclusive(n int, set *byteSet) bool {
	for n < len(q.nodes) && (q.nodes[n].op == quickClose || q.nodes[n].op == quickOpen) {
		n++
	}
	if n == len(q.nodes) {
		return false
	}
	switch next := &q.nodes[n]; next.op {
	case quickLiteral:
		return !set[next.lit[0]]
	case quickEnd:
		return true
	}
	return false
}
