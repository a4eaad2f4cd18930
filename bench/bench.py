"""First figures beside DuckDB and chDB: loading NDJSON and reading it back. Writes a Markdown table and, with --json, every timing.

    .venv/bin/python bench/bench.py --mb 500 [--json FILE] [--markdown FILE]

Data: real ClickBench rows (105 columns, flat) and GitHub events (nested) of the shared test data, repeated to the asked size with fresh
ids. Every engine gets two threads and ends with the data durable. Peers run in processes of their own. Ratios are ours / peer, best of
the runs; below 1 is better.
"""

import argparse
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
SHARED = pathlib.Path(os.environ.get("EBIRA_SHARED", ROOT.parent / "shared"))


def hits_lines():
    """The real ClickBench sample as JSON objects."""
    columns = json.loads((SHARED / "data/hits_stats.json").read_text())["columns"]
    numeric = {"BIGINT", "SMALLINT", "INTEGER", "INT"}
    path = SHARED / "data/duckdb/data/csv/click_mini.tsv.gz"
    for line in gzip.open(path, "rt", encoding="utf-8", errors="replace"):
        cells = line.rstrip("\n").split("\t")
        yield {c["name"]: int(v) if c["duckdb_type"].upper() in numeric and v else v for c, v in zip(columns, cells)}


def github_lines():
    """GitHub events, one a line."""
    yield from json.loads((SHARED / "data/simdjson-data/jsonexamples/github_events.json").read_text(encoding="utf-8"))


def event_lines():
    """Made-up application events of about 500 bytes with nested objects, arrays, absent and null fields; the same at every run."""
    r = random.Random(7)
    for i in range(20000):
        doc = {"id": 10**9 + i, "ts": f"2026-05-{i % 28 + 1:02d}T{i % 24:02d}:{i % 60:02d}:{i % 59:02d}.{i % 1000:03d}Z", "kind": r.choice(["view", "click", "order", "error"]),
               "user": {"id": r.randrange(10**6), "country": r.choice(["JP", "DE", "BR", "US", "IN"]), "plan": r.choice(["free", "pro", None])},
               "page": {"path": f"/shop/{r.randrange(5000)}/item-{r.randrange(90000)}", "referrer": f"https://example.org/{r.randrange(400)}?q={r.randrange(10**6)}"},
               "ms": r.randrange(2000), "score": r.randrange(10**6) / 1000, "tags": [r.choice("abcdef") * 3 for _ in range(r.randrange(4))],
               "agent": f"Mozilla/5.0 (X11; Linux x86_64) build/{r.randrange(300)}", "session": f"{r.getrandbits(128):032x}"}
        if r.random() < 0.2:
            doc["error"] = {"code": r.randrange(600), "message": f"upstream {r.randrange(50)} timed out after {r.randrange(9000)} ms"}
        yield doc


SHAPES = {
    "events": (event_lines, "id", "kind", "user.id"),
    "hits": (hits_lines, "WatchID", "RegionID", "OS"),
    "github": (github_lines, "id", "type", "repo.id"),
}


def write_ndjson(shape, target_bytes, path):
    """Repeats the documents of a shape until the file has target_bytes; the id differs from row to row."""
    make, key, _, _ = SHAPES[shape]
    docs = list(make())
    texts = [json.dumps(d, ensure_ascii=False, separators=(",", ":")) for d in docs]
    ids = [json.dumps(d[key]) for d in docs]
    rows = size = 0
    with open(path, "w", encoding="utf-8") as f:
        while size < target_bytes:
            i = rows % len(docs)
            text = texts[i].replace(ids[i], str(1_000_000_000_000 + rows), 1)
            f.write(text + "\n")
            size += len(text.encode()) + 1
            rows += 1
    return rows, os.path.getsize(path)


def folder_bytes(path):
    return sum(f.stat().st_size for f in pathlib.Path(path).rglob("*") if f.is_file())


class Ebira:
    """A server process."""

    def __init__(self, work):
        self.data = work / "ebira"
        shutil.rmtree(self.data, ignore_errors=True)
        self.process = subprocess.Popen([ROOT / "bin/ebira", "serve", "--data", self.data, "--listen", "127.0.0.1:0", "--allowed-dirs", work, "--threads", "2"],
                                        stdout=subprocess.PIPE, text=True)
        url = re.search(r'connect\("([^"]+)"\)', self.process.stdout.readline()).group(1)
        import adbc_driver_flightsql.dbapi as dbapi
        self.conn = dbapi.connect(url, autocommit=True)

    def run(self, sql):
        with self.conn.cursor() as cur:
            start = time.perf_counter()
            cur.execute(sql)
            rows = cur.fetchall()
            return time.perf_counter() - start, rows

    def peak(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) * 1024

    def stop(self):
        self.conn.close()
        self.process.terminate()
        self.process.wait()


