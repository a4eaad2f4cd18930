package parse

import (
	"testing"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// canonical checks the canonical text of one statement, and that it is stable. An empty want means that in is canonical.
func canonical(t *testing.T, in, want string) {
	t.Helper()
	if want == "" {
		want = in
	}
	list, err := Parse(in)
	if err != nil {
		t.Errorf("%s", sqlerr.Render(err, in))
		return
	}
	if len(list) != 1 {
		t.Errorf("%s: %d statements", in, len(list))
		return
	}
	if got := Format(list[0]); got != want {
		t.Errorf("%s\n got %s\nwant %s", in, got, want)
	}
	checkStable(t, list[0])
}

func TestQueries(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		canonical(t, in, want)
	}
	f("select 1", "SELECT 1")
	f("SELECT ALL a AS b, c d, e \"f g\", h AS 'i j', k AS order FROM t", `SELECT a AS b, c AS d, e AS "f g", h AS "i j", k AS order FROM t`)
	f("SELECT DISTINCT ON (a, b) a, b FROM t", "")
	f("SELECT DISTINCT a FROM t", "")
	f("SELECT default.t.*, default.t.a FROM default.t", "")
	f("SELECT t.*, db.t.*, * EXCEPT (a, b), t.* EXCLUDE c FROM t", "SELECT t.*, db.t.*, * EXCLUDE (a, b), t.* EXCLUDE (c) FROM t")
	f("SELECT * EXCEPT (SELECT a FROM u)", "SELECT * EXCEPT SELECT a FROM u")
	f("SELECT key, value, type, date FROM values", "")
	f("SELECT 1 UNION SELECT 2 UNION ALL SELECT 3", "")
	f("SELECT 1 UNION (SELECT 2 UNION ALL SELECT 3)", "")
	f("SELECT 1 UNION SELECT 2 INTERSECT SELECT 3", "")
	f("(SELECT 1 UNION SELECT 2) INTERSECT SELECT 3", "")
	f("SELECT 1 EXCEPT DISTINCT SELECT 2 MINUS SELECT 3", "SELECT 1 EXCEPT SELECT 2 EXCEPT SELECT 3")
	f("(SELECT a FROM t ORDER BY a LIMIT 1) UNION ALL (SELECT 2) ORDER BY 1", "(SELECT a FROM t ORDER BY a LIMIT 1) UNION ALL SELECT 2 ORDER BY 1")
	f("((SELECT 1 LIMIT 1))", "SELECT 1 LIMIT 1")
	f("VALUES (1, 'a'), (2, DEFAULT)", "")
	f("SELECT a FROM t LIMIT 5, 10", "SELECT a FROM t LIMIT 10 OFFSET 5")
	f("SELECT a FROM t OFFSET 5 ROWS FETCH NEXT 10 ROWS ONLY", "SELECT a FROM t LIMIT 10 OFFSET 5")
	f("SELECT a FROM t FETCH FIRST ROW ONLY", "SELECT a FROM t LIMIT 1")
	f("SELECT a FROM t LIMIT ALL OFFSET ?", "SELECT a FROM t OFFSET ?")
	f("SELECT a FROM t ORDER BY a ASC NULLS FIRST, b DESC NULLS LAST, c", "SELECT a FROM t ORDER BY a NULLS FIRST, b DESC NULLS LAST, c")
	f("WITH RECURSIVE x (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x), y AS NOT MATERIALIZED (SELECT 2) SELECT * FROM x, y",
		"WITH RECURSIVE x (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x), y AS NOT MATERIALIZED (SELECT 2) SELECT * FROM x, y")
	f("SELECT a FROM t WHERE b GROUP BY a, 2, (c, d) HAVING e QUALIFY f = 1", "")
	f("SELECT a FROM t GROUP BY ALL", "")
	f("SELECT a FROM t GROUP BY a, b WITH ROLLUP", "SELECT a FROM t GROUP BY ROLLUP (a, b)")
	f("SELECT a FROM t UNION ALL BY NAME SELECT b FROM u ORDER BY ALL DESC NULLS FIRST", "SELECT a FROM t UNION ALL BY NAME SELECT b FROM u ORDER BY ALL DESC NULLS FIRST")
	f("WITH x AS MATERIALIZED (SELECT 1) SELECT DISTINCT ON (a, b) a FROM x", "WITH x AS MATERIALIZED (SELECT 1) SELECT DISTINCT ON (a, b) a FROM x")
	f("SELECT a FROM t GROUP BY GROUPING SETS ((a, b), (a), ()), CUBE (a, (b, c))", "SELECT a FROM t GROUP BY GROUPING SETS ((a, b), a, ()), CUBE (a, (b, c))")
	f("SELECT sum(a) OVER w FROM t WINDOW w AS (PARTITION BY b), x AS (w ORDER BY c)", "")
	f("SELECT a FROM t QUALIFY b = 1 WINDOW w AS ()", "SELECT a FROM t WINDOW w AS () QUALIFY b = 1")
}

