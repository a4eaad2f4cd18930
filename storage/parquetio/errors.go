package parquetio

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// corrupt makes an error of kind Corrupt.
func corrupt(format string, args ...any) error { return sqlerr.New(sqlerr.Corrupt, format, args...) }

// unsupported makes an error of kind Unsupported.
func unsupported(format string, args ...any) error {
	return sqlerr.New(sqlerr.Unsupported, format, args...)
}

// asCorrupt gives err, which came from decoding bytes, the kind Corrupt unless it has a kind already.
func asCorrupt(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*sqlerr.Error](err); ok {
		return sqlerr.Wrap(e.Kind, err, format, args...)
	}
	return sqlerr.Wrap(sqlerr.Corrupt, err, format, args...)
}

// guard turns a panic of a decoder into an error of kind Corrupt; it is deferred at every entry that reads foreign bytes.
// A panic that starts with BUG: is ours and goes on.
func guard(err *error, what string) {
	switch p := recover().(type) {
	case nil:
	case runtime.Error:
		*err = sqlerr.Wrap(sqlerr.Corrupt, p, "%s", what)
	case error:
		*err = sqlerr.Wrap(sqlerr.Corrupt, p, "%s", what)
	case string:
		if len(p) >= 4 && p[:4] == "BUG:" {
			panic(p)
		}
		*err = corrupt("%s: %s", what, p)
	default:
		*err = corrupt("%s: %s", what, fmt.Sprint(p))
	}
}
