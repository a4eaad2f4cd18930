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