def measure_ebira(shape, path, work, runs):
    _, _, group, nested = SHAPES[shape]
    e = Ebira(work)
    out = {}
    e.run("CREATE TABLE v (j VARIANT)")
    out["load_variant"] = e.run(f"COPY INTO v FROM (SELECT $1 FROM '{path}' (FILE_FORMAT => 'NDJSON'))")[0]
    out["bytes_variant"] = folder_bytes(e.data / "segments")
    steps = "".join(f"['{p}']" for p in nested.split("."))
    queries = {"path_sum": f"SELECT sum(j{steps}::BIGINT) FROM v", "path_group": f"SELECT j['{group}']::STRING AS g, count(*) FROM v GROUP BY g ORDER BY 2 DESC, 1 LIMIT 5"}
    for name, sql in queries.items():
        times = [e.run(sql) for _ in range(runs)]
        out[name], out[name + "_rows"] = min(t for t, _ in times), [list(map(str, r)) for r in times[0][1]]
    e.run("CREATE TABLE t (_none INT) ENABLE_SCHEMA_EVOLUTION = true")
    out["load_typed"] = e.run(f"COPY INTO t FROM '{path}' FILE_FORMAT = (TYPE = NDJSON MISSING_FIELD_AS = NULL)")[0]
    if shape == "hits":
        times = [e.run(f'SELECT sum("{nested}"), count(DISTINCT "{group}") FROM t') for _ in range(runs)]
        out["typed_scan"] = min(t for t, _ in times)
    out["peak_bytes"] = e.peak()
    e.stop()
    return out


DUCKDB = r"""
import duckdb, json, sys, time, os
shape, path, work, runs, group, nested = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5], sys.argv[6]
db = os.path.join(work, "peer.duckdb")
if os.path.exists(db): os.remove(db)
c = duckdb.connect(config={"threads": 2})
c.execute(f"ATTACH '{db}' AS p (STORAGE_VERSION 'v1.5.0')"); c.execute("USE p")
out = {"version": duckdb.__version__}
def timed(sql):
    s = time.perf_counter(); r = c.execute(sql).fetchall(); return time.perf_counter() - s, r
s = time.perf_counter()
c.execute(f"CREATE TABLE t AS SELECT * FROM read_json('{path}', format='newline_delimited', maximum_object_size=100000000)"); c.execute("CHECKPOINT")
out["load_typed"] = time.perf_counter() - s
if shape == "hits":
    out["typed_scan"] = min(timed(f'SELECT sum("{nested}"), count(DISTINCT "{group}") FROM t')[0] for _ in range(runs))
c.execute("DROP TABLE t"); c.execute("CHECKPOINT")
s = time.perf_counter()
c.execute(f"CREATE TABLE v AS SELECT json AS j FROM read_ndjson_objects('{path}', maximum_object_size=100000000)"); c.execute("CHECKPOINT")
out["load_json_text"] = time.perf_counter() - s
ptr = "$." + nested
times = [timed(f"SELECT sum((j->>'{ptr}')::BIGINT) FROM v") for _ in range(runs)]
out["path_sum"], out["path_sum_rows"] = min(t for t, _ in times), [list(map(str, r)) for r in times[0][1]]
times = [timed(f"SELECT j->>'$.{group}' AS g, count(*) FROM v GROUP BY g ORDER BY 2 DESC, 1 LIMIT 5") for _ in range(runs)]
out["path_group"], out["path_group_rows"] = min(t for t, _ in times), [list(map(str, r)) for r in times[0][1]]
c.execute("DROP TABLE v"); c.execute("CHECKPOINT")
s = time.perf_counter()
n = os.environ.get("VARIANT_LIMIT", "20000")
c.execute(f"CREATE TABLE w AS SELECT json::VARIANT AS j FROM read_ndjson_objects('{path}', maximum_object_size=100000000) LIMIT {n}"); c.execute("CHECKPOINT")
out["load_variant_part"] = time.perf_counter() - s
out["load_variant_rows"] = c.execute("SELECT count(*) FROM w").fetchone()[0]
print(json.dumps(out))
"""

