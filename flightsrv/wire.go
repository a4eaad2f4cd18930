package flightsrv

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
)

// dbSchemaNameKey is the key of the Flight SQL specification for the schema of a column; arrow libraries read flightsql.SchemaNameKey
// instead, so both are written (FS-68).
const dbSchemaNameKey = "ARROW:FLIGHT:SQL:DB_SCHEMA_NAME"

// schema is the schema under which a result travels, with the SQL types in the fields' metadata. A statement without
// result rows has a schema without fields (FS-25).
func (o *wireOptions) schema(s types.Schema) *arrow.Schema {
	fields := o.arrow.Schema(s).Fields()
	for i := range fields {
		fields[i].Metadata = fieldMetadata(s[i])
	}
	return arrow.NewSchema(fields, nil)
}

// precisions are the decimal digits of the number types.
var precisions = map[types.Kind]int{types.TinyInt: 3, types.SmallInt: 5, types.Int: 10, types.BigInt: 19, types.LargeInt: 39, types.Float: 7, types.Double: 15}

// fieldMetadata tells what clients want to know of a column beyond its Arrow type. Columns of expressions have no table.
func fieldMetadata(f types.Field) arrow.Metadata {
	keys := []string{flightsql.TypeNameKey}
	values := []string{f.Type.Kind.String()}
	add := func(k, v string) {
		keys = append(keys, k)
		values = append(values, v)
	}
	if f.Table != "" {
		add(flightsql.CatalogNameKey, catalog.CatalogName)
		add(flightsql.SchemaNameKey, f.Database)
		add(dbSchemaNameKey, f.Database)
		add(flightsql.TableNameKey, f.Table)
	}
	switch t := f.Type; {
	case t.Kind == types.Decimal:
		add(flightsql.PrecisionKey, strconv.Itoa(int(t.Precision)))
		add(flightsql.ScaleKey, strconv.Itoa(int(t.Scale)))
	case t.IsNumeric():
		add(flightsql.PrecisionKey, strconv.Itoa(precisions[t.Kind]))
		if t.IsInteger() {
			add(flightsql.ScaleKey, "0")
		}
	case t.IsTemporal() && t.Kind != types.Date:
		add(flightsql.PrecisionKey, strconv.Itoa(int(t.Precision)))
	case t.Kind == types.Varchar && t.Length > 0:
		add(flightsql.PrecisionKey, strconv.Itoa(int(t.Length)))
	}
	add(flightsql.IsAutoIncrementKey, "0")
	add(flightsql.IsCaseSensitiveKey, digit(f.Type.Kind == types.Varchar || f.Type.IsVariant()))
	add(flightsql.IsReadOnlyKey, digit(f.Table == ""))
	add(flightsql.IsSearchableKey, "1")
	if f.Comment != "" {
		add(flightsql.RemarksKey, f.Comment)
	}
	return arrow.NewMetadata(keys, values)
}

func digit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
