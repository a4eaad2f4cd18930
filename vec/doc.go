// Package vec holds vectors and batches: columns of values in Arrow's physical layout, and the loops that move them.
// It knows SQL types but no expressions, no files and no arrow-go.
// A vector is built by one goroutine and never changed afterwards, so it may be shared freely.
//
//	Vector  Type  Form        payload
//	              Flat        Data: []int64, []View, ... one entry a row; Valid: bit a row, nil = no NULL
//	              Constant    as Flat with one entry that stands for every row
//	              Dictionary  Codes: one entry a row; Dict: a Flat vector of the distinct values
//	              Shredded    variants of one path: Typed holds the common kind, Rest the odd values
//
// Where this departs from Arrow: BOOLEAN is one byte a value, DECIMAL up to 18 digits is an int64; package arrowvec converts at the edge.
package vec
