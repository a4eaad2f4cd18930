package bind

import (
	"strings"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

// Parameters that a type gets when none are written.
const (
	defaultDecimalPrecision = 38
	defaultDecimalScale     = 9
	// maxTextLength bounds n of CHAR(n) and VARCHAR(n).
	maxTextLength = 1 << 30
	// maxTypeDepth bounds ARRAY, MAP and STRUCT inside one another.
	maxTypeDepth = 32
)

// plainKinds are the type names that mean a kind without more; several spellings lead to one kind.
var plainKinds = map[string]types.Kind{
	"BOOLEAN": types.Boolean, "BOOL": types.Boolean,
	"TINYINT": types.TinyInt, "SMALLINT": types.SmallInt, "INT2": types.SmallInt, "INT16": types.SmallInt,
	"INT": types.Int, "INTEGER": types.Int, "INT4": types.Int, "INT32": types.Int, "SIGNED": types.BigInt,
	"BIGINT": types.BigInt, "INT8": types.BigInt, "INT64": types.BigInt, "LONG": types.BigInt,
	"LARGEINT": types.LargeInt, "HUGEINT": types.LargeInt, "INT128": types.LargeInt,
	"FLOAT": types.Float, "REAL": types.Float, "FLOAT4": types.Float, "FLOAT32": types.Float,
	"DOUBLE": types.Double, "FLOAT8": types.Double, "FLOAT64": types.Double,
	"BINARY": types.Binary, "VARBINARY": types.Binary, "BYTEA": types.Binary, "BLOB": types.Binary, "BYTES": types.Binary,
	"DATE": types.Date, "DATEV2": types.Date, "DATE32": types.Date,
	"INTERVAL": types.Interval, "IPV4": types.IPv4, "IPV6": types.IPv6, "UUID": types.UUID,
	"JSON": types.JSON, "JSONB": types.JSON,
}

// textKinds are the names of text types; the value tells whether a length may follow.
var textKinds = map[string]bool{
	"VARCHAR": true, "CHAR": true, "CHARACTER": true, "NVARCHAR": true, "BPCHAR": true, "STRING": false, "TEXT": false,
	"TINYTEXT": false, "MEDIUMTEXT": false, "LONGTEXT": false, "CLOB": false,
}

var timeKinds = map[string]types.Kind{
	"TIME": types.Time, "TIMEV2": types.Time, "DATETIME": types.DateTime, "DATETIMEV2": types.DateTime, "TIMESTAMP": types.DateTime,
	"TIMESTAMP_NTZ": types.DateTime, "TIMESTAMPTZ": types.TimestampTZ, "TIMESTAMP_TZ": types.TimestampTZ,
}

// decimalKinds are the names of decimals with the largest precision each allows.
var decimalKinds = map[string]int{
	"DECIMAL": types.MaxDecimalPrecision, "NUMERIC": types.MaxDecimalPrecision, "DEC": types.MaxDecimalPrecision,
	"DECIMALV3": types.MaxDecimalPrecision, "NUMBER": types.MaxDecimalPrecision,
	"DECIMAL32": 9, "DECIMAL64": 18, "DECIMAL128": 38, "DECIMAL256": 76,
}

// refusedTypes are names that other systems know, with what to write instead.
var refusedTypes = map[string]string{
	"HLL": "", "BITMAP": "", "QUANTILE_STATE": "", "AGG_STATE": "", "GEOMETRY": "", "GEOGRAPHY": "", "VECTOR": "ARRAY<FLOAT>", "SERIAL": "BIGINT",
	"BIT": "BOOLEAN", "ENUM": "VARCHAR", "DECIMALV2": "DECIMAL(27, 9)", "DATEV1": "DATE", "DATETIMEV1": "DATETIME",
}

// Type gives a written type its meaning, with all limits checked.
func Type(n *parse.TypeName) (types.Type, error) { return bindType(n, 0) }

func bindType(n *parse.TypeName, depth int) (types.Type, error) {
	if depth > maxTypeDepth {
		return types.Type{}, sqlerr.At(sqlerr.Resource, n.Pos(), "type nested more than %d deep", maxTypeDepth)
	}
	if n.Unsigned {
		return types.Type{}, sqlerr.At(sqlerr.Unsupported, n.Pos(), "unsigned integers are not supported; use the next wider signed type")
	}
	switch n.Name {
	case "ARRAY", "MAP", "STRUCT":
		return bindNested(n, depth)
	case "VARIANT":
		return bindVariantType(n)
	}
	if k, ok := plainKinds[n.Name]; ok {
		// A display width such as INT(11) says nothing about values.
		if len(n.Args) > 0 && !(types.Type{Kind: k}).IsNumeric() && k != types.Binary && k != types.Boolean {
			return types.Type{}, sqlerr.At(sqlerr.Type, n.Pos(), "type %s takes no parameter", n.Name)
		}
		return types.Of(k), nil
	}
	if withLength, ok := textKinds[n.Name]; ok {
		return textType(n, withLength)
	}
	if k, ok := timeKinds[n.Name]; ok {
		return timeType(n, k)
	}
	if maxPrecision, ok := decimalKinds[n.Name]; ok {
		return decimalType(n, maxPrecision)
	}
	if instead, ok := refusedTypes[n.Name]; ok {
		hint := ""
		if instead != "" {
			hint = "; use " + instead
		}
		return types.Type{}, sqlerr.At(sqlerr.Unsupported, n.Pos(), "type %s is not supported%s", n.Name, hint)
	}
	return types.Type{}, sqlerr.At(sqlerr.Bind, n.Pos(), "unknown type %s", n.Name)
}

func textType(n *parse.TypeName, withLength bool) (types.Type, error) {
	t := types.Of(types.Varchar)
	switch {
	case len(n.Args) > 1 || len(n.Args) == 1 && !withLength:
		return t, sqlerr.At(sqlerr.Type, n.Pos(), "type %s takes no parameter", n.Name)
	case len(n.Args) == 1:
		if n.Args[0] < 1 || n.Args[0] > maxTextLength {
			return t, sqlerr.At(sqlerr.OutOfRange, n.Pos(), "length of %s must be between 1 and %d", n.Name, maxTextLength)
		}
		t.Length = int32(n.Args[0])
	case n.Name == "CHAR" || n.Name == "CHARACTER":
		t.Length = 1
	}
	return t, nil
}

func timeType(n *parse.TypeName, k types.Kind) (types.Type, error) {
	t := types.Of(k)
	if len(n.Args) > 1 {
		return t, sqlerr.At(sqlerr.Type, n.Pos(), "type %s takes one parameter", n.Name)
	}
	if len(n.Args) == 1 {
		if n.Args[0] < 0 || n.Args[0] > types.MaxTimePrecision {
			return t, sqlerr.At(sqlerr.OutOfRange, n.Pos(), "precision of %s must be between 0 and %d", n.Name, types.MaxTimePrecision)
		}
		t.Precision = uint8(n.Args[0])
	}
	return t, nil
}

func decimalType(n *parse.TypeName, maxPrecision int) (types.Type, error) {
	p, s := min(defaultDecimalPrecision, maxPrecision), 0
	switch len(n.Args) {
	case 0:
		if maxPrecision > defaultDecimalScale {
			s = defaultDecimalScale
		}
	case 1:
		p = n.Args[0]
	case 2:
		p, s = n.Args[0], n.Args[1]
	default:
		return types.Type{}, sqlerr.At(sqlerr.Type, n.Pos(), "type %s takes a precision and a scale", n.Name)
	}
	if p < 1 || p > maxPrecision {
		return types.Type{}, sqlerr.At(sqlerr.OutOfRange, n.Pos(), "precision of %s must be between 1 and %d", n.Name, maxPrecision)
	}
	if s < 0 || s > p {
		return types.Type{}, sqlerr.At(sqlerr.OutOfRange, n.Pos(), "scale of %s must be between 0 and the precision %d", n.Name, p)
	}
	return types.DecimalOf(p, s), nil
}

// bindNested binds ARRAY, MAP and STRUCT. A VARIANT cannot live in them.
func bindNested(n *parse.TypeName, depth int) (types.Type, error) {
	member := func(m *parse.TypeName) (types.Type, error) {
		if m == nil {
			return types.Type{}, sqlerr.At(sqlerr.Type, n.Pos(), "type %s needs element types, as in %s<INT>", n.Name, n.Name)
		}
		t, err := bindType(m, depth+1)
		if err == nil && t.Kind == types.Variant {
			err = sqlerr.At(sqlerr.Unsupported, m.Pos(), "VARIANT cannot be nested inside %s; a VARIANT can hold arrays and objects itself", n.Name)
		}
		return t, err
	}
	switch n.Name {
	case "ARRAY":
		elem, err := member(n.Elem)
		if err != nil {
			return types.Type{}, err
		}
		return types.ArrayOf(elem), nil
	case "MAP":
		key, err := member(n.Key)
		if err != nil {
			return types.Type{}, err
		}
		value, err := member(n.Elem)
		if err != nil {
			return types.Type{}, err
		}
		return types.Type{Kind: types.Map, Fields: []types.Field{{Name: "key", Type: key, NotNull: true}, {Name: "value", Type: value}}}, nil
	}
	t := types.Type{Kind: types.Struct}
	if len(n.Fields) == 0 {
		return t, sqlerr.At(sqlerr.Type, n.Pos(), "type STRUCT needs members, as in STRUCT<a: INT>")
	}
	seen := map[string]bool{}
	for _, f := range n.Fields {
		ft, err := member(f.Type)
		if err != nil {
			return t, err
		}
		if seen[strings.ToLower(f.Name.Name)] {
			return t, sqlerr.At(sqlerr.Bind, f.Name.Pos(), "STRUCT has two members named %s", f.Name.Name)
		}
		seen[strings.ToLower(f.Name.Name)] = true
		field := types.Field{Name: f.Name.Name, Type: ft, NotNull: f.Type.NotNull}
		if f.Comment != nil {
			field.Comment = f.Comment.Value
		}
		t.Fields = append(t.Fields, field)
	}
	return t, nil
}
