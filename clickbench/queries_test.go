package clickbench

import (
	"slices"
	"testing"
)

func TestQueries(t *testing.T) {
	plain, paths := Queries(Predefined), Queries(Variant)
	if len(plain) != 43 || len(paths) != 43 {
		t.Fatalf("%d and %d queries", len(plain), len(paths))
	}
	check := func(q Query, sql string, limited bool, order ...string) {
		t.Helper()
		if q.SQL != sql || q.Limited != limited || !slices.Equal(q.Order, order) {
			t.Errorf("got %+v", q)
		}
	}
	check(plain[0], "SELECT COUNT(*) FROM hits", false)
	check(plain[7], "SELECT AdvEngineID, COUNT(*) FROM hits WHERE AdvEngineID <> 0 GROUP BY AdvEngineID ORDER BY COUNT(*) DESC", false, "COUNT(*)")
	check(plain[17], "SELECT UserID, SearchPhrase, COUNT(*) FROM hits GROUP BY UserID, SearchPhrase LIMIT 10", true)
	check(plain[26], "SELECT SearchPhrase FROM hits WHERE SearchPhrase <> '' ORDER BY EventTime, SearchPhrase LIMIT 10", true, "EventTime", "SearchPhrase")
	check(paths[19], "SELECT CAST(v['UserID'] AS BIGINT) FROM hits WHERE CAST(v['UserID'] AS BIGINT) = 435090932899640449", false)
	check(paths[26], "SELECT CAST(v['SearchPhrase'] AS VARCHAR) FROM hits WHERE CAST(v['SearchPhrase'] AS VARCHAR) <> '' ORDER BY CAST(v['EventTime'] AS DATETIME), CAST(v['SearchPhrase'] AS VARCHAR) LIMIT 10",
		true, "CAST(v['EventTime'] AS DATETIME)", "CAST(v['SearchPhrase'] AS VARCHAR)")
}

// TestDialects has the texts of the peers where they differ from ours.
func TestDialects(t *testing.T) {
	check := func(d Dialect, l Layout, o Origin, query int, want string) {
		t.Helper()
		q := d.Queries(l, o)
		if len(q) != 43 || q[query] != want {
			t.Errorf("%d queries, query %d is %s, want %s", len(q), query, q[query], want)
		}
	}
	check(ChDB, Predefined, Generated, 3, "SELECT AVG(toFloat64(UserID)) FROM hits")
	check(ChDB, Predefined, Generated, 28, `SELECT replaceRegexpOne(Referer, '^https?://(?:www\\.)?([^/]+)/.*$', '\\1') AS k, AVG(length(Referer)) AS l, COUNT(*) AS c, MIN(Referer) FROM hits WHERE Referer <> '' GROUP BY k HAVING COUNT(*) > 100000 ORDER BY l DESC LIMIT 25`)
	check(ChDB, Variant, Generated, 4, "SELECT COUNT(DISTINCT v.UserID.:Int64) FROM hits")
	check(ChDB, Variant, Published, 4, "SELECT COUNT(DISTINCT v.UserID) FROM hits")
	check(ChDB, Variant, Generated, 6, "SELECT MIN(v.EventDate), MAX(v.EventDate) FROM hits")
	check(ChDB, JSON, Generated, 6, "SELECT MIN(toDate(JSONExtractString(v, 'EventDate'))), MAX(toDate(JSONExtractString(v, 'EventDate'))) FROM hits")
	check(DuckDB, JSON, Generated, 1, "SELECT COUNT(*) FROM hits WHERE CAST(v->>'$.AdvEngineID' AS SMALLINT) <> 0")
	check(DataFusion, Predefined, Generated, 20, "SELECT COUNT(*) FROM hits WHERE URL LIKE '%google%'")
}

func TestScaled(t *testing.T) {
	check := func(sql, want string) {
		t.Helper()
		if got := Scaled(sql, 20_000); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	check("HAVING COUNT(*) > 100000 ORDER BY l", "HAVING COUNT(*) > 20 ORDER BY l")
	check("LIMIT 10 OFFSET 10000", "LIMIT 10 OFFSET 1")
	check("LIMIT 10 OFFSET 1000", "LIMIT 10 OFFSET 3")
	check("LIMIT 10 OFFSET 100", "LIMIT 10 OFFSET 2")
}

// TestChecks has the order keys behind the columns, and the whole result without order and limit.
func TestChecks(t *testing.T) {
	check := func(query int, sql, all string, keys int, limited bool) {
		t.Helper()
		if got, want := Checks()[query], (Check{sql, keys, all, limited}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	check(0, "SELECT COUNT(*) FROM hits", "SELECT COUNT(*) FROM hits", 0, false)
	check(15, "SELECT UserID, COUNT(*), COUNT(*) AS k0 FROM hits GROUP BY UserID ORDER BY COUNT(*) DESC LIMIT 10", "SELECT UserID, COUNT(*), COUNT(*) AS k0 FROM hits GROUP BY UserID", 1, true)
	check(17, "SELECT UserID, SearchPhrase, COUNT(*) FROM hits GROUP BY UserID, SearchPhrase LIMIT 10", "SELECT UserID, SearchPhrase, COUNT(*) FROM hits GROUP BY UserID, SearchPhrase", 0, true)
	check(24, "SELECT SearchPhrase, EventTime AS k0 FROM hits WHERE SearchPhrase <> '' ORDER BY EventTime LIMIT 10", "SELECT SearchPhrase, EventTime AS k0 FROM hits WHERE SearchPhrase <> ''", 1, true)
}