func TestFrom(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		if want == "" {
			want = in
		}
		canonical(t, "SELECT 1 FROM "+in, "SELECT 1 FROM "+want)
	}
	f("a, b x, c.d AS y (e, f)", "a, b AS x, c.d AS y (e, f)")
	f("a JOIN b ON a.x = b.x LEFT OUTER JOIN c USING (y, z)", "a JOIN b ON a.x = b.x LEFT JOIN c USING (y, z)")
	f("a INNER JOIN b ON TRUE RIGHT JOIN c ON x FULL OUTER JOIN d ON y CROSS JOIN e NATURAL JOIN f NATURAL LEFT JOIN g",
		"a JOIN b ON TRUE RIGHT JOIN c ON x FULL JOIN d ON y CROSS JOIN e NATURAL JOIN f NATURAL LEFT JOIN g")
	f("a LEFT SEMI JOIN b ON x SEMI JOIN c ON y ANTI JOIN d ON z RIGHT ANTI JOIN e USING (q)",
		"a LEFT SEMI JOIN b ON x LEFT SEMI JOIN c ON y LEFT ANTI JOIN d ON z RIGHT ANTI JOIN e USING (q)")
	f("a JOIN (b JOIN c ON x) ON y", "")
	f("((a JOIN b ON x))", "a JOIN b ON x")
	f("(a) x", "a AS x")
	f("(SELECT 1) x (a), LATERAL (SELECT 2) AS y", "(SELECT 1) AS x (a), LATERAL (SELECT 2) AS y")
	f("((SELECT 1) UNION SELECT 2) x", "(SELECT 1 UNION SELECT 2) AS x")
	f("((SELECT 1)) x", "(SELECT 1) AS x")
	f("default.t, c.default.u", "")
	f("(VALUES (1, 2)) x (a, b), VALUES (3), (4) y ORDER BY 1", "(VALUES (1, 2)) AS x (a, b), (VALUES (3), (4)) AS y ORDER BY 1")
	f("numbers(10), LATERAL unnest(a) WITH ORDINALITY AS u (x, n)", "")
	f("TABLE(generate(1)) g", "generate(1) AS g")
	f("t LATERAL VIEW explode(a) x AS b LATERAL VIEW OUTER f(b, 1) y AS c, d WHERE e",
		"t LATERAL VIEW explode(a) x AS (b) LATERAL VIEW OUTER f(b, 1) y AS (c, d) WHERE e")
	f("t LATERAL VIEW explode(a) x AS b, u v", "t LATERAL VIEW explode(a) x AS (b), u AS v")
	f("t LATERAL VIEW explode(a) AS b", "t LATERAL VIEW explode(a) AS (b)")
	f("a JOIN b LATERAL VIEW explode(b.x) y AS z ON c", "a JOIN (b LATERAL VIEW explode(b.x) y AS (z)) ON c")
	f("a JOIN b ON c LATERAL VIEW explode(b.x) y AS z", "a JOIN b ON c LATERAL VIEW explode(b.x) y AS (z)")
	f("t TABLESAMPLE (10 PERCENT) x", "t AS x TABLESAMPLE (10 PERCENT)")
	f("t x TABLESAMPLE BERNOULLI (5%) REPEATABLE (3)", "t AS x TABLESAMPLE BERNOULLI (5 PERCENT) REPEATABLE (3)")
	f("t TABLESAMPLE (100 ROWS)", "")
	f("@s", "")
	f("@~/a/b.csv t", "@~/a/b.csv AS t")
	f(`@"my stage"/x.json (FILE_FORMAT => 'ndjson' PATTERN => '.*') AS t`, `@"my stage"/x.json (FILE_FORMAT => 'ndjson', PATTERN => '.*') AS t`)
	f("'@s/pa th/x'", "")
	f("'/data/x.parquet' t", "'/data/x.parquet' AS t")
}

