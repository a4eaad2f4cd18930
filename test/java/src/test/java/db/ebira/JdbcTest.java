package db.ebira;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Drives a real server through the Arrow Flight SQL JDBC driver: create, load, evolve, query, prepare, metadata. */
class JdbcTest {
  private static Process server;
  private static String url;
  private static Path files;

  @BeforeAll
  static void start() throws Exception {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("go.mod"))) {
      root = root.getParent();
    }
    Path tmp = Files.createTempDirectory("ebira-jdbc");
    files = Files.createDirectory(tmp.resolve("files"));
    server = new ProcessBuilder(root.resolve("bin/ebira").toString(), "serve", "--data", tmp.resolve("data").toString(),
            "--listen", "127.0.0.1:0", "--allowed-dirs", files.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
    String line = new BufferedReader(new InputStreamReader(server.getInputStream())).readLine();
    Matcher m = Pattern.compile("jdbc:\\S+").matcher(line == null ? "" : line);
    assertTrue(m.find(), "no ready line: " + line);
    url = m.group();
  }

  @AfterAll
  static void stop() throws Exception {
    server.destroy();
    assertEquals(0, server.waitFor());
  }

  private static Connection connect() throws SQLException {
    return DriverManager.getConnection(url);
  }

  private static List<String> strings(ResultSet rs, int column) throws SQLException {
    List<String> out = new ArrayList<>();
    while (rs.next()) {
      out.add(rs.getString(column));
    }
    return out;
  }

  @Test
  void loadEvolveAndQuery() throws Exception {
    Files.writeString(files.resolve("a.ndjson"), "{\"id\":1,\"city\":\"SF\",\"doc\":{\"n\":1}}\n{\"id\":2,\"city\":null,\"doc\":[2]}\n");
    Files.writeString(files.resolve("b.ndjson"), "{\"id\":3,\"score\":1.5}\n");
    try (Connection c = connect(); Statement st = c.createStatement()) {
      st.executeUpdate("CREATE TABLE j1 (id INT) ENABLE_SCHEMA_EVOLUTION = true");
      try (ResultSet rs = st.executeQuery("COPY INTO j1 FROM '" + files + "/' PATTERN = '[ab][.]ndjson' FILE_FORMAT = (TYPE = NDJSON)")) {
        assertEquals(List.of("a.ndjson", "b.ndjson"), strings(rs, 1));
      }
      try (ResultSet rs = st.executeQuery("SELECT id, city, doc, score FROM j1 ORDER BY id")) {
        assertTrue(rs.next());
        assertEquals(1, rs.getInt(1));
        assertEquals("SF", rs.getString("city"));
        assertEquals("{\"n\":1}", rs.getString("doc"));
        assertTrue(rs.next());
        assertEquals(null, rs.getString("city"));
        assertEquals("[2]", rs.getString("doc"));
        assertTrue(rs.next());
        assertEquals(1.5, rs.getDouble("score"));
        assertFalse(rs.next());
      }
      try (ResultSet rs = st.executeQuery("SELECT CAST(doc['n'] AS BIGINT) AS n, count(*) FROM j1 WHERE doc['n'] >= 1 GROUP BY n")) {
        assertTrue(rs.next());
        assertEquals(1, rs.getLong(1));
        assertEquals(1, rs.getLong(2));
      }
    }
  }

  @Test
  void preparedStatements() throws Exception {
    try (Connection c = connect(); Statement st = c.createStatement()) {
      st.executeUpdate("CREATE TABLE j2 (k BIGINT, s VARCHAR, p DECIMAL(10,2))");
      try (PreparedStatement ps = c.prepareStatement("INSERT INTO j2 VALUES (?, ?, ?)")) {
        for (int i = 1; i <= 3; i++) {
          ps.setLong(1, i);
          ps.setString(2, "s" + i);
          ps.setBigDecimal(3, new BigDecimal(i + ".50"));
          assertEquals(1, ps.executeUpdate());
        }
      }
      try (PreparedStatement ps = c.prepareStatement("SELECT s, p FROM j2 WHERE k >= ? ORDER BY k")) {
        ps.setLong(1, 2);
        try (ResultSet rs = ps.executeQuery()) {
          assertTrue(rs.next());
          assertEquals("s2", rs.getString(1));
          assertEquals(new BigDecimal("2.50"), rs.getBigDecimal(2));
          assertTrue(rs.next());
          assertFalse(rs.next());
        }
        ps.setLong(1, 3);
        try (ResultSet rs = ps.executeQuery()) {
          assertEquals(List.of("s3"), strings(rs, 1));
        }
      }
      assertEquals(2, st.executeUpdate("DELETE FROM j2 WHERE k < 3"));
    }
  }

  @Test
  void metadata() throws Exception {
    try (Connection c = connect(); Statement st = c.createStatement()) {
      st.executeUpdate("CREATE TABLE r37 (id BIGINT NOT NULL, price DECIMAL(10,2), at DATETIME, v VARIANT, \"Mixed Case\" STRING)");
      st.executeUpdate("CREATE TABLE r370x (id INT)");
      DatabaseMetaData md = c.getMetaData();
      assertEquals("ebira", md.getDatabaseProductName().toLowerCase());
      assertEquals("\"", md.getIdentifierQuoteString());
      try (ResultSet rs = md.getCatalogs()) {
        assertEquals(List.of("ebira"), strings(rs, 1));
      }
      try (ResultSet rs = md.getSchemas()) {
        assertTrue(strings(rs, 1).contains("default"));
      }
      try (ResultSet rs = md.getTables(null, null, "r3_", null)) {
        assertEquals(List.of("r37"), strings(rs, 3));
      }
      try (ResultSet rs = md.getColumns(null, "default", "r37", "%")) {
        assertEquals(List.of("id", "price", "at", "v", "Mixed Case"), strings(rs, 4));
      }
      try (ResultSet rs = md.getPrimaryKeys(null, "default", "r37")) {
        assertFalse(rs.next());
      }
      try (ResultSet rs = md.getTableTypes()) {
        assertTrue(strings(rs, 1).contains("TABLE"));
      }
    }
  }

  @Test
  void errorsComeAtOnce() throws Exception {
    try (Connection c = connect(); Statement st = c.createStatement()) {
      SQLException e = assertThrows(SQLException.class, () -> st.executeQuery("SELECT nope FROM no_such_table"));
      assertTrue(e.getMessage().contains("no_such_table"), e.getMessage());
      try (ResultSet rs = st.executeQuery("SELECT 1")) {
        assertTrue(rs.next());
      }
    }
  }

  /** The driver's setAutoCommit does nothing, so transactions are begun and ended by SQL. */
  @Test
  void transactions() throws SQLException {
    try (Connection c = connect(); Connection other = connect(); Statement s = c.createStatement(); Statement o = other.createStatement()) {
      s.execute("CREATE OR REPLACE TABLE txn (id INT)");
      s.execute("BEGIN");
      s.execute("INSERT INTO txn VALUES (1), (2)");
      assertEquals(2, count(s));
      assertEquals(0, count(o));
      s.execute("ROLLBACK");
      assertEquals(0, count(s));
      s.execute("BEGIN");
      s.execute("INSERT INTO txn VALUES (1), (2)");
      s.execute("COMMIT");
      assertEquals(2, count(o));
      assertTrue(c.getMetaData().supportsTransactions());
    }
  }

  private static int count(Statement s) throws SQLException {
    try (ResultSet r = s.executeQuery("SELECT count(*) FROM txn")) {
      assertTrue(r.next());
      return r.getInt(1);
    }
  }

  /** Properties of the URL that the driver does not know travel as request headers, and choose the forms of results. */
  @Test
  void wireOptionsInTheUrl() throws Exception {
    String sql = "SELECT [1, NULL] AS a, CAST('2024-01-02 03:04:05.6' AS DATETIME) AS t, CAST('127.0.0.1' AS IPV4) AS ip";
    String options = "&x-ebira-nested-encoding=json_text&x-ebira-timestamp-unit=ns&x-ebira-ip-encoding=native";
    try (Connection c = DriverManager.getConnection(url + options); Statement st = c.createStatement(); ResultSet rs = st.executeQuery(sql)) {
      assertTrue(rs.next());
      assertEquals("[1,null]", rs.getString("a"));
      assertEquals("2024-01-02T03:04:05.600", rs.getObject("t", java.time.LocalDateTime.class).toString());
      assertEquals(2130706433L, rs.getLong("ip"));
    }
    try (Connection c = connect(); Statement st = c.createStatement()) {
      st.execute("SET nested_encoding = 'json_text'");
      try (ResultSet rs = st.executeQuery("SELECT [1, NULL] AS a, CAST('127.0.0.1' AS IPV4) AS ip")) {
        assertTrue(rs.next());
        assertEquals("[1,null]", rs.getString("a"));
        assertEquals("127.0.0.1", rs.getString("ip"));
      }
    }
    SQLException e = assertThrows(SQLException.class, () -> {
      try (Connection c = DriverManager.getConnection(url + "&x-ebira-timestamp-unit=days"); Statement st = c.createStatement()) {
        st.executeQuery("SELECT 1");
      }
    });
    assertTrue(e.getMessage().contains("us or ms or ns"), e.getMessage());
  }
}
