// Package session is the only place where the SQL front end, the executor and the store meet: Engine, Session, Prepared and Result.
// It knows neither Flight nor HTTP nor the command line.
// An Engine is safe for concurrent use. A Session serves one client and runs one statement at a time: concurrent calls wait for each
// other. A Result belongs to one reader.
package session
