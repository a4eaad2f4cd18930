module github.com/ebira-db/ebira

go 1.26.0

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/dgraph-io/ristretto/v2 v2.4.2 // indirect
	github.com/dustin/go-humanize v1.0.1 // indirect
	github.com/klauspost/compress v1.15.15 // indirect
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	github.com/minio/simdjson-go v0.4.5 // indirect
	golang.org/x/sys v0.48.0 // indirect
)
