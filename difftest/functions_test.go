package difftest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// sameFunctions are calls that mean the same in both engines, over the columns of TestFunctions. Other functions differ on purpose: greatest and
// least of a NULL are NULL, fractions become integers half away from zero, distances count characters, an empty array joins to an empty text,
// arrays of NULL arrays are NULL, json_contains is that of MySQL.
var sameFunctions = strings.Split(strings.TrimSpace(`
abs(i)
sign(d)
ceil(d)
floor(d)
round(d)
round(m, 1)
trunc(d)
sqrt(abs(d))
cbrt(d)
exp(d / 1e6)
sin(d)
atan2(d, 2)
degrees(d)
gcd(i, 12)
lcm(i % 1000, 12)
bit_count(i)
even(d)
i & 255
xor(i, 255)
i % k
i + 9223372036854775800
CAST(m AS SMALLINT)
CAST(s AS INT)
CAST(s AS DOUBLE)
CAST(s AS DATE)
CAST(i AS VARCHAR)
CAST(m AS VARCHAR)
upper(s)
lower(s)
length(s)
reverse(s)
left(s, k)
right(s, k)
substr(s, k + 1, 3)
trim(s)
ltrim(s)
rtrim(s)
replace(s, 'a', 'bc')
repeat(s, k)
lpad(s, 5 + k, '*')
rpad(s, 5 + k, '*')
starts_with(s, 'a')
ends_with(s, 'c')
contains(s, 'b')
strpos(s, 'b')
split_part(s, ' ', 1)
split_part(s, 'b', -1)
translate(s, 'abc', 'xy')
ascii(s)
md5(s)
sha256(s)
hex(s)
to_base64(encode(s))
levenshtein(hex(s), 'abcd')
damerau_levenshtein(hex(s), 'abcd')
jaccard(hex(s) || 'x', '616')
jaro_similarity(hex(s) || 'x', '616')
jaro_winkler_similarity(hex(s) || 'x', '616')
hamming(hex(s) || 'x', 'y' || hex(s))
strip_accents(s)
regexp_matches(s, '[a-b]+c')
regexp_extract(s, '([a-z])([a-z])', 2)
regexp_full_match(s, '[a-z ]*')
concat_ws('-', s, 'x')
s || 'x'
s LIKE '%b%'
s ILIKE 'A%'
s NOT LIKE 'a_%c'
nullif(i, k)
coalesce(s, 'none')
CASE WHEN k > 0 THEN i / k END
year(t)
month(t)
day(t)
quarter(t)
hour(t)
minute(t)
second(t)
dayofyear(t)
weekofyear(t)
isodow(t)
century(t)
decade(t)
dayname(t)
monthname(t)
last_day(t)
date_trunc('month', t)
date_trunc('week', t)
date_trunc('hour', t)
date_diff('day', t, TIMESTAMP '2020-02-29 12:00:00')
date_diff('month', t, TIMESTAMP '2020-02-29 12:00:00')
date_diff('hour', t, TIMESTAMP '2020-02-29 12:00:00')
strftime(t, '%Y-%m-%d %H:%M:%S %j %a %b %p %I')
strftime(t, '%U %W %u %w %V %G %-d %-m')
epoch_ms(t)
t + INTERVAL 1 MONTH
t - INTERVAL 90 MINUTE
make_date(2000 + k, 1 + k, 28)
t AT TIME ZONE 'Asia/Tokyo' AT TIME ZONE 'UTC'
list_contains(a, 2)
list_position(a, 2)
len(a)
list_sum(a)
list_min(a)
list_max(a)
list_avg(a)
list_median(a)
list_unique(a)
list_has_any(a, [1, 2])
list_first(a)
list_last(a)
a[1]
a[-1]
array_to_string(a, '-')
array_to_string(list_sort(a), '-')
array_to_string(list_reverse(a), '-')
array_to_string(list_reverse_sort(a), '-')
array_to_string(list_append(coalesce(a, [1]), 7), '-')
array_to_string(list_concat(coalesce(a, [1]), [k]), '-')
array_to_string(list_transform(a, lambda x: x + k), '-')
array_to_string(list_transform(a, lambda x, n: x * n), '-')
array_to_string(list_filter(a, lambda x: x > k), '-')
list_reduce(a, lambda p, q: p + q, k)
len(list_slice(a, 2, 3))
len(list_filter(a, lambda x, n: n > 1))
json_valid(j)
json_extract_string(j, '$.a')
json_extract_string(j, '$.b[1]')
json_array_length(j, '$.b')
j ->> '$.a'
j -> 'b' ->> 0
json_exists(j, '$.b')
`), "\n")

