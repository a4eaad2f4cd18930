package flightsrv

import (
	"errors"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ebira-db/ebira/sql/types"
)

// This file is the only place where single client products are treated in their own way.

// plainParameters are the types that Go's database/sql driver can check its values against.
var plainParameters = map[arrow.Type]bool{arrow.INT64: true, arrow.FLOAT64: true, arrow.STRING: true, arrow.BOOL: true}

// hidesParameters tells whether a client is better off without a parameter schema: Go's database/sql driver refuses values for
// parameters of all types but four when it knows their types (FS-50).
func hidesParameters(agent string, s *arrow.Schema) bool {
	if !strings.Contains(agent, "grpc-go/") || strings.Contains(agent, "ADBC") {
		return false
	}
	for _, f := range s.Fields() {
		if !plainParameters[f.Type.ID()] {
			return true
		}
	}
	return false
}

// prepareError keeps the message of an error from being lost: Python's DBAPI takes Unimplemented for a server that cannot prepare, goes on
// to bind the values all the same, and reports that instead. Only statements that may have values to bind are concerned.
func prepareError(err error, sql string) error {
	var known *statusError
	if !errors.As(err, &known) || known.Code() != codes.Unimplemented || !strings.ContainsAny(sql, "?$:") {
		return err
	}
	return &statusError{status.New(codes.InvalidArgument, known.Message()), known.kind}
}

// timesAreInstants tells whether times of day are really moments: Go's database/sql driver sends time.Time as nanoseconds since 1970 in
// a time-of-day column (FS-51).
func timesAreInstants(a *array.Time64, want types.Type) bool {
	if a.DataType().(*arrow.Time64Type).Unit != arrow.Nanosecond || !isInstant(want) {
		return false
	}
	const day = 86_400_000_000_000
	for i := range a.Len() {
		if v := int64(a.Value(i)); !a.IsNull(i) && v >= 0 && v < day {
			return false
		}
	}
	return true
}