func TestCreateTable(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		if want == "" {
			want = in
		}
		canonical(t, "CREATE TABLE t "+in, "CREATE TABLE t "+want)
	}
	f("(a INT, b STRING NOT NULL DEFAULT 'x' COMMENT 'c', c DOUBLE NULL)", "")
	f("(a INT DEFAULT 1 + 2 NOT NULL, b DATETIME(3) DEFAULT CURRENT_TIMESTAMP(3))", "(a INT NOT NULL DEFAULT 1 + 2, b DATETIME(3) DEFAULT CURRENT_TIMESTAMP(3))")
	f(`(a INT COMMENT "double")`, "(a INT COMMENT 'double')")
	f("(key BIGINT, index VARCHAR(10), primary INT, comment TEXT)", "")
	f("(a tinyint, b SMALLINT UNSIGNED, c int128, d Decimal(76, 10), e DecimalV3(9,2), f double precision, g float, h bool)",
		"(a TINYINT, b SMALLINT UNSIGNED, c INT128, d DECIMAL(76, 10), e DECIMALV3(9, 2), f DOUBLE, g FLOAT, h BOOL)")
	f("(a timestamp with time zone, b timestamp(3) without time zone, c TIMESTAMPTZ(6), d character varying(20), e varchar(*))",
		"(a TIMESTAMPTZ, b TIMESTAMP(3), c TIMESTAMPTZ(6), d VARCHAR(20), e VARCHAR)")
	f("(a ARRAY(INT NOT NULL), b INT[][], c MAP<STRING,ARRAY<INT>>, d STRUCT<x:INT, y STRING COMMENT 'q'>, e TUPLE(x INT NULL))",
		"(a ARRAY<INT NOT NULL>, b ARRAY<ARRAY<INT>>, c MAP<STRING, ARRAY<INT>>, d STRUCT<x: INT, y: STRING COMMENT 'q'>, e STRUCT<x: INT>)")
	f("(v VARIANT<'a':INT,MATCH_NAME_GLOB 'b?':ARRAY<DECIMAL(9,2)>,MATCH_NAME 'c*':STRING COMMENT 'x',PROPERTIES(\"k\"=\"v\")> NOT NULL)",
		"(v VARIANT<'a': INT, 'b?': ARRAY<DECIMAL(9, 2)>, MATCH_NAME 'c*': STRING COMMENT 'x', PROPERTIES (\"k\" = \"v\")> NOT NULL)")
	f("(a INT KEY, b INT SUM, c INT REPLACE_IF_NOT_NULL DEFAULT '0', d BIGINT AUTO_INCREMENT(100), e INT AS (a + 1) STORED) AGGREGATE KEY(a)",
		"(a INT KEY, b INT SUM, c INT DEFAULT '0' REPLACE_IF_NOT_NULL, d BIGINT AUTO_INCREMENT, e INT AS (a + 1) STORED) AGGREGATE KEY (a)")
	f("(a INT PRIMARY KEY, b INT UNIQUE, c INT CHECK (c > 0), d INT REFERENCES u (x), PRIMARY KEY (a, b), UNIQUE KEY k (c), CONSTRAINT q FOREIGN KEY (d) REFERENCES u (x), CHECK (a > b))", "")
	f("(a INT, INDEX i (a) USING inverted PROPERTIES('parser'='english') COMMENT 'x', INDEX j(a))",
		"(a INT, INDEX i (a) USING INVERTED PROPERTIES (\"parser\" = \"english\") COMMENT 'x', INDEX j (a))")
	f("(a INT) ENGINE=OLAP UNIQUE KEY(a) COMMENT 'x' PARTITION BY RANGE(a) (PARTITION p1 VALUES LESS THAN (\"10\"), PARTITION p2 VALUES LESS THAN MAXVALUE) DISTRIBUTED BY RANDOM BUCKETS AUTO",
		"(a INT) ENGINE = OLAP UNIQUE KEY (a) COMMENT 'x' PARTITION BY RANGE(a) (PARTITION p1 VALUES LESS THAN (\"10\"), PARTITION p2 VALUES LESS THAN MAXVALUE) DISTRIBUTED BY RANDOM BUCKETS AUTO")
	f("(a INT) AUTO PARTITION BY RANGE (date_trunc(d, 'month')) () DISTRIBUTED BY HASH(a, b) BUCKETS 10 CLUSTER BY (a) ORDER BY (b, c)",
		"(a INT) AUTO PARTITION BY RANGE(date_trunc(d, 'month')) DISTRIBUTED BY HASH (a, b) BUCKETS 10 CLUSTER BY (a) ORDER BY (b, c)")
	f("(a INT) ENABLE_SCHEMA_EVOLUTION = true, ROW_PER_BLOCK = 1000 COMMENT = 'x'", "(a INT) COMMENT 'x' ENABLE_SCHEMA_EVOLUTION = true ROW_PER_BLOCK = 1000")
	f("LIKE db.u", "")
	f("AS SELECT 1 AS a", "")
	f("(a, b) PROPERTIES ('x' = 1) AS SELECT 1, 2", "(a, b) PROPERTIES (\"x\" = 1) AS SELECT 1, 2")
	f("(a INT) ENGINE=x SELECT 1", "(a INT) ENGINE = x AS SELECT 1")
	canonical(t, "create or replace temporary table \"a b\".`c` (x int)", `CREATE OR REPLACE TEMPORARY TABLE "a b"."c" (x INT)`)
	canonical(t, "CREATE TRANSIENT TABLE IF NOT EXISTS t (x INT)", "CREATE TABLE IF NOT EXISTS t (x INT)")
}

