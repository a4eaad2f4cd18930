// Package tpch makes the data of the TPC-H benchmark, and holds its 22 queries and the answers they must give.
// It knows vectors and SQL types; it knows no file system, no engine and no SQL beyond the text of its queries: callers write the
// batches wherever they want. A Generator is immutable and may be shared; a Rows belongs to one goroutine.
//
// The data are those of the classic dbgen, bit by bit:
//
//	column ── a stream of its own: seed × 16807ⁿ mod 2³¹-1, a fixed number of draws per row
//	       └─ jumping ahead is one power and one multiplication, so that any range of rows can be made alone
//	comment ─ a piece of one text of 300 MiB, which a small grammar writes once per process from a stream of its own
//
// Seeds, bounds, word lists and the order of the draws are facts of dbgen. They were learnt from the TPC-H specification, from
// github.com/trinodb/tpch and github.com/clflushopt/tpchgen-rs (both Apache-2.0), and from github.com/pingcap/go-tpc; golden hashes hold
// the result against tpchgen-cli's.
package tpch
