package bind_test

import (
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/bind"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
)

func TestType(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		n, err := parse.ParseType(in)
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		got, err := bind.Type(n)
		if err != nil {
			t.Errorf("%s: %v", in, err)
		} else if got.String() != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
	f("bool", "BOOLEAN")
	f("int(11)", "INT")
	f("Integer", "INT")
	f("int8", "BIGINT")
	f("largeint", "LARGEINT")
	f("real", "FLOAT")
	f("double precision", "DOUBLE")
	f("decimal", "DECIMAL(38, 9)")
	f("decimal(5)", "DECIMAL(5, 0)")
	f("decimalv3(76, 76)", "DECIMAL(76, 76)")
	f("numeric(12,2)", "DECIMAL(12, 2)")
	f("varchar", "VARCHAR")
	f("varchar(10)", "VARCHAR(10)")
	f("char(3)", "VARCHAR(3)")
	f("string", "VARCHAR")
	f("text", "VARCHAR")
	f("datev2", "DATE")
	f("datetime", "DATETIME")
	f("datetimev2(3)", "DATETIME(3)")
	f("timestamp(0)", "DATETIME(0)")
	f("timestamp with time zone", "TIMESTAMPTZ")
	f("ipv4", "IPV4")
	f("jsonb", "JSON")
	f("array<array<int>>", "ARRAY<ARRAY<INT>>")
	f("map<string, int>", "MAP<VARCHAR,INT>")
	f("struct<a: int, b: array<text>>", "STRUCT<a:INT,b:ARRAY<VARCHAR>>")
	f("variant", "VARIANT")
	f("variant<'a.*': decimal(9,3), MATCH_NAME 'b': array<int> comment 'c'>", "VARIANT<'a.*' : DECIMAL(9, 3), MATCH_NAME 'b' : ARRAY<INT> COMMENT 'c'>")
	f(`variant<'x': int, properties("variant_max_subcolumns_count" = "10")>`, `VARIANT<'x' : INT, PROPERTIES ("variant_max_subcolumns_count" = "10")>`)
	f(`variant<properties('variant_enable_doc_mode' = 'true', 'variant_doc_hash_shard_count' = '64')>`,
		`VARIANT<PROPERTIES ("variant_enable_doc_mode" = "true", "variant_doc_hash_shard_count" = "64")>`)
}

func TestTypeErrors(t *testing.T) {
	f := func(in string, kind sqlerr.Kind, want string) {
		t.Helper()
		n, err := parse.ParseType(in)
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		_, err = bind.Type(n)
		if err == nil {
			t.Errorf("%s is accepted", in)
			return
		}
		if _, ok := sqlerr.Place(err); !ok || sqlerr.KindOf(err) != kind || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s with %q and a place", in, err, kind, want)
		}
	}
	f("decimal(77, 2)", sqlerr.OutOfRange, "between 1 and 76")
	f("decimal(5, 6)", sqlerr.OutOfRange, "scale")
	f("datetime(7)", sqlerr.OutOfRange, "between 0 and 6")
	f("varchar(0)", sqlerr.OutOfRange, "length")
	f("string(5)", sqlerr.Type, "takes no parameter")
	f("int unsigned", sqlerr.Unsupported, "unsigned")
	f("hll", sqlerr.Unsupported, "HLL")
	f("foo", sqlerr.Bind, "unknown type FOO")
	f("array<variant>", sqlerr.Unsupported, "cannot be nested")
	f("variant<'a': json>", sqlerr.Type, "unsupported sub-type: JSON")
	f("variant<'a': varchar(5)>", sqlerr.Type, "unsupported sub-type")
	f("variant<'a': array<array<int>>>", sqlerr.Type, "unsupported sub-type")
	f("variant<'a': map<string,int>>", sqlerr.Type, "unsupported sub-type")
	f("variant<'a': int, 'a': string>", sqlerr.Bind, "duplicate field name a")
	f(`variant<properties("variant_max_subcolumns_count" = "10001")>`, sqlerr.OutOfRange, "between 0 and 10000")
	f(`variant<properties("variant_max_subcolumns_count" = "x")>`, sqlerr.Bind, "format error")
	f(`variant<properties("foo" = "1")>`, sqlerr.Bind, "unknown VARIANT property foo")
	f(`variant<properties("variant_enable_flatten_nested" = "true")>`, sqlerr.Unsupported, "variant_enable_nested_group")
	f(`variant<properties("variant_enable_doc_mode" = "true", "variant_max_subcolumns_count" = "1")>`, sqlerr.Bind, "cannot be set together")
	f(`variant<properties("variant_enable_doc_mode" = "true", "variant_enable_nested_group" = "true")>`, sqlerr.Bind, "cannot both be true")
	f(`variant<properties("variant_enable_nested_group" = "true", "variant_max_subcolumns_count" = "5")>`, sqlerr.Bind, "cannot be true when")
	f(`variant<'a': date, properties("variant_enable_doc_mode" = "true")>`, sqlerr.Type, "numbers, strings and arrays")
}
