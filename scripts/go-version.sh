#!/bin/sh
# Checks that a Go toolchain of at least the version in go.mod is here.
want=1.26
if ! command -v go >/dev/null 2>&1; then
	echo "Ebira needs Go $want or newer, and there is no 'go' on the PATH. Install it from your distribution or from the Go project's site." >&2
	exit 1
fi
have=$(go env GOVERSION | sed 's/^go//')
major=${have%%.*}
rest=${have#*.}
minor=${rest%%[!0-9]*}
if [ "$major" -lt 1 ] || { [ "$major" -eq 1 ] && [ "$minor" -lt 26 ]; }; then
	echo "Ebira needs Go $want or newer; this is Go $have. Install a newer one from your distribution or from the Go project's site." >&2
	exit 1
fi
