// Package optest runs plans of physical operators in every way that must not change their answer: small and large batches, constant and
// dictionary vectors, one and several workers, partitioned and colliding hash tables, consumers that stop early.
// It must not know which operator it tests: it sees a plan over input tables and the expected rows.
// A test calls it from one goroutine.
package optest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/vfs"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vexec"
)

// Table is an input: named, typed columns ("id BIGINT") and rows of Go values, nil for NULL.
type Table struct {
	Schema types.Schema
	Rows   [][]any
}

// NewTable makes a table; columns are fields as Col makes them.
func NewTable(columns []types.Field, rows ...[]any) Table { return Table{columns, rows} }

// Col makes a column.
func Col(name string, k types.Kind) types.Field { return types.Field{Name: name, Type: types.Of(k)} }

// Row makes a row.
func Row(values ...any) []any { return values }

// Case is a plan with its expected rows, each printed with " | " between the values.
type Case struct {
	Inputs []Table
	// Plan makes the plan over the inputs.
	Plan func(in []plan.Node) plan.Node
	Want []string
	// Ordered says that the rows must come in this order.
	Ordered bool
	// Err is a part of the message that running or building must fail with.
	Err string
	// NoEarlyStop leaves out consumers that stop early: for plans with effects.
	NoEarlyStop bool
}

// form is how the vectors of the inputs are made.
type form string

// variation is one way to run a case.
type variation struct {
	batch   int
	form    form
	workers int
	opts    vexec.Options
}

func (v variation) String() string {
	return fmt.Sprintf("batch=%d %s workers=%d %+v", v.batch, v.form, v.workers, v.opts)
}

func variations() []variation {
	var out []variation
	for _, batch := range []int{1, 2, 3, 1000} {
		for _, f := range []form{"flat", "constant", "dictionary"} {
			for _, workers := range []int{1, 4} {
				out = append(out, variation{batch, f, workers, vexec.Options{}})
			}
		}
	}
	for _, batch := range []int{1, 3} {
		out = append(out,
			variation{batch, "flat", 4, vexec.Options{ConstantHash: true}},
			variation{batch, "dictionary", 4, vexec.Options{PartitionGroups: 2}},
			variation{batch, "flat", 2, vexec.Options{PartitionGroups: 2, StoredBytes: 1}},
			variation{batch, "flat", 1, vexec.Options{PartitionGroups: 1, ConstantHash: true}},
			variation{batch, "flat", 1, vexec.Options{ForceSpill: true}},
			variation{batch, "dictionary", 4, vexec.Options{ForceSpill: true}},
			variation{batch, "flat", 4, vexec.Options{ForceSpill: true, ConstantHash: true}},
			variation{batch, "flat", 4, vexec.Options{NoPruning: true, NoLateMaterialization: true, NoRowFilters: true, DeltaRows: -1}},
		)
	}
	return out
}

// Run runs the case in all variations.
func Run(t *testing.T, c Case) {
	t.Helper()
	runIn(t, c, variations(), 4)
}

// RunOnce runs a case with large inputs in a few variations.
func RunOnce(t *testing.T, c Case) {
	t.Helper()
	runIn(t, c, []variation{
		{1000, "flat", 1, vexec.Options{}},
		{777, "dictionary", 4, vexec.Options{}},
		{1000, "flat", 4, vexec.Options{PartitionGroups: 500}},
		{100, "dictionary", 4, vexec.Options{PartitionGroups: 500}},
		{500, "flat", 4, vexec.Options{PartitionGroups: 100, StoredBytes: 1 << 18}},
		{1000, "flat", 1, vexec.Options{ForceSpill: true}},
		{777, "dictionary", 4, vexec.Options{ForceSpill: true}},
	}, 1)
}

