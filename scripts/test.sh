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

python_setup() {
	local py=${PYTHON:-python3}
	command -v "$py" >/dev/null || { echo "Python 3.10 or newer is missing: install python3 and python3-venv"; return 1; }
	[ -x .venv/bin/python ] || "$py" -m venv .venv || { echo "the venv module is missing: install python3-venv"; return 1; }
	.venv/bin/python -m pip install -q --disable-pip-version-check -r test/python/requirements.txt
}

python_tests() { .venv/bin/python -m pytest -q test/python; }

java_tests() {
	command -v mvn >/dev/null || { echo "Maven is missing: install maven and a JDK of at least 17"; return 1; }
	mvn -q -f test/java/pom.xml -Dorg.slf4j.simpleLogger.log.org.apache.maven.cli.transfer=warn test
}

differential() { (cd difftest && go test ./...); }

step "build" make -s build
step "unit, SQL and fault tests" go test ./...
step "race detector" make -s race
step "fuzz, ${FUZZTIME:-10s} each" bash scripts/fuzz.sh "${FUZZTIME:-10s}"
step "Python packages" python_setup
step "Python clients" python_tests
step "Java client" java_tests
step "differential tests against DuckDB" differential

if [ ${#failed[@]} -gt 0 ]; then
	echo "failed: ${failed[*]}"
	exit 1
fi
echo "all steps passed in $SECONDS s"
