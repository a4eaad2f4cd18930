#!/usr/bin/env bash
# Runs all tests, step by step, and says how long each took. What a step needs and cannot be had is named; nothing is skipped silently.
set -uo pipefail
cd "$(dirname "$0")/.."

failed=()
step() {
	local name=$1
	shift
	echo "=== $name"
	local start=$SECONDS
	if "$@"; then
		echo "--- $name: ok, $((SECONDS - start)) s"
	else
		echo "--- $name: FAILED, $((SECONDS - start)) s"
		failed+=("$name")
	fi
}

# find_python prints the first Python of at least 3.10.
find_python() {
	local py
	for py in ${PYTHON:-} python3 python3.13 python3.12 python3.11 python3.10; do
		if "$py" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
			echo "$py"
			return
		fi
	done
	echo "Python 3.10 or newer is missing: install python3 and python3-venv, or name one by PYTHON=" >&2
	return 1
}

python_setup() {
	if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
		local py
		py=$(find_python) || return 1
		rm -rf .venv
		"$py" -m venv .venv || { echo "the venv module is missing: install python3-venv"; return 1; }
	fi
	.venv/bin/python -m pip install -q --disable-pip-version-check -r test/python/requirements.txt
}

python_tests() { .venv/bin/python -m pytest -q -rs test/python; }

java_tests() {
	command -v mvn >/dev/null || { echo "Maven is missing: install maven and a JDK of at least 17"; return 1; }
	mvn -B -ntp -f test/java/pom.xml test | grep -E 'Tests run:|ERROR|BUILD'
}

# The suite itself takes a second; compiling the driver takes the rest.
adbc_validation() { (cd test/adbc && go vet ./... && timeout 180 go test -count=1 -timeout 60s ./...); }

# go_tests runs the tests of a module and prints the totals; without Python the lines of go test itself.
go_tests() {
	local python=$PWD/.venv/bin/python tally=$PWD/scripts/tally.py
	if [ -x "$python" ]; then
		(cd "$1" && go test -json ./... | "$python" "$tally")
	else
		(cd "$1" && go test ./...)
	fi
}

step "build" make -s build
step "Python packages" python_setup
step "unit, SQL, command and fault tests" go_tests .
step "race detector" make -s race
step "fuzz, ${FUZZTIME:-10s} each" bash scripts/fuzz.sh "${FUZZTIME:-10s}"
step "Python clients" python_tests
step "ClickBench, 43 queries in all layouts" bin/ebira bench clickbench --check --rows 20k --layout all --python .venv/bin/python
step "Java client" java_tests
step "ADBC validation suite" adbc_validation
# Random queries run for 10 s here; EBIRA_DIFFTIME=10m make test runs them longer.
export EBIRA_DIFFTIME=${EBIRA_DIFFTIME:-10s}
step "differential tests against DuckDB" go_tests difftest

if [ ${#failed[@]} -gt 0 ]; then
	echo "failed in $SECONDS s: $(IFS=,; echo "${failed[*]}")"
	exit 1
fi
echo "all steps passed in $SECONDS s"
