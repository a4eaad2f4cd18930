package variant

import (
	"testing"
)

func TestExport(t *testing.T) {
	docs := []string{
		`{"b":[1,{"a":null}],"a":"x"}`, `{"other":1.5}`, `7`, `"text"`, `null`, `[]`,
		`{"n":123456789012345678901234567890123456789012345}`, `[1e400,170141183460469231731687303715884105727]`,
	}
	want := []string{
		`{"a":"x","b":[1,{"a":null}]}`, `{"other":1.5}`, `7`, `"text"`, `null`, `[]`,
		`{"n":1.2345678901234567e+44}`, `["1e400",1.7014118346046923e+38]`,
	}
	b := NewBatchBuilder(len(docs))
	for _, d := range docs {
		b.BeginRow()
		feed(b, d)
		b.EndRow()
	}
	b.AppendNull()
	v := Export(b.Finish())
	if !v.IsNull(len(docs)) {
		t.Error("a NULL became a value")
	}
	for i := range docs {
		meta, value := v.VariantAt(i)
		if err := Validate(meta, value, false); err != nil {
			t.Errorf("%s: %v", docs[i], err)
		}
		if got := string(AppendJSON(nil, meta, value)); got != want[i] {
			t.Errorf("%s: got %s, want %s", docs[i], got, want[i])
		}
		m, _ := openMetadata(meta)
		if names := []int{2, 1, 0, 0, 0, 0, 1, 0}; m.n != names[i] {
			t.Errorf("%s: the dictionary has %d names, want %d", docs[i], m.n, names[i])
		}
	}
}
