// Package bench carries the Python side of ebira bench inside the binary: the script that drives a peer database in a process of its own,
// and the versions of the peers. It knows nothing else and has no state.
package bench

import (
	_ "embed" // the script and its requirements
)

// PeerScript is the program that runs a peer; its first lines describe the protocol.
//
//go:embed peer.py
var PeerScript string

// Requirements are the Python packages of the peers with their versions, as pip reads them.
//
//go:embed requirements.txt
var Requirements string
