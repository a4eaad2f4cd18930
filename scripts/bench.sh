#!/usr/bin/env bash
# Measures against DuckDB and chDB in one run. BENCH_ARGS are handed to bench/bench.py.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/python -m pip install -q --disable-pip-version-check -r test/python/requirements.txt -r bench/requirements.txt
# shellcheck disable=SC2086
exec .venv/bin/python bench/bench.py ${BENCH_ARGS:-}
