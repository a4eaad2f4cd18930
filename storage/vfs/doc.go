// Package vfs is the file system as the engine sees it: one interface, an operating-system and an in-memory implementation.
// It must not know what the files contain, and it is the only package below cmd that calls os file functions.
// Every FS is safe for concurrent use; a File may be read by many goroutines at once but written by one at a time.
//
// # Durability
//
// The contract is the strict reading of POSIX, which Mem enforces in crash tests:
//
//   - Bytes survive a crash after File.Sync.
//   - A name (made by Create, Rename, MkdirAll; taken away by Remove) survives a crash after SyncDir of its directory. Syncing
//     the file does not sync its name.
//   - A Rename inside one directory is atomic: after a crash either both names are as before or both are as after.
//     Between two directories it is not: sync the destination first.
//
// WriteFileAtomic and MkdirAllSync are the two protocols that nearly everybody needs.
//
// Files are append-only: there is no write at an offset, only Write at the end and Truncate.
package vfs
