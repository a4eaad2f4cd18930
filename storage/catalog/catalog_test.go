package catalog

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/segment"
	"github.com/ebira-db/ebira/vec"
)

func ints(vals ...int64) *vec.Vector { return vec.NewFlat(types.Of(types.BigInt), vals, nil) }

func texts(vals ...string) *vec.Vector {
	b := vec.NewBuilder(types.Of(types.Varchar), len(vals))
	for _, s := range vals {
		b.AppendString(s)
	}
	b.AppendNull()
	return b.Finish()
}

func variants() *vec.Vector {
	b := vec.NewBuilder(types.Of(types.Variant), 3)
	b.AppendVariant([]byte{1, 0, 0}, []byte{0})
	b.AppendNull()
	b.AppendVariant([]byte{1, 0, 0}, []byte{12, 5})
	return b.Finish()
}

func lists() *vec.Vector {
	b := vec.NewBuilder(types.ArrayOf(types.Of(types.Varchar)), 3)
	b.Child(0).AppendString("a text longer than twelve bytes")
	b.Child(0).AppendNull()
	b.CloseList()
	b.AppendNull()
	b.CloseList()
	return b.Finish()
}

func script() []*Edit {
	table := &Table{ID: 1, Database: "default", Name: "t", NextColumn: 3, Columns: []Column{
		{ID: 1, Name: "k", Type: types.Of(types.BigInt), NotNull: true},
		{ID: 2, Name: "v", Type: types.Type{Kind: types.Variant, Variant: &types.VariantSpec{Template: []types.TemplateEntry{{Pattern: "a", Type: types.DecimalOf(38, 9)}}}}, DefaultValue: texts("dflt").Slice(0, 1)},
	}}
	meta := &segment.Meta{ID: 2, File: "2.parquet", Rows: 3, Bytes: 100, Columns: []segment.Column{{ID: 1, Name: "k", Type: types.Of(types.BigInt)}},
		Zones: []segment.ZoneMap{{Min: ints(1), Max: ints(3), Rows: 3}}}
	wider := *table
	wider.Columns = append(wider.Columns[:2:2], Column{ID: 3, Name: "City", Type: types.Of(types.Varchar)})
	wider.NextColumn, wider.SchemaVersion, wider.Evolution = 4, 1, true
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	return []*Edit{
		{Ops: []Op{&CreateTable{table}, &PutDatabase{Name: "logs"}}},
		{Ops: []Op{&AddSegments{1, []*segment.Meta{meta}}}},
		{Ops: []Op{&AddBatch{1, &Batch{ID: 3, Columns: []ColumnID{1, 2, 3}, Data: vec.NewBatch(3, ints(7, 8, 9), variants(), lists())}}}},
		{Ops: []Op{&DeleteRows{1, 2, NewDeletionVector(1)}, &DeleteRows{1, 3, NewDeletionVector(0, 2)}}},
		{Ops: []Op{&AlterTable{&wider, 0}, &AddLoads{1, []LoadEntry{{Key: "s/x", Size: 5, ModTime: at, LoadID: 9, LoadedAt: at}}},
			&AddChanges{[]SchemaChange{{Table: 1, Column: "City", At: at}}}, &AddErrors{[]LoadError{{LoadID: 9, Line: 2, Reason: "bad", At: at}}}}},
		{Ops: []Op{&PutStage{&Stage{ID: 10, Database: "default", Name: "s", Created: at}}, &PutUser{&User{Name: "ann", Hash: "h", Created: at}},
			&SetGlobal{"segment_cache_memory_percentage", "10"}, &PutFormat{&FileFormat{Database: "default", Name: "f"}}}},
		{Ops: []Op{&PutView{&View{Database: "logs", Name: "v", Text: "SELECT k FROM t", Home: "default", Columns: []string{"x"}, Comment: "c"}},
			&PutView{&View{Database: "default", Name: "w", Text: "SELECT 1", Home: "logs"}}, &PutView{&View{Database: "default", Name: "gone"}}, &DropView{"default", "gone"}}},
		{Ops: []Op{&RenameDatabase{"logs", "events"}}},
	}
}

func apply(t *testing.T, s *Snapshot, edits []*Edit) *Snapshot {
	t.Helper()
	for i, e := range edits {
		next, err := s.Apply(e)
		if err != nil {
			t.Fatalf("edit %d: %v", i, err)
		}
		s = next
	}
	return s
}

// reencode sends edits through their encoding.
func reencode(t *testing.T, edits []*Edit) (out []*Edit) {
	t.Helper()
	for i, e := range edits {
		b, err := e.Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := DecodeEdit(b)
		if err != nil {
			t.Fatalf("edit %d: %v", i, err)
		}
		again, _ := d.Encode(nil)
		if string(again) != string(b) {
			t.Fatalf("edit %d changes when encoded again", i)
		}
		out = append(out, d)
		for cut := range b {
			if _, err := DecodeEdit(b[:cut]); err == nil && cut > 0 {
				t.Fatalf("edit %d cut at %d decodes", i, cut)
			}
		}
	}
	return out
}

