// Package store is the data directory: the log and its recovery, commits, pins, removal of dead files, flush and compaction.
// It knows files and Edits but no SQL text, no plans and no sessions: what an Edit means is package catalog's affair, how rows lie in
// a file that of package segment.
// A Store is safe for concurrent use. Readers never wait: they pin an immutable Snapshot. Committers wait for each other only while
// one of them writes the log for all; several Edits share one sync.
//
// # The directory
//
//	LOCK                    held by the one process that has the directory open; holds its process id and, of a server, its URL
//	FORMAT                  the format version of the directory
//	checkpoint-<version>    the whole state at a version, as Edits
//	log-<version>           the Edits that follow a version
//	segments/<id>.parquet   rows
//	stages/<id>/            files of internal stages
//	tmp/                    whatever need not survive the process; emptied by Open
//
// docs/format/directory.md and docs/format/log.md describe the bytes.
//
// # The way of a commit
//
// Statements write segment files under ids of a Lease and sync them. Commit queues the Edit; whoever has the turn checks and applies
// all waiting Edits in order, syncs the segments directory if one of them adds files, appends one record to the log, syncs it, and
// then swaps the pointer to the current Snapshot. So visible is durable, and an Edit is there as a whole or not at all.
//
// A failed sync says nothing about what is on disk, and asking again proves nothing. The Store then refuses every further commit
// until it is opened anew; the Edits of the failed record are reported as failed, although a later Open may find them.
package store
