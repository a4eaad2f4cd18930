// Package parquetio turns Parquet pages into vectors and vectors into Parquet pages, for our own segments and for foreign files.
// It knows the Parquet format and SQL types, but no tables, no segment directory, no file system and no SQL text.
// An opened file and a Chunk are immutable and may be shared; writers and foreign batch readers belong to one goroutine.
//
//	file      page                     Values                    vector
//	────────  ───────────────────────  ────────────────────────  ─────────────────────────
//	footer →  header, levels, bytes →  dense physical values  →  spread by validity, typed
//
// Pages are read here and not by the library's own reader, because a segment knows from its directory where every page lies, and
// because values are decoded straight into the slices that vectors keep: no pooled buffer ever leaves the package. Encodings,
// codecs and the footer structures are the library's.
//
// Foreign bytes are hostile: every count is checked before memory is taken for it, and a panic in a decoder becomes an error of
// kind sqlerr.Corrupt at the border.
package parquetio