func TestOtherDDL(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		canonical(t, in, want)
	}
	f("CREATE SCHEMA IF NOT EXISTS d PROPERTIES('a'='b')", `CREATE DATABASE IF NOT EXISTS d PROPERTIES ("a" = "b")`)
	f("CREATE OR REPLACE DATABASE d", "")
	f("DROP SCHEMA IF EXISTS c.d CASCADE", "DROP DATABASE IF EXISTS c.d FORCE")
	f("ALTER DATABASE d RENAME e", "ALTER DATABASE d RENAME TO e")
	f("ALTER DATABASE d SET OPTIONS (a = 1)", `ALTER DATABASE d SET PROPERTIES ("a" = 1)`)
	f("DROP TABLE IF EXISTS a, b.c FORCE", "")
	f("TRUNCATE t", "TRUNCATE TABLE t")
	f(`ALTER TABLE t SET ("a" = "b"), UNSET OPTIONS (x, y)`, "ALTER TABLE t SET OPTIONS (a = 'b'), UNSET OPTIONS (x, y)")
	f("ALTER TABLE t ADD COLUMN IF NOT EXISTS c INT DEFAULT 5 AFTER b", "")
	f("ALTER TABLE t ADD c INT FIRST, DROP d, DROP COLUMN IF EXISTS e", "ALTER TABLE t ADD COLUMN c INT FIRST, DROP COLUMN d, DROP COLUMN IF EXISTS e")
	f("ALTER TABLE t ADD COLUMN (a INT, b STRING NOT NULL)", "ALTER TABLE t ADD COLUMN a INT, ADD COLUMN b STRING NOT NULL")
	f("ALTER TABLE t RENAME COLUMN a b", "ALTER TABLE t RENAME COLUMN a TO b")
	f("ALTER TABLE t RENAME TO u", "")
	f("ALTER TABLE t RENAME u", "ALTER TABLE t RENAME TO u")
	f("ALTER TABLE t MODIFY COLUMN c BIGINT NULL COMMENT 'x' FIRST, MODIFY COLUMN d COMMENT 'y'", "")
	f("ALTER TABLE t MODIFY COMMENT 'x'", "ALTER TABLE t COMMENT = 'x'")
	f("ALTER TABLE t ADD INDEX i (c) USING INVERTED, DROP INDEX j", "")
	f("CREATE INDEX IF NOT EXISTS i ON t (c) USING INVERTED PROPERTIES (\"parser\" = \"english\") COMMENT 'x'",
		"CREATE INDEX IF NOT EXISTS i ON t (c) USING INVERTED PROPERTIES (\"parser\" = \"english\") COMMENT 'x'")
	f("DROP INDEX IF EXISTS i ON t", "")
	f("BUILD INDEX i ON t", "")
	f("CREATE OR REPLACE VIEW v (a COMMENT 'x', b) COMMENT 'y' AS SELECT 1, 2", "")
	f("CREATE VIEW IF NOT EXISTS v AS WITH x AS (SELECT 1) SELECT * FROM x", "")
	f("DROP VIEW IF EXISTS v", "")
}