func describe(s *Snapshot) string {
	out := fmt.Sprintln("next", s.NextID)
	for _, d := range s.Databases() {
		out += fmt.Sprintln("database", d.Name)
		for _, t := range s.Tables(d) {
			out += fmt.Sprintln("table", t.Name, len(t.Columns), len(t.Segments), len(t.Batches), t.Rows(), t.Evolution)
			t.Loads(func(l LoadEntry) bool { out += fmt.Sprintln("load", l); return true })
			for _, b := range t.Batches {
				for _, c := range b.Data.Cols {
					out += fmt.Sprintf("col %v\n", appendVector(nil, c))
				}
			}
			for _, m := range t.Segments {
				out += fmt.Sprintln("zone", vec.Slice[int64](m.Zones[0].Min)[0], vec.Slice[int64](m.Zones[0].Max)[0])
			}
		}
	}
	return out + fmt.Sprintln(s.Changes, s.Errors, s.Settings(), len(s.Stages()), len(s.Formats()), len(s.Users()))
}

func TestEditsSurviveEncodingAndRebuild(t *testing.T) {
	direct := describe(apply(t, NewSnapshot(), script()))
	decoded := apply(t, NewSnapshot(), reencode(t, script()))
	if got := describe(decoded); got != direct {
		t.Fatalf("decoded:\n%s\ndirect:\n%s", got, direct)
	}
	rebuilt := apply(t, NewSnapshot(), reencode(t, decoded.Rebuild()))
	if got := describe(rebuilt); got != direct {
		t.Fatalf("rebuilt:\n%s\ndirect:\n%s", got, direct)
	}
}

func TestSnapshotsAreImmutable(t *testing.T) {
	edits := script()
	s := apply(t, NewSnapshot(), edits[:3])
	before := describe(s)
	fork := s.Fork()
	add := func(id segment.ID) *Edit {
		return &Edit{Ops: []Op{&AddBatch{1, &Batch{ID: id, Columns: []ColumnID{1}, Data: vec.NewBatch(1, ints(int64(id)))}}}}
	}
	f := apply(t, fork, []*Edit{add(100)})
	a := apply(t, s, []*Edit{add(101)})
	if got := f.TableByID(1).Batches[1].ID; got != 100 {
		t.Errorf("the fork sees batch %d", got)
	}
	if got := a.TableByID(1).Batches[1].ID; got != 101 {
		t.Errorf("the committed line sees batch %d", got)
	}
	if describe(s) != before {
		t.Error("an older snapshot changed")
	}
}

func TestConflicts(t *testing.T) {
	s := apply(t, NewSnapshot(), script())
	f := func(op Op, want sqlerr.Kind) {
		t.Helper()
		_, err := s.Apply(&Edit{Ops: []Op{op}})
		if err == nil || sqlerr.KindOf(err) != want {
			t.Errorf("%T: got %v, want kind %v", op, err, want)
		}
	}
	f(&DeleteRows{1, 2, NewDeletionVector(1, 2)}, sqlerr.Conflict)
	f(&DeleteRows{1, 77, NewDeletionVector(1)}, sqlerr.Conflict)
	f(&DropTable{99}, sqlerr.Conflict)
	f(&AlterTable{&Table{ID: 1}, 0}, sqlerr.Conflict)
	f(&Replace{Table: 1, Remove: []segment.ID{55}}, sqlerr.Conflict)
	f(&CreateTable{&Table{ID: 50, Database: "default", Name: "t"}}, sqlerr.Exists)
	f(&CreateTable{&Table{ID: 50, Database: "nope", Name: "t"}}, sqlerr.NotFound)
	f(&RenameDatabase{"events", "default"}, sqlerr.Exists)
}

func TestNames(t *testing.T) {
	s := apply(t, NewSnapshot(), []*Edit{{Ops: []Op{
		&CreateTable{&Table{ID: 1, Database: "default", Name: "City"}}, &CreateTable{&Table{ID: 2, Database: "default", Name: "city"}},
		&CreateTable{&Table{ID: 3, Database: "default", Name: "Zip"}}}}})
	f := func(name string, quoted bool, want TableID, kind sqlerr.Kind) {
		t.Helper()
		got, err := s.Table("default", name, quoted)
		if err != nil && sqlerr.KindOf(err) != kind || err == nil && got.ID != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	f("City", false, 1, 0)
	f("city", true, 2, 0)
	f("CITY", false, 0, sqlerr.Bind)
	f("ZIP", false, 3, 0)
	f("ZIP", true, 0, sqlerr.NotFound)
}

func TestOpsHaveTags(t *testing.T) {
	for tag, make := range newOp {
		if got := make().tag(); got != tag {
			t.Errorf("%v has tag %d, registered as %d", reflect.TypeOf(make()), got, tag)
		}
	}
}
