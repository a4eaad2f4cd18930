"""Create, load, evolve, query, prepare, ingest and metadata over ADBC."""

import datetime
import decimal

import adbc_driver_flightsql.dbapi as dbapi
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import Server


@pytest.fixture
def conn(server):
    with dbapi.connect(server.url, autocommit=True) as c:
        yield c


def rows(conn, sql, *params):
    with conn.cursor() as cur:
        cur.execute(sql, *params)
        return cur.fetchall()


def run(conn, sql):
    with conn.cursor() as cur:
        cur.execute(sql)


def test_first_slice(tmp_path):
    """A filter and a GROUP BY on VARIANT paths of an NDJSON file, after a restart."""
    s = Server(tmp_path)
    lines = [f'{{"id":{i},"v":{{"kind":"k{i % 3}","n":{i},"deep":{{"x":{i}.5}}}}}}' for i in range(1000)]
    (s.files / "e.ndjson").write_text("\n".join(lines) + "\n")
    with dbapi.connect(s.url, autocommit=True) as c:
        run(c, "CREATE TABLE e (id BIGINT, v VARIANT)")
        assert rows(c, f"COPY INTO e FROM '{s.files}/e.ndjson' FILE_FORMAT = (TYPE = NDJSON)")[0][:3] == ("e.ndjson", 1000, 0)
    s.stop()
    s = Server(tmp_path)
    with dbapi.connect(s.url, autocommit=True) as c:
        got = rows(c, "SELECT CAST(v['kind'] AS STRING) AS kind, count(*), sum(v['n']::BIGINT) FROM e WHERE v['n'] >= 500 GROUP BY kind ORDER BY kind")
        want = [(f"k{k}", sum(1 for i in range(500, 1000) if i % 3 == k), sum(i for i in range(500, 1000) if i % 3 == k)) for k in range(3)]
        assert got == want
        assert rows(c, "SELECT v['deep']['x']::DOUBLE FROM e WHERE id = 7") == [(7.5,)]
    s.stop()


def test_types(conn):
    run(conn, "CREATE TABLE types (b BOOLEAN, t TINYINT, i INT, l BIGINT, h LARGEINT, f FLOAT, d DOUBLE, p DECIMAL(10,2), q DECIMAL(50,3), s VARCHAR, dt DATE, ts DATETIME, tz TIMESTAMPTZ, ip4 IPV4, ip6 IPV6, j JSON, v VARIANT, a ARRAY<INT>)")
    run(conn, """INSERT INTO types VALUES (true, 1, 2, 3, 170141183460469231731687303715884105727, 1.5, 2.5, 1.25, 12345678901234567890123456789012345678901234.125, 'x',
        '2026-01-02', '2026-01-02 03:04:05.5', '2026-01-02 03:04:05+02:00', '127.0.0.1', '2001:db8::1', '{"b":1,"a":2}', '{"z":[1,null]}', [1, NULL, 3])""")
    with conn.cursor() as cur:
        cur.execute("SELECT * FROM types")
        table = cur.fetch_arrow_table()
    assert [str(f.type) for f in table.schema] == [
        "bool", "int8", "int32", "int64", "string", "float", "double", "decimal128(10, 2)", "decimal256(50, 3)", "string", "date32[day]",
        "timestamp[us]", "timestamp[us, tz=UTC]", "string", "string", "string", "string", "list<item: int32>",
    ]
    row = table.to_pylist()[0]
    assert row["h"] == "170141183460469231731687303715884105727"
    assert row["p"] == decimal.Decimal("1.25")
    assert row["q"] == decimal.Decimal("12345678901234567890123456789012345678901234.125")
    assert row["ts"] == datetime.datetime(2026, 1, 2, 3, 4, 5, 500000)
    assert row["tz"] == datetime.datetime(2026, 1, 2, 1, 4, 5, tzinfo=datetime.timezone.utc)
    assert (row["ip4"], row["ip6"], row["j"], row["v"], row["a"]) == ("127.0.0.1", "2001:db8::1", '{"a":2,"b":1}', '{"z":[1,null]}', [1, None, 3])