func TestDML(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		canonical(t, in, want)
	}
	f("INSERT INTO t VALUES (1, DEFAULT, 'x')", "")
	f("INSERT INTO TABLE db.t (a, \"b\") SELECT 1, 2", `INSERT INTO db.t (a, "b") SELECT 1, 2`)
	f("INSERT INTO t (SELECT 1)", "INSERT INTO t SELECT 1")
	f("INSERT INTO t (values) (VALUES (1) LIMIT 1) UNION SELECT 2", "")
	f("INSERT INTO t (VALUES (1) LIMIT 1) UNION SELECT 2", "")
	f("INSERT INTO t WITH x AS (SELECT 1) SELECT * FROM x", "")
	f("INSERT OVERWRITE TABLE t SELECT 1", "INSERT OVERWRITE t SELECT 1")
	f("INSERT INTO t DEFAULT VALUES", "")
	f("INSERT INTO default.t VALUES (DEFAULT)", "")
	f("UPDATE default.t SET a = default.t.b", "")
	f("DELETE FROM t", "")
	f("DELETE FROM t x WHERE x.a = 1", "DELETE FROM t AS x WHERE x.a = 1")
	f("UPDATE t SET a = 1, b.c = DEFAULT, v['x'] = NULL FROM u WHERE t.a = u.a", "")
	f("UPDATE t AS x SET a = a + 1", "")
	f("DELETE FROM t AS x USING u, (SELECT 1) AS y WHERE x.a = u.a", "")
	f("merge into d.t x using s on x.a = s.a when matched and s.b > 1 then delete when matched then update set a = 1, b = default when not matched then insert (a) values (1)",
		"MERGE INTO d.t AS x USING s ON x.a = s.a WHEN MATCHED AND s.b > 1 THEN DELETE WHEN MATCHED THEN UPDATE SET a = 1, b = DEFAULT WHEN NOT MATCHED THEN INSERT (a) VALUES (1)")
	f("MERGE INTO t USING (SELECT 1 AS a) AS s ON TRUE WHEN NOT MATCHED BY TARGET THEN INSERT * WHEN NOT MATCHED BY SOURCE AND a THEN UPDATE SET * WHEN MATCHED THEN DO NOTHING",
		"MERGE INTO t USING (SELECT 1 AS a) AS s ON TRUE WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE AND a THEN UPDATE * WHEN MATCHED THEN DO NOTHING")
	f("COMMENT ON TABLE t IS 'x'", "")
	f("COMMENT ON COLUMN d.t.c IS NULL", "")
	f("ALTER TABLE t ALTER c TYPE INT, ALTER COLUMN c SET DEFAULT 1 + 1, ALTER c DROP NOT NULL, SWAP WITH d.u", "ALTER TABLE t ALTER COLUMN c SET DATA TYPE INT, ALTER COLUMN c SET DEFAULT 1 + 1, ALTER COLUMN c DROP NOT NULL, SWAP WITH d.u")
}

