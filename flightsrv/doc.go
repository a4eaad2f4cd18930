// Package flightsrv is the Arrow Flight SQL service: it turns Flight calls into statements of sessions and their results into streams of
// record batches.
// It knows nothing of parsing, planning and storage: everything about data goes through package session, and metadata through the
// catalogue snapshot.
// A Server is safe for concurrent use; every call runs on the goroutine that gRPC gives it, so that a panic of one call ends that call
// only.
//
// The numbers FS-n in comments are the requirements of real clients that the code at hand answers.
package flightsrv
