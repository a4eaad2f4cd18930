// Package clickbench holds what the ClickBench comparison needs: the table of 105 columns, the 43 queries in three layouts, and a generator
// of rows that look like the published table: as many distinct values, the same heads, shares of empty values and lengths of text.
// It knows vectors and types only, no engine, no files and no clients; package main of the command loads, runs and compares.
// A Generator is immutable; its blocks may be made by any number of goroutines at once, and their rows do not depend on who makes them.
//
// The queries and the columns are those of DuckDB's repository, folder benchmark/clickbench, under the MIT licence (see queries.sql). The
// figures that the generator follows are the answers of the 43 queries over the full table (99,997,497 rows), published in the same folder,
// and statistics of the 9,580 real rows in DuckDB's data/csv/click_mini.tsv.gz. Texts are made up of ordinary words.
package clickbench
