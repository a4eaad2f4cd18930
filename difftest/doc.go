// Package difftest compares Ebira with DuckDB: real files loaded in both, Ebira's own segment files opened by DuckDB, and random queries.
//
// It is a module of its own because DuckDB needs cgo, which the product must not know. It holds tests only; each opens its own engines, and
// nothing is shared between tests.
package difftest