def test_parameters(conn):
    run(conn, "CREATE TABLE params (k BIGINT, s VARCHAR)")
    with conn.cursor() as cur:
        cur.executemany("INSERT INTO params VALUES (?, ?)", [(1, "a"), (2, None), (3, "c")])
    assert rows(conn, "SELECT s FROM params WHERE k >= ? ORDER BY k", (2,)) == [(None,), ("c",)]
    assert rows(conn, "SELECT k FROM params WHERE s = $1", ("c",)) == [(3,)]
    with pytest.raises(dbapi.Error):
        rows(conn, "SELECT k FROM params WHERE s = ?", ("c", "d"))
    with pytest.raises(dbapi.Error, match="named parameter :k is not supported"):
        rows(conn, "SELECT k FROM params WHERE s = :k", ("c",))


def test_ingest(conn):
    data = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "name": pa.array(["a", None, "c"], pa.large_string()),
                     "tags": pa.array([["x"], [], None], pa.list_(pa.string())), "when": pa.array([1, 2, 3], pa.timestamp("ms", tz="UTC"))})
    with conn.cursor() as cur:
        assert cur.adbc_ingest("ingested", data, mode="create") == 3
        assert cur.adbc_ingest("ingested", data.slice(0, 1), mode="append") == 1
        with pytest.raises(dbapi.Error):
            cur.adbc_ingest("ingested", data, mode="create")
    assert rows(conn, "SELECT count(*), count(name), sum(id) FROM ingested") == [(4, 3, 7)]
    with conn.cursor() as cur:
        cur.adbc_ingest("ingested", data.select(["name", "id"]).slice(2), mode="replace")
    assert rows(conn, "SELECT id, name FROM ingested") == [(3, "c")]


def test_nanoseconds(tmp_path):
    """Timestamps of nanoseconds in Parquet, which no SQL type holds, keep all digits in VARIANT; elsewhere they are bad rows, not rounded."""
    s = Server(tmp_path)
    stamps = pa.array([1, 1000, 1700000000123456789, None], pa.timestamp("ns"))
    nested = pa.array([[1], [], None, [2000, None]], pa.list_(pa.timestamp("ns", "UTC")))
    pq.write_table(pa.table({"id": [1, 2, 3, 4], "at": stamps, "list": nested}), s.files / "n.parquet", version="2.6")
    with dbapi.connect(s.url, autocommit=True) as c:
        run(c, "CREATE TABLE v (id BIGINT, at VARIANT, list VARIANT)")
        assert rows(c, f"COPY INTO v FROM '{s.files}/n.parquet' FILE_FORMAT = (TYPE = PARQUET)")[0][:3] == ("n.parquet", 4, 0)
        assert rows(c, "SELECT at, list FROM v ORDER BY id") == [
            ('"1970-01-01 00:00:00.000000001"', '["1970-01-01 00:00:00.000000001+00:00"]'), ('"1970-01-01 00:00:00.000001"', "[]"),
            ('"2023-11-14 22:13:20.123456789"', None), (None, '["1970-01-01 00:00:00.000002+00:00",null]')]
        run(c, "CREATE TABLE t (id BIGINT, at DATETIME)")
        copied = rows(c, f"COPY INTO t FROM '{s.files}/n.parquet' FILE_FORMAT = (TYPE = PARQUET) ON_ERROR = CONTINUE")
        assert copied[0][:4] == ("n.parquet", 2, 2, "column at (DATETIME): 1 nanoseconds do not fit DATETIME without loss")
        assert rows(c, "SELECT id FROM t ORDER BY id") == [(2,), (4,)]
    s.stop()


def test_metadata(conn):
    run(conn, 'CREATE TABLE r37 (id BIGINT NOT NULL, price DECIMAL(10,2), at DATETIME, v VARIANT, "Mixed Case" STRING)')
    run(conn, "CREATE TABLE r370x (id INT)")
    info = conn.adbc_get_info()
    assert info["vendor_name"] == "Ebira"
    objects = conn.adbc_get_objects(depth="all", table_name_filter="r3_").read_all().to_pylist()
    catalog = next(o for o in objects if o["catalog_name"] == "ebira")
    schema = next(s for s in catalog["catalog_db_schemas"] if s["db_schema_name"] == "default")
    tables = [t for t in schema["db_schema_tables"] if t["table_name"].startswith("r37")]
    assert [t["table_name"] for t in tables] == ["r37"]
    assert [c["column_name"] for c in tables[0]["table_columns"]] == ["id", "price", "at", "v", "Mixed Case"]
    got = conn.adbc_get_table_schema("r37")
    assert got.names == ["id", "price", "at", "v", "Mixed Case"]
    assert not got.field("id").nullable
    assert "TABLE" in conn.adbc_get_table_types()


