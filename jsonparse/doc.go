// Package jsonparse turns JSON bytes into visitor calls in one pass, with exact numbers and strict text, and cuts newline-delimited
// JSON into chunks for several workers. It knows no SQL, no vectors and no files: it reads byte slices and io.Readers and its errors
// are its own (SyntaxError for one value, InputError for a stream). A Parser, a Splitter and a Lines iterator belong to one goroutine
// each; a Chunk may be handed to another goroutine, and the free functions may be called from anywhere.
//
// # How a value is read
//
// A line is read twice, each time for a different reason:
//
//	line   {"id":17,"name":"x\n"}
//	marks  .1..1....1....1.1.1.1.         one bit for each `"`, `\` and control character (mark.go)
//	walk   BeginObject Key Int ...    bytes dispatched in order, strings ended by the next mark (walk.go)
//
// Marking runs at tens of gigabytes per second with AVX2 and several without, and tells in passing whether the line is ASCII, so that
// UTF-8 is validated once per line and only where needed. The walk then finds the end of a string with one shift and one bit scan
// instead of a loop whose exit the branch predictor misses. The portable kernel computes the same marks, which is why both paths give
// the same events and the same errors.
//
// # Numbers
//
// An integer that fits int64 arrives as Int. A number with a fraction or an exponent arrives as Double if the shortest decimal text of
// the nearest double denotes the very number that was written. Every other number arrives as its text, and ClassifyNumber says what it
// is. No digit is ever lost.
package jsonparse
