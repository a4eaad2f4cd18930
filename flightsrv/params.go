package flightsrv

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ebira-db/ebira/session"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vec/arrowvec"
)

// maxBoundBytes bounds the values that are bound at once.
const maxBoundBytes = 512 << 20

// parameterType is the Arrow type that a parameter is declared with. Times are declared in milliseconds because the JDBC driver writes
// milliseconds whatever the declared unit (FS-49); what is bound may have any type (FS-48).
func parameterType(t types.Type) arrow.DataType {
	switch t.Kind {
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		return arrow.PrimitiveTypes.Int64
	case types.Float, types.Double:
		return arrow.PrimitiveTypes.Float64
	case types.Decimal:
		if t.Precision > 38 {
			return arrow.BinaryTypes.String
		}
	case types.Time:
		return arrow.FixedWidthTypes.Time32ms
	case types.DateTime:
		return &arrow.TimestampType{Unit: arrow.Millisecond}
	case types.TimestampTZ:
		return &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}
	}
	return new(arrowvec.Options).Type(t)
}

// readParameters reads the rows of values of an upload. given is false if it has none: no data, or, as JDBC sends for statements
// without parameters, an empty batch without columns (FS-43).
func readParameters(p *session.Prepared, in *input) (rows [][]*vec.Vector, given bool, err error) {
	schema, err := in.open()
	if err != nil || schema == nil || schema.NumFields() == 0 {
		if err == nil && schema != nil && len(p.Params) > 0 {
			return nil, false, wrongCount(p, 0)
		}
		return nil, false, err
	}
	if schema.NumFields() != len(p.Params) {
		return nil, false, wrongCount(p, schema.NumFields())
	}
	order := parameterOrder(p, schema)
	var size int64
	for {
		rec, err := in.record()
		if err != nil || rec == nil {
			return rows, true, err
		}
		cols, err := parameterColumns(p, rec, order)
		if err != nil {
			return nil, true, err
		}
		for _, c := range cols {
			size += c.SizeBytes()
		}
		if size > maxBoundBytes {
			return nil, true, sqlerr.New(sqlerr.Resource, "the bound values need more than %d bytes", maxBoundBytes)
		}
		for i := range int(rec.NumRows()) {
			row := make([]*vec.Vector, len(cols))
			for j, c := range cols {
				row[j] = c.Slice(i, i+1)
			}
			rows = append(rows, row)
		}
	}
}

func wrongCount(p *session.Prepared, n int) error {
	return status.Errorf(codes.InvalidArgument, "the statement has %d parameters, %d values were bound", len(p.Params), n)
}

// parameterOrder returns the column of each parameter: by position, unless the columns have exactly the declared names (FS-47).
func parameterOrder(p *session.Prepared, schema *arrow.Schema) []int {
	order := make([]int, len(p.Params))
	for i, name := range p.ParamNames {
		hits := schema.FieldIndices("$" + name)
		if len(hits) != 1 {
			for j := range order {
				order[j] = j
			}
			return order
		}
		order[i] = hits[0]
	}
	return order
}

// parameterColumns converts the columns of a batch of values.
func parameterColumns(p *session.Prepared, rec arrow.RecordBatch, order []int) (cols []*vec.Vector, err error) {
	defer func() { recoveredInput(recover(), &err) }()
	for i, j := range order {
		v, err := parameterColumn(rec.Schema().Field(j), rec.Column(j), p.Params[i])
		if err == nil {
			err = checkValues(v)
		}
		if err != nil {
			return nil, status.Errorf(codes.InvalidArgument, "parameter $%s: %s", p.ParamNames[i], clip(err.Error()))
		}
		cols = append(cols, v)
	}
	return cols, nil
}

// parameterColumn converts the values of one parameter.
func parameterColumn(f arrow.Field, col arrow.Array, want types.Type) (*vec.Vector, error) {
	if a, ok := col.(*array.Time64); ok && timesAreInstants(a, want) {
		return instants(a, want), nil
	}
	v, err := arrowvec.Vector(f, col)
	if err != nil {
		return nil, err
	}
	return session.Adapt(v, want)
}

// instants reads what timesAreInstants has found.
func instants(a *array.Time64, want types.Type) *vec.Vector {
	b := vec.NewBuilder(want, a.Len())
	for i := range a.Len() {
		switch us := floorDiv(int64(a.Value(i)), 1000); {
		case a.IsNull(i):
			b.AppendNull()
		case want.Kind == types.Date:
			vec.Append(b, int32(floorDiv(us, 86_400_000_000)))
		default:
			vec.Append(b, us)
		}
	}
	return b.Finish()
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// instantKinds are the types whose values are moments or days.
var instantKinds = []types.Kind{types.Date, types.DateTime, types.TimestampTZ}

func isInstant(t types.Type) bool { return slices.Contains(instantKinds, t.Kind) }