CHDB = r"""
import json, os, shutil, sys, time
from chdb import session
shape, path, work, runs, group, nested = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5], sys.argv[6]
db = os.path.join(work, "peer.chdb")
shutil.rmtree(db, ignore_errors=True)
s = session.Session(db)
out = {"version": str(s.query("SELECT version()", "TSV")).strip()}
s.query("CREATE DATABASE d ENGINE = Atomic")
s.query("CREATE TABLE d.v (j JSON) ENGINE = MergeTree ORDER BY tuple()")
t = time.perf_counter()
s.query(f"INSERT INTO d.v SELECT json FROM file('{path}', 'JSONAsObject') SETTINGS max_threads = 2, max_insert_threads = 2")
out["load_variant"] = time.perf_counter() - t
def timed(sql):
    t = time.perf_counter(); r = str(s.query(sql + " SETTINGS max_threads = 2, use_query_condition_cache = 0", "JSONCompact")); return time.perf_counter() - t, json.loads(r)["data"]
times = [timed(f"SELECT sum(toInt64OrNull(toString(j.{nested}))) FROM d.v") for _ in range(runs)]
out["path_sum"], out["path_sum_rows"] = min(x for x, _ in times), [list(map(str, r)) for r in times[0][1]]
times = [timed(f"SELECT toString(j.{group}) AS g, count() FROM d.v GROUP BY g ORDER BY 2 DESC, 1 LIMIT 5") for _ in range(runs)]
out["path_group"], out["path_group_rows"] = min(x for x, _ in times), [list(map(str, r)) for r in times[0][1]]
print(json.dumps(out))
"""


def measure_peer(code, shape, path, work, runs):
    _, _, group, nested = SHAPES[shape]
    r = subprocess.run([sys.executable, "-c", code, shape, str(path), str(work), str(runs), group, nested], capture_output=True, text=True)
    if r.returncode != 0:
        print(r.stderr[-2000:], file=sys.stderr)
        return {}
    return json.loads(r.stdout.strip().splitlines()[-1])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--mb", type=int, default=200, help="size of each NDJSON file")
    p.add_argument("--runs", type=int, default=3)
    p.add_argument("--shapes", default="hits,github,events")
    p.add_argument("--peers", default="duckdb,chdb")
    p.add_argument("--work", help="folder for data (default a temporary one)")
    p.add_argument("--json", help="write every timing here")
    args = p.parse_args()
    if not (SHARED / "data").is_dir():
        sys.exit("the shared test data is not here (set EBIRA_SHARED)")
    work = pathlib.Path(args.work or tempfile.mkdtemp(prefix="ebira-bench-")).resolve()
    work.mkdir(parents=True, exist_ok=True)
    result, ratios = {}, []
    for shape in args.shapes.split(","):
        path = work / f"{shape}.ndjson"
        rows, size = write_ndjson(shape, args.mb * 1_000_000, path)
        mb = size / 1e6
        ours = measure_ebira(shape, path, work, args.runs)
        result[shape] = {"rows": rows, "bytes": size, "ebira": ours}
        print(f"{shape}: {rows} rows, {mb:.0f} MB; ebira VARIANT {mb / ours['load_variant']:.0f} MB/s, typed {mb / ours['load_typed']:.0f} MB/s, "
              f"path sum {ours['path_sum'] * 1e9 / rows:.1f} ns/row, group {ours['path_group'] * 1e9 / rows:.1f} ns/row, {ours['bytes_variant'] / 1e6:.0f} MB on disk, peak {ours['peak_bytes'] / 1e6:.0f} MB")
        for peer, code in (("duckdb", DUCKDB), ("chdb", CHDB)):
            if peer not in args.peers.split(","):
                continue
            theirs = measure_peer(code, shape, path, work, args.runs)
            result[shape][peer] = theirs
            for what in ("load_typed", "load_variant", "path_sum", "path_group", "typed_scan"):
                if what in theirs and what in ours:
                    ratios.append((peer, f"{shape}_{what}", ours[what] / theirs[what]))
            if "load_variant_part" in theirs:
                part = theirs["load_variant_part"] / theirs["load_variant_rows"] * rows
                ratios.append((peer, f"{shape}_load_variant_extrapolated", ours["load_variant"] / part))
            for what in ("path_sum_rows", "path_group_rows"):
                if what in theirs and theirs[what] != ours[what]:
                    print(f"ANSWERS DIFFER: {peer} {shape} {what}: {theirs[what]} against {ours[what]}")
            print(f"  {peer}: " + ", ".join(f"{k} {v:.3f}" for k, v in theirs.items() if isinstance(v, float)))
        path.unlink()
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(result, indent=1))
    if not args.work:
        shutil.rmtree(work)
    for peer, what, ratio in ratios:
        print(f"ratio {peer} {what} {ratio:.3f}")


if __name__ == "__main__":
    main()
