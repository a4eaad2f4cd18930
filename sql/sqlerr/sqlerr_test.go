package sqlerr

import (
	"errors"
	"fmt"
	"testing"
)

func TestRender(t *testing.T) {
	sql := "SELECT a,\n\tb FROM t"
	f := func(err error, want string) {
		t.Helper()
		if got := Render(err, sql); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	f(New(NotFound, "table %s does not exist", "t"), "not found: table t does not exist")
	f(At(NotFound, 11, "column b does not exist"), "not found: column b does not exist (line 2, column 2)\n b FROM t\n ^")
	f(At(Syntax, 7, "x"), "syntax error: x (line 1, column 8)\nSELECT a,\n       ^")
	f(At(Syntax, 999, "behind the end"), "syntax error: behind the end")
}

func TestCauses(t *testing.T) {
	f := func(err error, want string) {
		t.Helper()
		if got := err.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	cause := errors.New("disk on fire")
	f(Wrap(IO, cause, "write file"), "i/o error: write file: disk on fire")
	f(Wrap(IO, Wrap(IO, cause, "write file"), "commit"), "i/o error: commit: write file: disk on fire")
	f(Wrap(Corrupt, New(Corrupt, "no footer"), "file a"), "corrupt data: file a: no footer")
	f(Wrap(IO, New(Corrupt, "no footer"), "file a"), "i/o error: file a: corrupt data: no footer")
}

func TestKindAndPlace(t *testing.T) {
	cause := errors.New("disk on fire")
	err := fmt.Errorf("while loading: %w", Wrap(IO, cause, "write file"))
	if KindOf(err) != IO || !errors.Is(err, cause) || KindOf(cause) != Internal {
		t.Errorf("kinds: %v, %v", KindOf(err), KindOf(cause))
	}
	if _, ok := Place(err); ok {
		t.Error("an error without a place has one")
	}
	placed := WithPlace(New(Bind, "x"), 4)
	if off, ok := Place(placed); !ok || off != 4 {
		t.Errorf("place %d, %v", off, ok)
	}
	if off, _ := Place(WithPlace(placed, 9)); off != 4 {
		t.Errorf("the first place was replaced by %d", off)
	}
	if WithPlace(nil, 3) != nil {
		t.Error("nil got a place")
	}
}
