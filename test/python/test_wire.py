"""The wire options as Python clients see them: by session options, SET and request headers."""

import decimal

import adbc_driver_flightsql.dbapi as dbapi
import pyarrow as pa
import pyarrow.flight as flight
import pytest
from adbc_driver_flightsql import DatabaseOptions

OPTION = "adbc.flight.sql.session.option."


@pytest.fixture
def conn(server):
    with dbapi.connect(server.url, autocommit=True) as c:
        yield c


def table(conn, sql):
    with conn.cursor() as cur:
        cur.execute(sql)
        return cur.fetch_arrow_table()


def run(conn, sql):
    with conn.cursor() as cur:
        cur.execute(sql)


@pytest.fixture
def wire(conn):
    run(conn, "CREATE OR REPLACE TABLE wire (k INT, v VARIANT, j JSON, h LARGEINT, s VARCHAR, u UUID, ip6 IPV6, dt DATETIME, tz TIMESTAMPTZ, a ARRAY<INT>)")
    run(conn, """INSERT INTO wire VALUES (1, '{"b":[1,"x"],"a":null}', '"t"', -170141183460469231731687303715884105728, 'a text of more than twelve bytes',
        '123e4567-e89b-12d3-a456-426614174000', '2001:db8::1', '2024-02-03 04:05:06.123456', '2024-02-03 04:05:06.123456+00:00', [1, NULL])""")
    run(conn, "INSERT INTO wire (k) VALUES (2)")
    return conn


def test_arrow_json(wire):
    wire.adbc_connection.set_options(**{OPTION + "variant_encoding": "arrow_json"})
    got = table(wire, "SELECT v, j, v['b'][1] AS x FROM wire ORDER BY k")
    assert [f.type for f in got.schema] == [pa.json_(pa.utf8())] * 3
    assert got.to_pylist() == [{"v": '{"a":null,"b":[1,"x"]}', "j": '"t"', "x": '"x"'}, {"v": None, "j": None, "x": None}]
    assert wire.adbc_get_table_schema("wire").field("v").type == pa.json_(pa.utf8())
    run(wire, "SET variant_encoding = DEFAULT")
    assert table(wire, "SELECT v['b'][1] AS x FROM wire WHERE k = 1").to_pylist() == [{"x": "x"}]


def test_parquet_variant(wire):
    run(wire, "SET variant_encoding = 'parquet_variant'")
    got = table(wire, "SELECT v FROM wire ORDER BY k")["v"].combine_chunks()
    storage = got.storage if isinstance(got, pa.ExtensionArray) else got
    assert storage.to_pylist()[1] is None
    first = storage.to_pylist()[0]
    # Version 1, names sorted, two names: a and b. The value is an object.
    assert first["metadata"][0] & 15 == 1 and first["metadata"].endswith(b"ab")
    assert first["value"][0] & 3 == 2


def test_largeint_decimal256(wire):
    run(wire, "SET largeint_encoding = decimal256")
    got = table(wire, "SELECT h FROM wire ORDER BY k")
    assert got.schema.field("h").type == pa.decimal256(39, 0)
    assert got["h"].to_pylist() == [decimal.Decimal("-170141183460469231731687303715884105728"), None]


def test_strings(wire):
    for encoding, want in [("utf8_view", pa.string_view()), ("large_utf8", pa.large_string()), ("utf8", pa.string())]:
        wire.adbc_connection.set_options(**{OPTION + "string_encoding": encoding})
        got = table(wire, "SELECT s, v, h FROM wire ORDER BY k")
        assert [f.type for f in got.schema] == [want] * 3
        assert got["s"].to_pylist() == ["a text of more than twelve bytes", None]
        assert got["v"].to_pylist() == ['{"a":null,"b":[1,"x"]}', None]


def test_large_views_and_dictionaries(conn):
    """Views and dictionaries of results of many messages."""
    sql = "SELECT r.range AS n, repeat('x', 50 + r.range % 7) AS s FROM range(100000) r"
    want = {i: "x" * (50 + i % 7) for i in range(100000)}
    run(conn, "SET string_encoding = utf8_view")
    got = table(conn, sql)
    assert dict(zip(got["n"].to_pylist(), got["s"].to_pylist())) == want
    run(conn, "SET dictionary = on")
    got = table(conn, sql)
    assert got.schema.field("s").type == pa.dictionary(pa.int32(), pa.string())
    assert dict(zip(got["n"].to_pylist(), got["s"].to_pylist())) == want