// runIn runs the case in some variations, and with limits below stops.
func runIn(t *testing.T, c Case, vs []variation, stops int) {
	t.Helper()
	before := runtime.NumGoroutine()
	for _, v := range vs {
		p := c.Plan(inputs(c, v))
		got, err := collect(p, v)
		if c.Err != "" {
			if err == nil || !strings.Contains(err.Error(), c.Err) {
				t.Fatalf("%s: error %v, want %q", v, err, c.Err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", v, err)
		}
		compare(t, v, got, c)
		if !c.NoEarlyStop {
			stopEarly(t, c, v, p, stops)
		}
	}
	CheckGoroutines(t, before)
}

func compare(t *testing.T, v variation, got []string, c Case) {
	t.Helper()
	want := slices.Clone(c.Want)
	if !c.Ordered {
		slices.Sort(got)
		slices.Sort(want)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%s: got\n%s\nwant\n%s", v, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// stopEarly puts limits over the plan: the rows must be as many as asked for, and taken from the full answer.
func stopEarly(t *testing.T, c Case, v variation, p plan.Node, stops int) {
	t.Helper()
	for n := range min(len(c.Want), stops) {
		got, err := collect(&plan.Limit{Input: p, Count: int64(n)}, v)
		if err != nil {
			t.Fatalf("%s: limit %d: %v", v, n, err)
		}
		if len(got) != n {
			t.Fatalf("%s: limit %d yields %d rows", v, n, len(got))
		}
		left := slices.Clone(c.Want)
		for i, row := range got {
			if c.Ordered && row != c.Want[i] {
				t.Fatalf("%s: limit %d: row %d is %q, want %q", v, n, i, row, c.Want[i])
			}
			at := slices.Index(left, row)
			if at < 0 {
				t.Fatalf("%s: limit %d yields %q, which is not in the answer", v, n, row)
			}
			left = slices.Delete(left, at, at+1)
		}
	}
}

// CheckGoroutines fails if there are more goroutines than before, after giving them a moment to end.
func CheckGoroutines(t *testing.T, before int) {
	t.Helper()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	buf := make([]byte, 1<<16)
	t.Fatalf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
}

// Fn is the function context of tests.
func Fn() *function.Ctx { return &function.Ctx{Zone: time.UTC} }

// collect runs a plan and prints its rows.
func collect(p plan.Node, v variation) ([]string, error) {
	env := &vexec.Env{Fn: Fn(), Workers: v.workers, BatchRows: v.batch, Options: v.opts}
	if v.opts.ForceSpill {
		fs := vfs.NewMem()
		env.Spill = vexec.NewSpillSpace(fs, ".", 1<<30)
		defer func() {
			if left, listErr := fs.List("."); listErr != nil || len(left) > 0 || env.Spill.Used() != 0 {
				panic(fmt.Sprintf("BUG: %d spill files are left, %d bytes, %v", len(left), env.Spill.Used(), listErr))
			}
		}()
	}
	return Collect(p, env)
}

// Collect runs a plan and returns its rows, printed.
func Collect(p plan.Node, env *vexec.Env) ([]string, error) {
	q, err := vexec.Build(p, env)
	if err != nil {
		return nil, err
	}
	var out []string
	err = q.Run(context.Background(), func(b *vec.Batch) error {
		b = plain(b)
		for i := range b.Len {
			out = append(out, FormatRow(b, i))
		}
		return nil
	})
	return out, err
}

// inputs makes the inputs of a case in one variation: each batch is a morsel.
func inputs(c Case, v variation) []plan.Node {
	out := make([]plan.Node, len(c.Inputs))
	for i, t := range c.Inputs {
		n := &plan.Batches{Out: t.Schema}
		for from := 0; from < len(t.Rows); from += v.batch {
			rows := t.Rows[from:min(from+v.batch, len(t.Rows))]
			n.Data = append(n.Data, batch(t.Schema, rows, v.form))
		}
		out[i] = n
	}
	return out
}

// Node makes a plan node that yields the table in batches of n rows.
func (t Table) Node(n int) plan.Node {
	return inputs(Case{Inputs: []Table{t}}, variation{batch: n, form: "flat"})[0]
}

func batch(s types.Schema, rows [][]any, f form) *vec.Batch {
	b := vec.NewBatch(len(rows))
	for c, field := range s {
		values := make([]any, len(rows))
		for i, r := range rows {
			values[i] = r[c]
		}
		b.Cols = append(b.Cols, column(field.Type, values, f))
	}
	return b
}

// column makes a vector; forms that do not fit the values become flat ones.
func column(t types.Type, values []any, f form) *vec.Vector {
	switch f {
	case "constant":
		same := len(values) > 0
		for _, v := range values {
			same = same && fmt.Sprint(v) == fmt.Sprint(values[0])
		}
		if same {
			return vec.NewConstant(flat(t, values[:1]), len(values))
		}
	case "dictionary":
		if t.Phys() < types.PhysVariant {
			return dictionary(t, values)
		}
	}
	return flat(t, values)
}

func flat(t types.Type, values []any) *vec.Vector {
	b := vec.NewBuilder(t, len(values))
	for _, v := range values {
		appendValue(b, v)
	}
	return b.Finish()
}

func dictionary(t types.Type, values []any) *vec.Vector {
	out := &vec.Vector{Type: t, Form: vec.Dictionary, Len: len(values)}
	var entries []any
	codes := map[string]uint32{}
	valid := vec.NewBitmapSet(len(values))
	for i, v := range values {
		if v == nil {
			valid.Clear(i)
			out.Valid = valid
			out.Codes = append(out.Codes, 0)
			continue
		}
		k := fmt.Sprint(v)
		code, ok := codes[k]
		if !ok {
			code = uint32(len(entries))
			codes[k] = code
			entries = append(entries, v)
		}
		out.Codes = append(out.Codes, code)
	}
	if len(entries) == 0 {
		return flat(t, values)
	}
	out.Dict = flat(t, entries)
	return out
}

func appendValue(b *vec.Builder, v any) {
	switch v := v.(type) {
	case nil:
		b.AppendNull()
	case string:
		b.AppendString(v)
	case int:
		appendInt(b, v)
	case []any:
		for _, e := range v {
			appendValue(b.Child(0), e)
		}
		b.CloseList()
	case bool:
		vec.Append(b, v)
	case float64:
		vec.Append(b, v)
	case types.Int128:
		vec.Append(b, v)
	case types.IntervalValue:
		vec.Append(b, v)
	default:
		panic(fmt.Sprintf("BUG: test value %T", v))
	}
}

func appendInt(b *vec.Builder, v int) {
	switch b.Type().Phys() {
	case types.PhysInt8:
		vec.Append(b, int8(v))
	case types.PhysInt16:
		vec.Append(b, int16(v))
	case types.PhysInt32:
		vec.Append(b, int32(v))
	case types.PhysInt64:
		vec.Append(b, int64(v))
	case types.PhysInt128:
		vec.Append(b, types.Int128From(int64(v)))
	case types.PhysFloat64:
		vec.Append(b, float64(v))
	default:
		panic("BUG: integer in a column of type " + b.Type().String())
	}
}
