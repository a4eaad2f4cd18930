#!/usr/bin/env bash
# Runs every fuzz target of the main module for the given time.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}
grep -rhoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . >/dev/null || { echo "no fuzz targets"; exit 1; }
grep -rlE --include='*_test.go' '^func Fuzz' . | sort | while read -r file; do
	pkg=./$(dirname "${file#./}")
	grep -oE '^func Fuzz[A-Za-z0-9_]+' "$file" | sed 's/^func //' | while read -r target; do
		echo "fuzz $pkg $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$pkg" | tail -1
	done
done