func TestAdmin(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		canonical(t, in, want)
	}
	f("SHOW SCHEMAS LIKE 'a%'", "SHOW DATABASES LIKE 'a%'")
	f("SHOW FULL TABLES IN db LIKE \"x\"", "SHOW FULL TABLES FROM db LIKE 'x'")
	f("SHOW TABLES WHERE name = 'x' LIMIT 3", "")
	f("SHOW TABLE STATUS", "")
	f("SHOW VIEWS", "")
	f("SHOW FIELDS FROM t FROM db", "SHOW COLUMNS FROM t FROM db")
	f("SHOW CREATE TABLE db.t", "")
	f("SHOW CREATE SCHEMA db", "SHOW CREATE DATABASE db")
	f("SHOW CREATE VIEW v", "")
	f("SHOW GLOBAL VARIABLES LIKE 'x'", "")
	f("SHOW SESSION STATUS", "")
	f("SHOW FUNCTIONS", "")
	f("SHOW FILE FORMATS", "")
	f("SHOW FULL PROCESSLIST", "")
	f("SHOW KEYS FROM t", "SHOW INDEX FROM t")
	f("SHOW USERS", "")
	f("DESC t", "DESCRIBE TABLE t")
	f("DESC TABLE db.t ALL", "DESCRIBE TABLE db.t ALL")
	f("DESCRIBE t PARTITION p1", "DESCRIBE TABLE t PARTITION (p1)")
	f("DESC SELECT 1", "DESCRIBE SELECT 1")
	f("DESC stage", "DESCRIBE TABLE stage")
	f("SET a = 1, GLOBAL b = 'x', SESSION c = ON", "SET a = 1, GLOBAL b = 'x', SESSION c = ON")
	f("SET @@global.a := DEFAULT", "SET GLOBAL a = DEFAULT")
	f("SET LOCAL x TO off", "SET SESSION x = off")
	f("SET a.b = async_mode", "")
	f("SET TIME ZONE 'UTC'", "SET time_zone = 'UTC'")
	f("UNSET x", "UNSET (x)")
	f("UNSET GLOBAL (x, y)", "")
	f("RESET x", "UNSET (x)")
	f("USE db", "")
	f("USE default", "")
	f("SHOW TABLES FROM default", "")
	f("SHOW CREATE DATABASE default", "")
	f("DESC DATABASE default", "DESCRIBE DATABASE default")
	f("USE DATABASE c.db", "USE c.db")
	f("USE CATALOG c", "")
	f("EXPLAIN SELECT 1", "")
	f("EXPLAIN PLAN FOR SELECT 1", "EXPLAIN SELECT 1")
	f("EXPLAIN ANALYZE INSERT INTO t VALUES (1)", "")
	f("EXPLAIN LOGICAL PLAN (SELECT 1)", "EXPLAIN LOGICAL SELECT 1")
	f("EXPLAIN VERBOSE VALUES (1)", "")
	f("EXPLAIN ANALYZE TABLE t", "")
	f("BEGIN WORK", "BEGIN")
	f("START TRANSACTION READ ONLY", "BEGIN READ ONLY")
	f("START TRANSACTION WITH CONSISTENT SNAPSHOT", "BEGIN")
	f("COMMIT WORK", "COMMIT")
	f("END", "COMMIT")
	f("ROLLBACK", "")
	f("CREATE USER u IDENTIFIED BY 'p''w'", "CREATE USER 'u' IDENTIFIED BY 'p''w'")
	f("CREATE USER OR REPLACE \"u\"@localhost IDENTIFIED WITH no_password", "CREATE OR REPLACE USER 'u'@'localhost' IDENTIFIED WITH no_password")
	f("ALTER USER IF EXISTS u WITH DISABLED = true", "ALTER USER IF EXISTS 'u' WITH DISABLED = true")
	f("DROP USER IF EXISTS 'u'@'10.%'", "")
	f("KILL 5", "KILL QUERY '5'")
	f("KILL CONNECTION 'abc'", "")
	f("OPTIMIZE TABLE t", "OPTIMIZE TABLE t COMPACT")
	f("ANALYZE TABLE db.t", "")
	f("FLUSH TABLE t", "")
	f("FLUSH TABLES", "")
}

// TestSourceText checks that statements, queries and output columns remember their text.
func TestSourceText(t *testing.T) {
	sql := "\ufeff ;; -- first\nSELECT  v['a'] , (b)  AS c /* x */ FROM t -- end\n;\nCREATE VIEW w AS (SELECT 1\n+ 2) ; EXPLAIN  SELECT 1;"
	list, err := Parse(sql)
	if err != nil {
		t.Fatal(err)
	}
	f := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f(list[0].SourceText(), "SELECT  v['a'] , (b)  AS c /* x */ FROM t")
	f(sql[list[0].Pos():][:6], "SELECT")
	sel := list[0].(*QueryStmt).Query.Body.(*Select)
	f(sel.Items[0].Text, "v['a']")
	f(sel.Items[1].Text, "(b)")
	f(list[1].SourceText(), "CREATE VIEW w AS (SELECT 1\n+ 2)")
	f(list[1].(*CreateView).Query.Text, "(SELECT 1\n+ 2)")
	f(list[2].(*Explain).Stmt.SourceText(), "SELECT 1")
	list, err = Parse("CREATE TABLE t (a INT DEFAULT  1 + 2  NOT NULL)")
	if err != nil {
		t.Fatal(err)
	}
	f(list[0].(*CreateTable).Columns[0].DefaultText, "1 + 2")
}
