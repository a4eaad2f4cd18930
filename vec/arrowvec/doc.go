// Package arrowvec is the bridge between vectors and arrow-go: batches become Arrow record batches for clients, and Arrow arrays that
// clients send become vectors.
// It knows the wire types of SQL types, the default ones and those that Options choose, but no Flight, no SQL text and no sessions.
// All functions are pure and may be called concurrently; results share fixed-width buffers with their input where the layouts agree.
package arrowvec
