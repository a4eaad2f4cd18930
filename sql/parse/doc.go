// Package parse turns SQL text into syntax trees with positions, and prints trees as canonical SQL.
// It knows no catalog, types or functions: names stay names and type names stay text, the binder gives them meaning.
// All functions are pure and safe for concurrent use; trees are not written to after Parse returns and may be shared.
//
// The dialect is ANSI SQL with the spellings of two families of systems: PROPERTIES(...), VARIANT<...>, v['a']['b'], MATCH
// and LATERAL VIEW on one side; stages, COPY INTO, FILE_FORMAT = (...), :: casts on the other. Names are written bare, "so"
// or `so`; strings are written 'so', with backslash as an ordinary character, or E'so' with escapes. Where only a string can
// stand (PROPERTIES, option lists, COMMENT) a double-quoted token is a string as well.
//
// The pieces, in the order text flows through them:
//
//	lexer*.go, token.go, keyword.go            bytes -> tokens, on demand, one token ahead
//	parser.go, errors.go                       cursor, limits, "expected ..., found ..." messages
//	expr*.go                                   Pratt parser for expressions
//	query.go, select.go, from*.go, window.go   queries
//	type.go, option.go, location.go, name.go   what statements share
//	statement.go                               first word -> create*.go, alter.go, dml.go, copy.go, show.go, set.go, user.go
//	ast*.go                                    the trees
//	format*.go                                 trees -> SQL
//
// An error never leaves a half-built tree behind: the first error stops the token stream, and the statement is dropped.
package parse
