package stage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/vfs"
)

func TestList(t *testing.T) {
	fsys := vfs.NewMem()
	for _, n := range []string{"b.json", "a/ab.json", "a/ab/x.json", "a/_hidden/y.json", "a/.git/z", "_SUCCESS", ".x", "a/b.crc", "ab", "c/d/e/f"} {
		put(t, fsys, n, []byte("12"))
	}
	f := func(prefix string, want string) {
		t.Helper()
		files, err := List(fsys, "/stage", prefix)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, x := range files {
			names = append(names, x.Name)
			if x.Path != "/stage/"+x.Name || x.Size != 2 {
				t.Errorf("%+v", x)
			}
		}
		equal(t, "prefix "+prefix, strings.Join(names, " "), want)
	}
	f("", "a/ab.json a/ab/x.json a/b.crc ab b.json c/d/e/f")
	f("a", "a/ab.json a/ab/x.json a/b.crc ab")
	f("a/", "a/ab.json a/ab/x.json a/b.crc")
	f("a/ab", "a/ab.json a/ab/x.json")
	f("a/ab/x.json", "a/ab/x.json")
	f("c/d", "c/d/e/f")
	f("nothing", "")
	files, err := List(fsys, "/nowhere", "")
	equal(t, "no folder", len(files), 0)
	equal(t, "no folder", message(err), "")
}

// TestLinks: links are neither listed nor opened, even if one takes the place of a listed file.
func TestLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret.ndjson")
	if err := os.WriteFile(secret, []byte("{\"n\":1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.ndjson"), []byte("{\"n\":1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"link.ndjson", "folder"} {
		to := secret
		if n == "folder" {
			to = outside
		}
		if err := os.Symlink(to, filepath.Join(dir, n)); err != nil {
			t.Skip(err)
		}
	}
	files, err := List(vfs.OS, dir, "")
	if err != nil || len(files) != 1 || files[0].Name != "a.ndjson" {
		t.Fatal(files, err)
	}
	if err := os.Remove(files[0].Path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, files[0].Path); err != nil {
		t.Fatal(err)
	}
	_, err = Open(vfs.OS, files[0], lines(intColumn), NewReport(files, OnError{}))
	equal(t, "kind", sqlerr.KindOf(err), sqlerr.IO)
}

func TestMatch(t *testing.T) {
	f := func(pattern, name string, want bool) {
		t.Helper()
		m, err := Match(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if m(name) != want {
			t.Errorf("%s matches %s: %v", pattern, name, !want)
		}
	}
	f("x.*", "x1", true)
	f("x.*", "dir/x1", false)
	f("a|b", "a", true)
	f("a|b", "ab", false)
	f(".*[.]json", "d/e.json", true)
	f(".*[.]json", "e.json.gz", false)
	f("(?i)A", "a", true)
	_, err := Match("a)(b")
	equal(t, "error", message(err), "bind error: the pattern is no regular expression: error parsing regexp: unexpected ): `a)(b`")
	_, err = Match(strings.Repeat("a", 20_000))
	equal(t, "error", message(err), "bind error: the pattern is longer than 10000 bytes")
}

func TestParseFormat(t *testing.T) {
	opt := func(name, text string) Option { return Option{Name: name, Text: text, Pos: 7} }
	f := func(want string, opts ...Option) {
		t.Helper()
		got, err := ParseFormat(opts)
		if err != nil {
			if pos, ok := sqlerr.Place(err); !ok || pos != 7 {
				t.Errorf("%v points at %d", err, pos)
			}
			equal(t, "error", "!"+message(err), want)
			return
		}
		equal(t, "format", sprint(got), want)
	}
	f("{Type:PARQUET Compression:AUTO Missing:0 NullDefault:false NullIf:[] RawIntegers:false}")
	f("{Type:NDJSON Compression:GZIP Missing:2 NullDefault:true NullIf:[a b] RawIntegers:false}", opt("missing_field_as", "field_default"), opt("type", "ndjson"),
		opt("COMPRESSION", "gzip"), opt("NULL_FIELD_AS", "FIELD_DEFAULT"), Option{Name: "NULL_IF", List: []string{"a", "b"}, Pos: 7})
	f("{Type:PARQUET Compression:SNAPPY Missing:1 NullDefault:false NullIf:[] RawIntegers:true}", opt("TYPE", "Parquet"), opt("MISSING_FIELD_AS", "NULL"),
		opt("USE_LOGIC_TYPE", "false"), opt("COMPRESSION", "snappy"))
	f(`!bind error: MISSING_FIELD_AS is ERROR, NULL or FIELD_DEFAULT, not "TYPE_DEFAULT"`, opt("MISSING_FIELD_AS", "TYPE_DEFAULT"))
	f(`!bind error: NULL_FIELD_AS is NULL or FIELD_DEFAULT, not "ERROR"`, opt("TYPE", "NDJSON"), opt("NULL_FIELD_AS", "ERROR"))
	f("!bind error: PARQUET files have no option NULL_FIELD_AS; known are TYPE, MISSING_FIELD_AS, NULL_IF, USE_LOGIC_TYPE, COMPRESSION", opt("NULL_FIELD_AS", "NULL"))
	f("!bind error: NDJSON files have no option COLOUR; known are TYPE, MISSING_FIELD_AS, NULL_FIELD_AS, NULL_IF, COMPRESSION", opt("TYPE", "NDJSON"), opt("colour", "red"))
	f("!unsupported: files of type CSV are not supported; TYPE is PARQUET or NDJSON", opt("TYPE", "csv"))
	f(`!bind error: TYPE is PARQUET or NDJSON, not "xyz"`, opt("TYPE", "xyz"))
	f(`!unsupported: compression XZ is not supported; known are AUTO, NONE, GZIP, ZSTD and BZ2`, opt("TYPE", "NDJSON"), opt("COMPRESSION", "xz"))
	f(`!bind error: COMPRESSION is AUTO, NONE, ZSTD or SNAPPY, not "GZIP"`, opt("COMPRESSION", "GZIP"))
	f("!bind error: option TYPE is given twice", opt("TYPE", "NDJSON"), opt("type", "NDJSON"))
}

func TestFold(t *testing.T) {
	f := func(a, b string) {
		t.Helper()
		if (fold(a) == fold(b)) != strings.EqualFold(a, b) {
			t.Errorf("%q and %q fold to %q and %q", a, b, fold(a), fold(b))
		}
	}
	f("City", "cITY")
	f("straße", "STRASSE")
	f("K", "\u212a") // the Kelvin sign
	f("ſ", "S")
	f("é", "É")
	f("a_1", "A_1")
	f("a", "b")
}