// sameAggregates are aggregates that mean the same in both engines.
var sameAggregates = strings.Fields(`count(i) sum(k) avg(d) min(s) max(t) stddev_samp(d) stddev_pop(d) var_samp(d) var_pop(d) skewness(k) kurtosis(k)
	kurtosis_pop(k) sem(k) mad(k) entropy(k) median(d) quantile_cont(d,0.25) quantile_disc(k,0.75) corr(d,k) covar_pop(d,k) covar_samp(d,k) regr_slope(d,k)
	regr_intercept(d,k) regr_r2(d,k) regr_sxx(d,k) regr_syy(d,k) regr_sxy(d,k) regr_avgx(d,k) regr_avgy(d,k) regr_count(d,k) bit_and(k) bit_or(k) bit_xor(k)
	bool_and(k>0) bool_or(k>0) arg_min(k,i) arg_max(k,i) product(1+k/10) geomean(k+1) count_if(k>1) approx_count_distinct(k)`)

// TestFunctions evaluates functions over rows of awkward values in both engines, an error of a row counting as NULL.
func TestFunctions(t *testing.T) {
	e, d := openEbira(t, nil), openDuck(t)
	r := rand.New(rand.NewPCG(11, 11))
	for _, ddl := range []string{"CREATE TABLE f (id INT, i BIGINT, k INT, d DOUBLE, m DECIMAL(12,3), s VARCHAR, t %s, a %s, j VARCHAR)"} {
		e.must(t, ddl, "DATETIME", "ARRAY<INT>")
		d.must(t, ddl, "TIMESTAMP", "INT[]")
	}
	g := &generator{Rand: r}
	or := func(s string) string {
		if r.IntN(8) == 0 {
			return "NULL"
		}
		return s
	}
	var values []string
	for id := range 300 {
		var elems []string
		for range r.IntN(4) {
			elems = append(elems, or(fmt.Sprint(r.IntN(4))))
		}
		array := "[" + strings.Join(elems, ", ") + "]"
		if strings.Trim(array, "[]NUL, ") == "" {
			array = "[1]"
		}
		values = append(values, fmt.Sprintf("(%d, %s, %s, %s, %s, %s, %s, %s, %s)", id,
			or(pick(g, "0", "1", "-1", "12", "-128", "32767", "1234567890123", "9223372036854775807", "-9223372036854775807", fmt.Sprint(r.IntN(1000)))),
			fmt.Sprint(r.IntN(5)),
			or(pick(g, "0.0", "0.5", "-0.5", "1.5", "2.5", "-2.5", "1e9", "123456.789", "-1e-5", fmt.Sprint(r.NormFloat64()*100))),
			or(pick(g, "0", "0.005", "-1.500", "2.250", "999999.999", "12345.678")),
			or(quote(pick(g, "", " a ", "abc", "aabbcc", "Ünïcödé 字", "12", "-7", "3.5", "1e3", "2024-02-29", "a b c", "abd", "x"))),
			or(fmt.Sprintf("TIMESTAMP '%04d-%02d-%02d %02d:%02d:%02d'", 1900+r.IntN(200), 1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60))),
			or(array), or(quote(pick(g, `{"a":"x","b":[1,2]}`, `{"a":5}`, `[1,"a"]`, `{"b":["q"]}`, `7`)))))
	}
	insert := "INSERT INTO f VALUES " + strings.Join(values, ", ")
	e.must(t, "%s", insert)
	d.must(t, "%s", insert)
	compare := func(text string) {
		mine, errMine := e.query(text)
		theirs, errTheirs := d.query(text)
		if errMine != nil || errTheirs != nil {
			t.Errorf("%s\n ebira: %v\n duckdb: %v", text, errMine, errTheirs)
			return
		}
		if diff := sameRows(mine, theirs); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
	}
	for _, call := range sameFunctions {
		compare(fmt.Sprintf("SELECT id, TRY(%s) FROM f", call))
	}
	for _, call := range sameAggregates {
		compare(fmt.Sprintf("SELECT %s FROM f", call))
		compare(fmt.Sprintf("SELECT id %% 7, %s FROM f GROUP BY id %% 7", call))
	}
}
