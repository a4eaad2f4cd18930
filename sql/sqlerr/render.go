package sqlerr

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxExcerptRunes bounds the quoted SQL line so that a message fits a gRPC trailer.
const maxExcerptRunes = 120

// Render returns the message of err with line, column, the quoted line of sql and a caret under the place.
// Without a position it returns err.Error().
func Render(err error, sql string) string {
	off, ok := Place(err)
	if !ok || off > len(sql) {
		return err.Error()
	}
	start := strings.LastIndexByte(sql[:off], '\n') + 1
	end := len(sql)
	if i := strings.IndexByte(sql[off:], '\n'); i >= 0 {
		end = off + i
	}
	lineNo := strings.Count(sql[:start], "\n") + 1
	col := utf8.RuneCountInString(sql[start:off])
	line := []rune(strings.ToValidUTF8(strings.TrimRight(sql[start:end], "\r"), "?"))
	from := 0
	if col > maxExcerptRunes/2 {
		from = min(col-maxExcerptRunes/2, len(line))
	}
	shown := line[from:min(len(line), from+maxExcerptRunes)]
	text := strings.ReplaceAll(string(shown), "\t", " ")
	return fmt.Sprintf("%s (line %d, column %d)\n%s\n%s^", err.Error(), lineNo, col+1, text, strings.Repeat(" ", max(col-from, 0)))
}
