package session

import (
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// settingKind is the kind of value that a setting takes.
type settingKind uint8

const (
	boolSetting settingKind = iota
	intSetting
	textSetting
)

// setting describes one variable of SET and SHOW VARIABLES.
type setting struct {
	name    string
	kind    settingKind
	initial string
	// low and high bound integers.
	low, high int64
	// words, if not empty, are the texts that are allowed.
	words []string
	// global settings belong to the server and are changed by SET GLOBAL only.
	global bool
	note   string
}

// settings lists all variables by name. Results never depend on the layout ones.
var settings = indexSettings([]setting{
	{name: "time_zone", kind: textSetting, initial: "UTC", note: "time zone of now(), of DATETIME made from instants and of text without offset"},
	{name: "describe_extend_variant_column", kind: boolSetting, initial: "false", note: "DESC lists the paths of VARIANT columns"},
	{name: "variant_total_order", kind: boolSetting, initial: "false", note: "bare VARIANT values may be compared, grouped and sorted"},
	{name: "variant_invalid_json", kind: textSetting, initial: "error", words: []string{"error", "string"}, note: "text that is not JSON, written to a VARIANT: an error, or kept as a string"},
	{name: "numeric_cast_option", kind: textSetting, initial: "error", words: []string{"error", "rounding"}, note: "a fraction loaded into an integer column: a bad row, or rounded"},
	{name: "load_file_metadata_expire_hours", kind: intSetting, initial: "24", low: 0, high: 1 << 20, note: "how long COPY remembers loaded files"},
	{name: "cte_max_recursion_depth", kind: intSetting, initial: "100000", low: 0, high: 1 << 31, note: "how often the recursive part of WITH RECURSIVE may run"},
	{name: "query_timeout", kind: intSetting, initial: "0", low: 0, high: 1 << 31, note: "seconds after which a statement is canceled, 0 for never"},
	{name: "idle_transaction_timeout", kind: intSetting, initial: "3600", low: 0, high: 1 << 31, note: "seconds without a statement after which a transaction that holds a state is rolled back, 0 for never"},
	{name: "max_query_memory", kind: intSetting, initial: "0", low: 0, high: 1 << 50, note: "bytes of memory of a query before it spills to disk, 0 for 60 % of the server's limit"},
	{name: "force_spill", kind: boolSetting, initial: "false", note: "operators spill after a few batches, for tests"},
	{name: "max_threads", kind: intSetting, initial: "0", low: 0, high: 1024, note: "workers of a query, 0 for the server's number"},
	{name: "batch_rows", kind: intSetting, initial: "0", low: 0, high: 65536, note: "rows of a batch, 0 for the built-in number"},
	{name: "disabled_optimizer_rules", kind: textSetting, initial: "", note: "names of rewrites not to use, separated by commas, or all"},
	{name: "enable_pruning", kind: boolSetting, initial: "true", note: "skip segments and pages by their statistics"},
	{name: "default_variant_max_subcolumns_count", kind: intSetting, initial: "2048", low: 0, high: 10000, note: "see VARIANT properties"},
	{name: "default_variant_enable_typed_paths_to_sparse", kind: boolSetting, initial: "false", note: "see VARIANT properties"},
	{name: "default_variant_sparse_hash_shard_count", kind: intSetting, initial: "1", low: 0, high: 1024, note: "see VARIANT properties"},
	{name: "default_variant_enable_doc_mode", kind: boolSetting, initial: "false", note: "see VARIANT properties"},
	{name: "default_variant_doc_materialization_min_rows", kind: intSetting, initial: "0", low: 0, high: 1_000_000_000, note: "see VARIANT properties"},
	{name: "default_variant_doc_hash_shard_count", kind: intSetting, initial: "64", low: 0, high: 1024, note: "see VARIANT properties"},
	{name: "default_variant_enable_nested_group", kind: boolSetting, initial: "false", note: "see VARIANT properties"},

	{name: "variant_encoding", kind: textSetting, initial: "json_text", words: []string{"json_text", "arrow_json", "parquet_variant"}, note: "VARIANT results of Flight: JSON text, the same as extension arrow.json (JSON columns too), or extension arrow.parquet.variant"},
	{name: "largeint_encoding", kind: textSetting, initial: "utf8", words: []string{"utf8", "decimal256"}, note: "LARGEINT results of Flight: text or Decimal256(39, 0)"},
	{name: "decimal256_encoding", kind: textSetting, initial: "native", words: []string{"native", "utf8"}, note: "results of Flight with more than 38 digits: Decimal256 or text"},
	{name: "string_encoding", kind: textSetting, initial: "utf8", words: []string{"utf8", "large_utf8", "utf8_view"}, note: "Arrow type of the results of Flight that are text"},
	{name: "ip_encoding", kind: textSetting, initial: "text", words: []string{"text", "native"}, note: "IPV4 and IPV6 results of Flight: text, or UInt32 and FixedSizeBinary(16)"},
	{name: "uuid_encoding", kind: textSetting, initial: "text", words: []string{"text", "arrow_uuid"}, note: "UUID results of Flight: text or extension arrow.uuid"},
	{name: "timestamp_unit", kind: textSetting, initial: "us", words: []string{"us", "ms", "ns"}, note: "unit of DATETIME and TIMESTAMPTZ results of Flight; ms cuts the rest off, ns fails beyond the years 1678 to 2261"},
	{name: "timestamptz_zone", kind: textSetting, initial: "utc", words: []string{"utc", "session"}, note: "zone that TIMESTAMPTZ results of Flight name: UTC, or time_zone"},
	{name: "interval_encoding", kind: textSetting, initial: "text", words: []string{"text", "native"}, note: "INTERVAL results of Flight: text or MonthDayNano"},
	{name: "nested_encoding", kind: textSetting, initial: "native", words: []string{"native", "json_text"}, note: "ARRAY, MAP and STRUCT results of Flight: nested Arrow types or JSON text"},
	{name: "dictionary", kind: boolSetting, initial: "false", note: "VARCHAR results of Flight as dictionaries"},
	{name: "ipc_compression", kind: textSetting, initial: "none", words: []string{"none", "lz4", "zstd"}, note: "compression of the results of Flight"},
	{name: "batch_bytes", kind: intSetting, initial: "2097152", low: 1 << 10, high: 16 << 20, note: "largest message of a result of Flight with more than one row"},

	{name: "segment_cache_memory_percentage", kind: intSetting, initial: "20", low: 0, high: 80, global: true, note: "share of the memory limit for segment metadata"},
	{name: "vertical_compaction_num_columns_per_group", kind: intSetting, initial: "500", low: 1, high: 100_000, global: true, note: "columns that compaction merges at a time"},
	{name: "max_cumu_compaction_threads", kind: intSetting, initial: "1", low: 1, high: 1024, global: true, note: "compactions that run at once"},
	{name: "variant_nested_group_max_depth", kind: intSetting, initial: "10", low: 1, high: 100, global: true, note: "depth of arrays that Nested Group follows"},
	{name: "max_spill_bytes", kind: intSetting, initial: "0", low: 0, high: 1 << 60, global: true, note: "bytes on disk of all queries that spill, 0 for nine tenths of what is free"},
	{name: "group_commit_interval_ms", kind: intSetting, initial: "10000", low: 1, high: 1 << 31, global: true, note: "how long small writes wait before they become a segment; they are visible at once"},
	{name: "group_commit_data_bytes", kind: intSetting, initial: "67108864", low: 1, high: 1 << 40, global: true, note: "how many bytes of small writes wait before they become a segment"},
})

func indexSettings(list []setting) map[string]*setting {
	m := make(map[string]*setting, len(list))
	for i := range list {
		m[list[i].name] = &list[i]
	}
	return m
}

// settingNames returns all names in order.
func settingNames() []string {
	var names []string
	for n := range settings {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// settingAliases are names that users of other systems try first.
var settingAliases = map[string]string{"statement_timeout": "query_timeout", "timezone": "time_zone", "threads": "max_threads"}

// findSetting looks a variable up without regard to case; a miss proposes the nearest name.
func findSetting(name string) (*setting, error) {
	name = strings.ToLower(name)
	if other, ok := settingAliases[name]; ok {
		name = other
	}
	if s, ok := settings[name]; ok {
		return s, nil
	}
	msg := "variable " + name + " does not exist"
	if near := nearest(strings.ToLower(name), settingNames()); near != "" {
		msg += "; did you mean " + near + "?"
	}
	return nil, sqlerr.New(sqlerr.NotFound, "%s", msg)
}

// sessionSetting is findSetting for variables that a session may set.
func sessionSetting(name string) (*setting, error) {
	d, err := findSetting(name)
	if err == nil && d.global {
		return nil, sqlerr.New(sqlerr.Bind, "variable %s belongs to the server: use SET GLOBAL", d.name)
	}
	return d, err
}

// normal checks a value and returns its canonical text.
func (s *setting) normal(value string) (string, error) {
	switch s.kind {
	case boolSetting:
		switch strings.ToLower(value) {
		case "true", "1", "on":
			return "true", nil
		case "false", "0", "off":
			return "false", nil
		}
		return "", sqlerr.New(sqlerr.Conversion, "variable %s takes true or false, not %q", s.name, value)
	case intSetting:
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil || n < s.low || n > s.high {
			return "", sqlerr.New(sqlerr.OutOfRange, "variable %s takes a whole number from %d to %d, not %q", s.name, s.low, s.high, value)
		}
		return strconv.FormatInt(n, 10), nil
	}
	if s.name == "time_zone" {
		_, err := loadZone(value)
		return value, err
	}
	if len(s.words) == 0 {
		return value, nil
	}
	for _, w := range s.words {
		if strings.EqualFold(w, value) {
			return w, nil
		}
	}
	return "", sqlerr.New(sqlerr.Conversion, "variable %s takes %s, not %q", s.name, strings.Join(s.words, " or "), value)
}

// loadZone finds an IANA zone or reads an offset such as +08:00.
func loadZone(name string) (*time.Location, error) {
	if len(name) == 6 && (name[0] == '+' || name[0] == '-') && name[3] == ':' {
		h, err1 := strconv.Atoi(name[1:3])
		m, err2 := strconv.Atoi(name[4:])
		if err1 == nil && err2 == nil && h <= 14 && m < 60 {
			off := (h*60 + m) * 60
			if name[0] == '-' {
				off = -off
			}
			return time.FixedZone(name, off), nil
		}
	}
	z, err := time.LoadLocation(name)
	if err != nil || name == "" || strings.EqualFold(name, "local") {
		return nil, sqlerr.New(sqlerr.NotFound, "time zone %q is unknown: give a name such as Europe/Berlin or an offset such as +08:00", name)
	}
	return z, nil
}

// nearest returns the candidate with the smallest edit distance to name, if it is near enough to be a slip.
func nearest(name string, candidates []string) string {
	best, bestDist := "", len(name)/3+1
	for _, c := range candidates {
		if d := editDistance(name, c); d < bestDist {
			best, bestDist = c, d
		}
	}
	return best
}

func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		prev := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := prev
			if a[i] != b[j] {
				cost = 1 + min(prev, row[j], row[j+1])
			}
			prev, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