def test_large_result(conn):
    with conn.cursor() as cur:
        cur.execute("SELECT r.range AS n, repeat('x', 100) AS s FROM range(200000) r")
        table = cur.fetch_arrow_table()
    assert table.num_rows == 200000
    assert sum(table["n"].to_pylist()) == 199999 * 100000


def test_errors(conn):
    for sql, part in [("SELECT nope FROM types", "nope"), ("SELEC 1", "SELEC"), ("SELECT * FROM nowhere", "nowhere"),
                      ("COPY INTO types FROM '/etc/passwd' FILE_FORMAT = (TYPE = NDJSON)", "allowed")]:
        with pytest.raises(dbapi.Error) as e:
            rows(conn, sql)
        assert part in str(e.value)
    assert rows(conn, "SELECT 1") == [(1,)]


def test_default_dbapi_connection(server):
    """The DBAPI's default is autocommit off: everything runs in transactions."""
    with dbapi.connect(server.url) as c:
        assert rows(c, "SELECT 41 + 1") == [(42,)]


def test_transactions(server, conn):
    rows(conn, "CREATE OR REPLACE TABLE txn (id INT, n INT)")
    rows(conn, "INSERT INTO txn VALUES (1, 10), (2, 20)")
    with dbapi.connect(server.url) as a, dbapi.connect(server.url) as b:
        with a.cursor() as cur:
            cur.execute("INSERT INTO txn VALUES (?, ?)", (3, 30))
            cur.execute("ALTER TABLE txn ADD COLUMN s VARCHAR DEFAULT 'new'")
            cur.adbc_ingest("txn", pa.table({"id": pa.array([4], pa.int32()), "n": pa.array([40], pa.int32())}), mode="append")
        assert rows(a, "SELECT count(*), min(s) FROM txn") == [(4, "new")]
        assert rows(b, "SELECT count(*) FROM txn") == [(2,)]
        a.rollback()
        assert rows(a, "SELECT * FROM txn ORDER BY id") == [(1, 10), (2, 20)]
        # b still sees what it saw first; then both delete the same row.
        a.rollback()
        b.rollback()
        with a.cursor() as x, b.cursor() as y:
            x.execute("DELETE FROM txn WHERE id = 1")
            y.execute("UPDATE txn SET n = 0 WHERE id = 1")
        a.commit()
        with pytest.raises(dbapi.Error, match="run it again"):
            b.commit()
    # The driver cannot go on after a failed commit; a new connection can.
    with dbapi.connect(server.url) as b:
        assert rows(b, "SELECT * FROM txn") == [(2, 20)]
        b.commit()
        # The cursor keeps its prepared statement beyond the commit.
        with b.cursor() as cur:
            for i in range(3):
                cur.execute("INSERT INTO txn VALUES (?, ?)", (10 + i, i))
                b.commit()
        assert rows(conn, "SELECT count(*) FROM txn") == [(4,)]
    with dbapi.connect(server.url) as c, c.cursor() as cur:
        cur.execute("DELETE FROM txn")
    assert rows(conn, "SELECT count(*) FROM txn") == [(4,)]


def test_authentication(tmp_path):
    (tmp_path / "pw").write_text("correct horse\n")
    s = Server(tmp_path, "--user", "ann", "--password-file", str(tmp_path / "pw"))
    with dbapi.connect(s.url, db_kwargs={"username": "ann", "password": "correct horse"}, autocommit=True) as c:
        assert rows(c, "SELECT current_user()") == [("ann",)]
    for kwargs in ({"username": "ann", "password": "wrong"}, {}):
        with pytest.raises(dbapi.Error):
            with dbapi.connect(s.url, db_kwargs=kwargs, autocommit=True) as c:
                rows(c, "SELECT 1")
    s.stop()
