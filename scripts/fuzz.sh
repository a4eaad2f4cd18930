#!/usr/bin/env bash
# Runs every fuzz target of the main module for the given time (default 10s) each, and says how many there were.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
count=0
failed=()
# Nested modules have tests of their own.
mapfile -t files < <(grep -rlE --include='*_test.go' --exclude-dir=difftest --exclude-dir=bench '^func Fuzz' . | sort)
for file in "${files[@]}"; do
	pkg=./$(dirname "${file#./}")
	for target in $(sed -nE 's/^func (Fuzz[A-Za-z0-9_]+)\(.*/\1/p' "$file"); do
		count=$((count + 1))
		if go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$pkg" >"$out" 2>&1; then
			echo "fuzz $pkg $target: $(grep -oE 'execs: [0-9]+' "$out" | tail -1)"
		else
			echo "fuzz $pkg $target: FAILED"
			cat "$out"
			failed+=("$pkg $target")
		fi
	done
done
if [ "$count" -eq 0 ]; then
	echo "no fuzz targets were found"
	exit 1
fi
echo "$count fuzz targets ran for $time each, ${#failed[@]} failed"
[ ${#failed[@]} -eq 0 ]
