package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// judge compares answers with those of a reference, DuckDB over the same data. A query with LIMIT may choose freely among rows that are
// equal in ORDER BY at the ends of its answer: such rows are looked up in the whole result.
type judge struct {
	// ask runs a query on the reference.
	ask func(ctx context.Context, sql string) (benchRows, error)
	// answers are the reference's rows by query, with the order keys as last columns.
	answers map[int]benchRows
}

// question is what the reference is asked about a query; see clickbench.Check.
type question struct {
	sql, all string
	keys     int
	limited  bool
}

// judge returns how rows are not a right answer, "" if they are one.
func (j *judge) judge(ctx context.Context, number int, q question, rows benchRows) (string, error) {
	keyed, ok := j.answers[number]
	if !ok {
		var err error
		if keyed, err = j.ask(ctx, q.sql); err != nil {
			return "", fmt.Errorf("reference answer of query %d: %w", number, err)
		}
		j.answers[number] = keyed
	}
	want := make(benchRows, len(keyed))
	for i, r := range keyed {
		want[i] = r[:len(r)-q.keys]
	}
	if len(rows) > 0 && len(want) > 0 && len(rows[0]) != len(want[0]) {
		return fmt.Sprintf("%d columns, want %d", len(rows[0]), len(want[0])), nil
	}
	if s := wrongOrder(rows, keyed, q.keys); s != "" {
		return s, nil
	}
	extra, missing := rowsDiffer(rows, want)
	if len(extra) == 0 && len(missing) == 0 {
		return "", nil
	}
	if !q.limited || len(extra) != len(missing) {
		return describeDifference(rows, want), nil
	}
	return j.ties(ctx, q, extra, missing, keyed)
}

// wrongOrder compares the columns that are order keys, row by row: rows equal in them may trade places, but the keys may not.
func wrongOrder(rows, keyed benchRows, keys int) string {
	if len(rows) != len(keyed) || len(rows) == 0 {
		return ""
	}
	width := len(keyed[0]) - keys
	for k := range keys {
		for c := range width {
			if !sameColumn(keyed, c, width+k) {
				continue
			}
			for i, r := range rows {
				if !sameCell(r[c], keyed[i][c]) {
					return fmt.Sprintf("row %d is out of order: %s, want %s", i+1, showRow(r), showRow(keyed[i][:width]))
				}
			}
			break
		}
	}
	return ""
}

func sameColumn(rows benchRows, a, b int) bool {
	for _, r := range rows {
		if textOf(r[a]) != textOf(r[b]) {
			return false
		}
	}
	return true
}

// ties accepts rows instead of the missing ones if the whole result has them, with keys as those at an end of the reference's answer, and
// as many of each.
func (j *judge) ties(ctx context.Context, q question, extra, missing, keyed benchRows) (string, error) {
	width := len(keyed[0]) - q.keys
	keyOf := func(r []*string) string { return keyText(r[width:]) }
	ends := map[string]int{keyOf(keyed[0]): 0, keyOf(keyed[len(keyed)-1]): 0}
	fraction := fractions(extra, missing, dropKeys(keyed, q.keys))
	for _, m := range missing {
		for _, r := range keyed {
			if sameCells(r[:width], m) {
				if _, atEnd := ends[keyOf(r)]; !atEnd {
					return "missing is " + showRow(m), nil
				}
				ends[keyOf(r)]++
				break
			}
		}
	}
	found, err := j.ask(ctx, lookup(q, extra, fraction))
	if err != nil {
		return "", fmt.Errorf("look up ties: %w", err)
	}
	used := make([]bool, len(found))
	for _, e := range extra {
		at := -1
		for i, r := range found {
			_, atEnd := ends[keyOf(r)]
			if !used[i] && atEnd && exactCells(r[:width], fraction) == exactCells(e, fraction) && sameFractions(r[:width], e, fraction) {
				at = i
				break
			}
		}
		if at < 0 {
			return "no such row at the ends of the answer: " + showRow(e), nil
		}
		used[at] = true
		ends[keyOf(found[at])]--
	}
	for _, n := range ends {
		if n != 0 {
			return fmt.Sprintf("%d rows at an end of the answer are too many or too few", n), nil
		}
	}
	return "", nil
}

// keyText joins the cells of an order key. Fractions lose the digits in which the reference's two ways to print them differ.
func keyText(r []*string) string {
	var b strings.Builder
	for _, cell := range r {
		s := textOf(cell)
		if x, err := strconv.ParseFloat(s, 64); err == nil && strings.ContainsAny(s, ".eE") {
			s = strconv.FormatFloat(x, 'g', 12, 64)
		}
		b.WriteString(s)
		b.WriteByte(0)
	}
	return b.String()
}

func dropKeys(rows benchRows, keys int) benchRows {
	out := make(benchRows, len(rows))
	for i, r := range rows {
		out[i] = r[:len(r)-keys]
	}
	return out
}

func sameCells(a, b []*string) bool {
	for i := range a {
		if !sameCell(a[i], b[i]) {
			return false
		}
	}
	return true
}

// lookup asks for the rows of the whole result that have the exact cells of some rows.
func lookup(q question, rows benchRows, fraction []bool) string {
	var names, cells, exact []string
	for c := range len(fraction) + q.keys {
		name := "c" + strconv.Itoa(c)
		names = append(names, name)
		text := "CAST(" + name + " AS VARCHAR)"
		cells = append(cells, text)
		if c < len(fraction) && !fraction[c] {
			exact = append(exact, "coalesce("+text+", '')")
		}
	}
	var wanted []string
	for _, r := range rows {
		tuple := []string{"1"}
		for c, cell := range r {
			if !fraction[c] {
				text := ""
				if cell != nil {
					text = *cell
				}
				tuple = append(tuple, "'"+strings.ReplaceAll(text, "'", "''")+"'")
			}
		}
		wanted = append(wanted, "("+strings.Join(tuple, ", ")+")")
	}
	return "SELECT " + strings.Join(cells, ", ") + " FROM (" + q.all + ") t(" + strings.Join(names, ", ") + ") WHERE (1, " + strings.Join(exact, ", ") + ") IN (" + strings.Join(wanted, ", ") + ")"
}
