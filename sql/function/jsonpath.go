package function

import (
	"strconv"
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/variant"
)

// ParsePath reads a JSON path of members and elements: $.a.b[0]."c.d"["e"]; the leading $ (and dot) may be left out.
func ParsePath(s string) ([]variant.Step, error) {
	whole := s
	bad := func() ([]variant.Step, error) {
		return nil, sqlerr.New(sqlerr.Conversion, "%q is no JSON path; write $.name[0].\"other name\"", whole)
	}
	s = strings.TrimPrefix(s, "$")
	var steps []variant.Step
	first := true
	for s != "" {
		switch {
		case s[0] == '[':
			end := strings.IndexByte(s, ']')
			if len(s) > 1 && (s[1] == '"' || s[1] == '\'') {
				name, rest, ok := quotedName(s[1:])
				if !ok || !strings.HasPrefix(rest, "]") {
					return bad()
				}
				steps, s = append(steps, variant.Step{Key: name}), rest[1:]
				break
			}
			if end < 0 {
				return bad()
			}
			n, err := strconv.Atoi(strings.TrimSpace(s[1:end]))
			if err != nil || n < 0 {
				return bad()
			}
			steps, s = append(steps, variant.Step{Index: n, IsIndex: true}), s[end+1:]
		default:
			if s[0] == '.' {
				s = s[1:]
			} else if !first {
				return bad()
			}
			if s != "" && s[0] == '"' {
				name, rest, ok := quotedName(s)
				if !ok {
					return bad()
				}
				steps, s = append(steps, variant.Step{Key: name}), rest
				break
			}
			end := strings.IndexAny(s, ".[")
			if end < 0 {
				end = len(s)
			}
			if end == 0 {
				return bad()
			}
			steps, s = append(steps, variant.Step{Key: s[:end]}), s[end:]
		}
		first = false
	}
	return steps, nil
}

// quotedName reads a name in quotes; a backslash takes the next character as it is.
func quotedName(s string) (name, rest string, ok bool) {
	quote := s[0]
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return b.String(), s[i+1:], true
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", "", false
}