def test_compression(conn):
    for codec in ("lz4", "zstd"):
        run(conn, f"SET ipc_compression = {codec}")
        got = table(conn, "SELECT r.range AS n, repeat('x', 100) AS s FROM range(100000) r")
        assert got.num_rows == 100000 and sum(got["n"].to_pylist()) == 99999 * 50000
        assert got["s"].unique().to_pylist() == ["x" * 100]


def test_timestamp_unit(wire):
    run(wire, "SET timestamp_unit = 'ns'")
    got = table(wire, "SELECT dt, tz FROM wire ORDER BY k")
    assert [f.type for f in got.schema] == [pa.timestamp("ns"), pa.timestamp("ns", tz="UTC")]
    assert got["dt"].cast(pa.int64()).to_pylist() == [1706933106123456000, None]
    with pytest.raises(dbapi.Error, match="0001-01-01 00:00:00 does not fit a timestamp in nanoseconds"):
        table(wire, "SELECT CAST('0001-01-01' AS DATETIME) AS far")
    run(wire, "SET timestamp_unit = 'ms'")
    assert table(wire, "SELECT dt FROM wire WHERE k = 1")["dt"].cast(pa.int64()).to_pylist() == [1706933106123]


def test_session_zone(wire):
    run(wire, "SET time_zone = 'Asia/Tokyo'")
    run(wire, "SET timestamptz_zone = 'session'")
    got = table(wire, "SELECT tz FROM wire WHERE k = 1")
    assert got.schema.field("tz").type == pa.timestamp("us", tz="Asia/Tokyo")
    assert got["tz"].to_pylist()[0].isoformat() == "2024-02-03T13:05:06.123456+09:00"


def test_native_addresses(wire):
    run(wire, "SET ip_encoding = native")
    run(wire, "SET uuid_encoding = arrow_uuid")
    got = table(wire, "SELECT ip6, u FROM wire WHERE k = 1")
    assert got.schema.field("ip6").type == pa.binary(16) and got.schema.field("u").type == pa.uuid()
    assert got["ip6"].to_pylist() == [bytes.fromhex("20010db8000000000000000000000001")]
    assert str(got["u"].to_pylist()[0]) == "123e4567-e89b-12d3-a456-426614174000"


def test_nested_as_text(wire):
    run(wire, "SET nested_encoding = json_text")
    assert table(wire, "SELECT a FROM wire ORDER BY k").to_pylist() == [{"a": "[1,null]"}, {"a": None}]


def test_bad_values(conn):
    with pytest.raises(dbapi.Error, match="utf8 or large_utf8 or utf8_view"):
        run(conn, "SET string_encoding = 'latin1'")
    with pytest.raises(dbapi.Error):
        conn.adbc_connection.set_options(**{OPTION + "string_encoding": "latin1"})
    assert conn.adbc_connection.get_option(OPTION + "string_encoding") == "utf8"


def test_header_of_one_call(server):
    """A header of the connection's calls, and one of a single call by the plain Flight client."""
    headers = {DatabaseOptions.RPC_CALL_HEADER_PREFIX.value + "x-ebira-string-encoding": "large_utf8"}
    with dbapi.connect(server.url, db_kwargs=headers, autocommit=True) as c:
        assert table(c, "SELECT 'a' AS s").schema.field("s").type == pa.large_string()
    client = flight.connect(server.url)
    d = flight.FlightDescriptor.for_command("SELECT 'a' AS s")
    for headers, want in [([(b"x-ebira-string-encoding", b"utf8_view")], pa.string_view()), ([], pa.string())]:
        info = client.get_flight_info(d, flight.FlightCallOptions(headers=headers))
        assert info.schema.field("s").type == want
        assert client.do_get(info.endpoints[0].ticket).read_all().to_pylist() == [{"s": "a"}]


def test_extension_types_are_ingested(conn):
    import uuid

    ids = [uuid.UUID("123e4567-e89b-12d3-a456-426614174000"), None]
    data = pa.table({"u": pa.array([i and i.bytes for i in ids], pa.uuid()), "j": pa.array(['{"b":1,"a":2}', None], pa.json_()),
                     "s": pa.array(["x", None]).dictionary_encode(), "n": pa.array(["y", None], pa.string_view())})
    with conn.cursor() as cur:
        assert cur.adbc_ingest("extensions", data, mode="replace") == 2
    with conn.cursor() as cur:
        cur.execute("SELECT u, j, s, n FROM extensions")
        assert cur.fetchall() == [("123e4567-e89b-12d3-a456-426614174000", '{"a":2,"b":1}', "x", "y"), (None, None, None, None)]
        cur.execute("DESC extensions")
        assert [r[1] for r in cur.fetchall()] == ["UUID", "JSON", "VARCHAR", "VARCHAR"]
