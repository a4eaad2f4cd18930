package flightsrv

import (
	"fmt"
	"sort"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/types"
)

// bitmask is an info value that drivers read from the int32_bitmask child of the union, whatever its meaning.
type bitmask int32

// convertMap is the value of the info about conversions.
type convertMap map[int32][]int32

// Children of the value union of GetSqlInfo.
const (
	childString = iota
	childBool
	childBigint
	childBitmask
	childList
	childMap
)

// sqlInfo returns all infos of the standard. The Go type of a value decides its union child: string, bool, int64, bitmask, []string,
// convertMap; drivers read the child without asking which it is (FS-60).
func (s *Server) sqlInfo() map[uint32]any {
	info := map[uint32]any{
		0: "Ebira", 1: s.opts.Version, 2: arrow.PkgVersion,
		3: false, 4: true, 5: false, 6: "", 7: "", // read-only, SQL, Substrait
		8: bitmask(1), 9: true, 10: true, 11: true, // transactions but no savepoints, cancel, bulk ingest, ingest in transactions
		100: bitmask(0), 101: bitmask(0),

		500: false, 501: true, 502: true, // CREATE of catalogs, schemas, tables
		503: int64(1), 504: `"`, 505: int64(0), // names without regard to case; quoted ones as written
		506: true, 507: int64(3), // all tables selectable; NULLs last
		508: keywords,
		513: `\`, 514: "", 515: true, 516: true, 517: conversions(),
		518: true, 519: false, 520: true, 521: true,
		522: bitmask(3), 523: true, 524: true,
		525: bitmask(3), 526: bitmask(1), 527: false, 528: bitmask(6),
		529: "schema", 530: "procedure", 531: "catalog", 532: true,
		533: bitmask(0), 534: bitmask(0), 535: bitmask(0), 536: false, 537: false,
		538: bitmask(7), 539: true, 540: bitmask(3),
		556: true, 562: int64(repeatableRead), 563: true, 564: bitmask(1 << repeatableRead), 565: false, 566: false,
		567: bitmask(2), 568: bitmask(0), 569: bitmask(2), 570: bitmask(0), 571: bitmask(0),
		572: true, 573: false, 574: false, 575: false, 576: false,
	}
	// Limits, where 0 means none or unknown.
	for id := uint32(541); id <= 561; id++ {
		if id != 556 {
			info[id] = int64(0)
		}
	}
	for _, id := range []uint32{543, 552, 554, 559, 561} {
		info[id] = int64(maxNameLength)
	}
	info[557] = int64(maxCommandBytes)
	for id, list := range functionLists() {
		info[id] = list
	}
	return info
}

// repeatableRead is the standard's isolation level that comes nearest to a snapshot.
const repeatableRead = 3

// maxNameLength bounds names of databases, tables, columns and users.
const maxNameLength = 255

// keywords are the words that are special here and not in SQL-92.
var keywords = []string{"ARRAY", "BITMAP", "BUCKETS", "COMMENT", "COPY", "DATABASES", "DISTRIBUTED", "ENGINE", "EXPLAIN", "EXPLODE", "FILE_FORMAT",
	"FILES", "FLUSH", "FORCE", "JSON", "KILL", "LARGEINT", "LATERAL", "LIMIT", "MAP", "MATCH", "OFFSET", "PATTERN", "PROPERTIES", "PURGE", "QUALIFY",
	"REGEXP", "RLIKE", "SHOW", "STAGE", "STRUCT", "TABLES", "TRUNCATE", "TRY_CAST", "USE", "VARIABLES", "VARIANT", "VIEW"}

// functionLists sorts the functions into the lists that JDBC knows.
func functionLists() map[uint32][]string {
	const numeric, text, system, times = 509, 510, 511, 512
	lists := map[uint32][]string{numeric: nil, text: nil, system: nil, times: nil}
	groups := map[string]uint32{"number": numeric, "text": text, "system": system, "time": times}
	seen := map[string]bool{}
	for _, f := range function.Names() {
		if id, ok := groups[f.Group]; ok && !seen[f.Name] {
			seen[f.Name] = true
			lists[id] = append(lists[id], f.Name)
		}
	}
	return lists
}

// conversions tells which casts exist, in the type codes of the standard.
func conversions() convertMap {
	samples := map[int32]types.Type{
		0: types.Of(types.BigInt), 1: types.Of(types.Binary), 2: types.Of(types.Boolean), 3: types.Of(types.Varchar), 4: types.Of(types.Date),
		5: types.DecimalOf(38, 9), 6: types.Of(types.Double), 7: types.Of(types.Int), 11: types.Of(types.Varchar), 12: types.DecimalOf(38, 9),
		13: types.Of(types.Float), 14: types.Of(types.SmallInt), 15: types.Of(types.Time), 16: types.Of(types.DateTime), 17: types.Of(types.TinyInt),
		18: types.Of(types.Binary), 19: types.Of(types.Varchar),
	}
	m := convertMap{}
	for from, f := range samples {
		for to, t := range samples {
			if function.CanCast(f, t) != function.No {
				m[from] = append(m[from], to)
			}
		}
		sort.Slice(m[from], func(i, j int) bool { return m[from][i] < m[from][j] })
	}
	return m
}

// fillSQLInfo answers the ids asked for, or all, in ascending order. Unknown ids are left out (FS-10).
func (s *Server) fillSQLInfo(b *array.RecordBuilder, asked []uint32) {
	all := s.sqlInfo()
	ids := make([]uint32, 0, len(all))
	if len(asked) == 0 {
		for id := range all {
			ids = append(ids, id)
		}
	}
	seen := map[uint32]bool{}
	for _, id := range asked {
		if _, ok := all[id]; ok && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
	for _, id := range ids {
		b.Field(0).(*array.Uint32Builder).Append(id)
		appendInfo(b.Field(1).(*array.DenseUnionBuilder), all[id])
	}
}

// appendInfo appends a value to the union.
func appendInfo(u *array.DenseUnionBuilder, v any) {
	switch v := v.(type) {
	case string:
		u.Append(childString)
		u.Child(childString).(*array.StringBuilder).Append(v)
	case bool:
		u.Append(childBool)
		u.Child(childBool).(*array.BooleanBuilder).Append(v)
	case int64:
		u.Append(childBigint)
		u.Child(childBigint).(*array.Int64Builder).Append(v)
	case bitmask:
		u.Append(childBitmask)
		u.Child(childBitmask).(*array.Int32Builder).Append(int32(v))
	case []string:
		u.Append(childList)
		l := u.Child(childList).(*array.ListBuilder)
		l.Append(true)
		for _, t := range v {
			l.ValueBuilder().(*array.StringBuilder).Append(t)
		}
	case convertMap:
		u.Append(childMap)
		appendMap(u.Child(childMap).(*array.MapBuilder), v)
	default:
		panic(fmt.Sprintf("BUG: an info value is a %T", v))
	}
}

func appendMap(b *array.MapBuilder, m convertMap) {
	keys := make([]int32, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return keys[i] < keys[j] })
	b.Append(true)
	items := b.ItemBuilder().(*array.ListBuilder)
	for _, k := range keys {
		b.KeyBuilder().(*array.Int32Builder).Append(k)
		items.Append(true)
		items.ValueBuilder().(*array.Int32Builder).AppendValues(m[k], nil)
	}
}
