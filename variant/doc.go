// Package variant is the VARIANT type: binary values, paths, casts, the reported-type lattice, templates, shredding and reassembly.
// It knows vectors and SQL types but no JSON parser, no Parquet, no expressions and no SQL text.
// Builders and shredders belong to one goroutine; everything they return is immutable and may be shared.
//
// A value is a pair (metadata, value) in the Parquet Variant encoding, version 1: metadata is the dictionary of object names, value
// refers to it by field id. In memory, and never in a file, five primitive type ids at the top of the number space hold what that
// encoding lacks:
//
//	56  exact number   uint32 length, JSON number text: numbers that neither int64, double nor DECIMAL(38) hold (see Kind Number)
//	57  LARGEINT       16 bytes, little endian: magnitudes of 10^38 and more
//	58  DECIMAL 39-76  1 byte scale, 32 bytes little endian
//	59  IPV4           4 bytes, little endian
//	60  IPV6           16 bytes, big endian
//
// A Shredder replaces them (ExactValue) before values reach a Tree, which is what goes to files.
//
//	JSON events ──► BatchBuilder ──► vec.Vector (Flat)           small writes, CAST(text AS VARIANT)
//	            └─► Shredder ──────► Tree ──► segment file       loads, flush, compaction
//	segment pages ─► Tree ─► AssembleTree / Lookup ─► vec.Vector (Flat or Shredded)
package variant
