package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// floatTolerance is by how much, of their size, fractions of two engines may differ: they add in different orders.
const floatTolerance = 1e-9

// rowsDiffer returns the rows of each answer that the other does not have, whatever the order. Columns of fractions are compared with a
// tolerance.
func rowsDiffer(a, b benchRows) (onlyA, onlyB benchRows) {
	fraction := fractions(a, b)
	buckets := map[string][]int{}
	for i, r := range b {
		k := exactCells(r, fraction)
		buckets[k] = append(buckets[k], i)
	}
	used := make([]bool, len(b))
	for _, r := range a {
		found := false
		for _, i := range buckets[exactCells(r, fraction)] {
			if !used[i] && sameFractions(r, b[i], fraction) {
				used[i], found = true, true
				break
			}
		}
		if !found {
			onlyA = append(onlyA, r)
		}
	}
	for i, r := range b {
		if !used[i] {
			onlyB = append(onlyB, r)
		}
	}
	return onlyA, onlyB
}

// fractions tells which columns hold numbers only, some of them with a point or exponent.
func fractions(answers ...benchRows) []bool {
	var out []bool
	var text []bool
	for _, rows := range answers {
		for _, r := range rows {
			for len(out) < len(r) {
				out, text = append(out, false), append(text, false)
			}
			for c, cell := range r {
				if cell == nil {
					continue
				}
				if _, err := strconv.ParseFloat(*cell, 64); err != nil {
					text[c] = true
				} else if strings.ContainsAny(*cell, ".eE") {
					out[c] = true
				}
			}
		}
	}
	for c := range out {
		out[c] = out[c] && !text[c]
	}
	return out
}

// nullCell stands for NULL where cells are joined; no text of an answer has it.
const nullCell = "\x00NULL"

func textOf(cell *string) string {
	if cell == nil {
		return nullCell
	}
	return *cell
}

// exactCells joins the cells that must be equal.
func exactCells(r []*string, fraction []bool) string {
	var b strings.Builder
	for c, cell := range r {
		switch {
		case !fraction[c]:
			b.WriteString(textOf(cell))
		case cell == nil:
			b.WriteString(nullCell)
		}
		b.WriteByte(0)
	}
	return b.String()
}

func sameFractions(a, b []*string, fraction []bool) bool {
	if len(a) != len(b) {
		return false
	}
	for c := range a {
		if fraction[c] && !sameNumber(a[c], b[c]) {
			return false
		}
	}
	return true
}

func sameNumber(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, errX := strconv.ParseFloat(*a, 64)
	y, errY := strconv.ParseFloat(*b, 64)
	return errX == nil && errY == nil && math.Abs(x-y) <= floatTolerance*max(math.Abs(x), math.Abs(y))
}

// sameCell compares two cells, numbers with the tolerance.
func sameCell(a, b *string) bool { return textOf(a) == textOf(b) || sameNumber(a, b) }

// showRow prints a row for a message, cut to a readable length.
func showRow(r []*string) string {
	const most = 300
	var cells []string
	for _, c := range r {
		cells = append(cells, strings.ReplaceAll(textOf(c), "\x00", ""))
	}
	s := strings.Join(cells, " | ")
	if len(s) > most {
		s = s[:most] + "..."
	}
	return s
}

// describeDifference says in one line how answers differ, "" if they do not.
func describeDifference(got, want benchRows) string {
	onlyGot, onlyWant := rowsDiffer(got, want)
	switch {
	case len(onlyGot) > 0 && len(onlyWant) > 0:
		return fmt.Sprintf("%d of %d rows differ: got %s, want %s", len(onlyGot), len(got), showRow(onlyGot[0]), showRow(onlyWant[0]))
	case len(onlyGot) > 0:
		return fmt.Sprintf("%d rows, want %d; one too many is %s", len(got), len(want), showRow(onlyGot[0]))
	case len(onlyWant) > 0:
		return fmt.Sprintf("%d rows, want %d; missing is %s", len(got), len(want), showRow(onlyWant[0]))
	}
	return ""
}
