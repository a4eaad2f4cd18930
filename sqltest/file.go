// Package sqltest runs SQL test files (.slt) against an engine, in process or over the wire.
// It knows no SQL: it sends statements and compares printed values, and can rewrite a file with what it got.
// A Runner belongs to one test.
//
// A file is a list of records separated by blank lines; '#' begins a comment line. Records:
//
//	statement ok                 the SQL on the following lines must succeed
//	statement error REGEXP       it must fail with a matching message (the regexp may be empty)
//	statement count N            it must succeed and say that N rows were written or deleted
//	query TYPES [SORT] [LABEL]   it must yield the rows behind ----, one line a row, values separated by tabs
//	restart                      close the engine and open it again
//	flush                        turn all small writes into segments
//	compact                      merge segments
//	write FILE                   write the following lines to FILE under ${TMP}
//	require NAME                 skip the rest of the file unless the environment has NAME (shared)
//	foreach NAME a b c ... endforeach
//
// TYPES has one letter a column: T text, I integer, R float or decimal, B boolean, ? anything. SORT is nosort, rowsort or valuesort.
// ${TMP}, ${SHARED} and loop variables are replaced everywhere. Values print as in CAST to VARCHAR, NULL as NULL, ” as (empty).
package sqltest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

type recordKind uint8

const (
	recComment recordKind = iota // blank and comment lines, kept for rewriting
	recStatement
	recQuery
	recDirective
	recForeach
	recEnd
)

// record is one parsed record; raw keeps its lines for rewriting.
type record struct {
	kind recordKind
	line int
	raw  []string

	sql      string
	wantErr  *regexp.Regexp // statement error
	count    int64          // statement count; -1: not given
	types    string
	sort     string
	label    string
	want     []string
	word     string   // directive
	args     []string // its arguments
	body     []string // lines of write
	children []record // foreach
}

// parseFile cuts text into records.
func parseFile(text string) ([]record, error) {
	p := &fileParser{lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}
	recs, err := p.records(false)
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", p.at, err)
	}
	return recs, nil
}

type fileParser struct {
	lines []string
	at    int // lines consumed
}

func (p *fileParser) records(inLoop bool) ([]record, error) {
	var out []record
	for p.at < len(p.lines) {
		line := strings.TrimSpace(p.lines[p.at])
		if line == "" || line[0] == '#' {
			out = append(out, record{kind: recComment, raw: p.lines[p.at : p.at+1]})
			p.at++
			continue
		}
		r, err := p.record()
		if err != nil {
			return nil, err
		}
		if r.kind == recEnd {
			if !inLoop {
				return nil, fmt.Errorf("endforeach without foreach")
			}
			return append(out, r), nil
		}
		out = append(out, r)
	}
	if inLoop {
		return nil, fmt.Errorf("foreach without endforeach")
	}
	return out, nil
}

func (p *fileParser) record() (record, error) {
	start := p.at
	words := strings.Fields(p.lines[p.at])
	r := record{line: p.at + 1, count: -1, word: words[0], args: words[1:], kind: recDirective}
	p.at++
	var err error
	switch words[0] {
	case "statement":
		r.kind = recStatement
		r.sql = strings.Join(p.block(), "\n")
		err = r.statementHead(p.lines[start])
	case "query":
		r.kind = recQuery
		err = p.query(&r)
	case "write":
		r.body = p.block()
	case "foreach":
		r.kind = recForeach
		r.raw = p.lines[start:p.at]
		r.children, err = p.records(true)
		return r, err
	case "endforeach":
		r.kind = recEnd
	case "restart", "flush", "compact", "require":
	default:
		err = fmt.Errorf("unknown record %q", words[0])
	}
	r.raw = p.lines[start:p.at]
	return r, err
}

// block reads the lines up to a blank one.
func (p *fileParser) block() []string {
	start := p.at
	for p.at < len(p.lines) && strings.TrimSpace(p.lines[p.at]) != "" {
		p.at++
	}
	return p.lines[start:p.at]
}

func (r *record) statementHead(line string) (err error) {
	switch {
	case len(r.args) == 1 && r.args[0] == "ok":
	case len(r.args) >= 1 && r.args[0] == "error":
		_, pattern, _ := strings.Cut(line, "error")
		r.wantErr, err = regexp.Compile("(?s)" + strings.TrimSpace(pattern))
	case len(r.args) == 2 && r.args[0] == "count":
		r.count, err = strconv.ParseInt(r.args[1], 10, 64)
	default:
		err = fmt.Errorf("statement needs ok, error or count")
	}
	return err
}

func (p *fileParser) query(r *record) error {
	if len(r.args) == 0 {
		return fmt.Errorf("query needs column types")
	}
	r.types, r.sort = r.args[0], "nosort"
	for _, a := range r.args[1:] {
		switch a {
		case "nosort", "rowsort", "valuesort":
			r.sort = a
		default:
			r.label = a
		}
	}
	lines := p.block()
	for i, l := range lines {
		if l == "----" {
			r.sql, r.want = strings.Join(lines[:i], "\n"), lines[i+1:]
			return nil
		}
	}
	r.sql = strings.Join(lines, "\n")
	return nil
}
