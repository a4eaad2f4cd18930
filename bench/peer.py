"""One database that ebira bench measures Ebira against, in a process of its own.

It reads one JSON object a line from the standard input and answers with one a line:

    {"op": "open", "engine": "duckdb", "path": "/tmp/x", "threads": 2}     -> {"version": "1.5.6"}
    {"op": "run", "sql": "SELECT 1", "rows": true}                        -> {"seconds": 0.001, "rows": [["1"]]}
    {"op": "bytes"}                                                       -> {"bytes": 123}
    {"op": "quit"}

A failure is {"error": "..."}; if the Python package is missing also {"missing": "duckdb"}. Cells are text, NULL is null.
"""

import datetime
import json
import os
import pathlib
import sys
import time


def cell(v):
    if v is None or isinstance(v, str):
        return v
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, float):
        return repr(v)
    if isinstance(v, datetime.datetime):
        return v.replace(tzinfo=None).isoformat(sep=" ")
    if isinstance(v, (dict, list)):
        return json.dumps(v, ensure_ascii=False)
    if isinstance(v, bytes):
        return v.decode("utf-8", "replace")
    return str(v)


def size_of(path):
    """Bytes of a file, or of all files below a folder, counting those with several names once."""
    p = pathlib.Path(path)
    if not p.exists():
        return 0
    files = [p] if p.is_file() else [f for f in p.rglob("*") if f.is_file() and not f.is_symlink()]
    return sum({(f.stat().st_dev, f.stat().st_ino): f.stat().st_size for f in files}.values())


class DuckDB:
    def __init__(self, path, threads, memory):
        import duckdb

        config = {"threads": threads}
        if memory:
            config["memory_limit"] = f"{memory}B"
        self.version = duckdb.__version__
        self.path = path
        self.conn = duckdb.connect(config=config)
        # Files of the default version refuse VARIANT and compress less.
        self.conn.execute(f"ATTACH '{path}' AS peer (STORAGE_VERSION 'v1.5.0')")
        self.conn.execute("USE peer")
        self.conn.execute("SET enable_progress_bar = false")

    def run(self, sql):
        return self.conn.execute(sql).fetchall()

    def bytes(self):
        return size_of(self.path) + size_of(self.path + ".wal")


class ChDB:
    def __init__(self, path, threads, memory):
        from chdb import session

        self.path = path
        self.session = session.Session(path)
        self.settings = f"max_threads = {threads}, max_insert_threads = {threads}, use_query_condition_cache = 0, use_query_cache = 0"
        if memory:
            self.settings += f", max_memory_usage = {memory}"
        self.session.query("CREATE DATABASE IF NOT EXISTS peer ENGINE = Atomic")
        self.session.query("USE peer")
        self.version = str(self.session.query("SELECT version()", "TSV")).strip()

    def run(self, sql):
        if sql.upper().startswith(("SELECT", "INSERT", "WITH")):
            sql += f" SETTINGS {self.settings}, output_format_json_quote_64bit_integers = 0"
        out = str(self.session.query(sql, "JSONCompact"))
        return json.loads(out)["data"] if out.strip() else []

    def bytes(self):
        return int(self.run("SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'peer'")[0][0] or 0)


class DataFusion:
    def __init__(self, path, threads, memory):
        import datafusion

        config = datafusion.SessionConfig().with_target_partitions(threads)
        config = config.set("datafusion.sql_parser.enable_ident_normalization", "false")
        config = config.set("datafusion.execution.parquet.pushdown_filters", "true")
        self.version = datafusion.__version__
        self.context = datafusion.SessionContext(config)

    def run(self, sql):
        rows = []
        for batch in self.context.sql(sql).collect():
            rows.extend(zip(*(c.to_pylist() for c in batch.columns)))
        return rows

    def bytes(self):
        return 0


ENGINES = {"duckdb": DuckDB, "chdb": ChDB, "datafusion": DataFusion}


def answer(state, request):
    op = request["op"]
    if op == "open":
        try:
            state["engine"] = ENGINES[request["engine"]](request["path"], request["threads"], request.get("memory", 0))
        except ImportError as e:
            return {"error": str(e), "missing": request["engine"]}
        return {"version": state["engine"].version}
    if op == "run":
        start = time.perf_counter()
        rows = state["engine"].run(request["sql"])
        seconds = time.perf_counter() - start
        out = {"seconds": seconds}
        if request.get("rows"):
            out["rows"] = [[cell(v) for v in r] for r in rows]
        return out
    if op == "bytes":
        return {"bytes": state["engine"].bytes()}
    raise ValueError(f"unknown op {op}")


def main():
    # Libraries print to the standard output now and then; only answers may stand there.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    state = {}
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "quit":
            break
        try:
            reply = answer(state, request)
        except Exception as e:  # whatever the database throws goes to the caller
            reply = {"error": f"{type(e).__name__}: {e}"}
        out.write(json.dumps(reply) + "\n")
        out.flush()
    os._exit(0)  # chDB takes seconds to end by itself


if __name__ == "__main__":
    main()
