package function

import (
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// aggregateDefinition is one aggregate function. Its resolve returns nil for arguments that do not fit.
type aggregateDefinition struct {
	names   []string
	about   string
	sigs    []string
	resolve func(args []Arg, o Option) (*Aggregate, error)
}

// The aggregates, filled by package initialisation and read-only afterwards.
var (
	aggregates     = map[string]*aggregateDefinition{}
	aggregateOrder []*aggregateDefinition
)

func defineAggregate(names, about, sigs string, resolve func(args []Arg, o Option) (*Aggregate, error)) {
	d := &aggregateDefinition{names: strings.Fields(names), about: about, sigs: strings.Split(sigs, "; "), resolve: resolve}
	for _, n := range d.names {
		if aggregates[n] != nil || scalars[n] != nil {
			panic("BUG: function " + n + " is defined twice")
		}
		aggregates[n] = d
	}
	aggregateOrder = append(aggregateOrder, d)
}

// ResolveAggregate finds the aggregate of a name, without regard to case, for arguments of the given types; count(*) has none. The
// arguments must be cast to Aggregate.Args. Aggregates skip NULL unless they say otherwise. A bare VARIANT must be cast first, except for
// count, any_value, first and last. Errors are those of Resolve.
func ResolveAggregate(name string, args []Arg, opts ...Option) (*Aggregate, error) {
	d := aggregates[strings.ToLower(name)]
	if d == nil {
		if IsScalar(name) {
			return nil, sqlerr.New(sqlerr.Bind, "%s is not an aggregate function", name)
		}
		return nil, unknown(name)
	}
	var o Option
	for _, x := range opts {
		o |= x
	}
	a, err := d.resolve(args, o)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return nil, aggregateMismatch(name, args, d)
	}
	a.Name = d.names[0]
	return a, nil
}

func aggregateMismatch(name string, args []Arg, d *aggregateDefinition) error {
	var given []string
	for _, a := range args {
		if a.Type.IsVariant() {
			return sqlerr.New(sqlerr.Type, "%s cannot take a VARIANT; cast it to a type first, as in CAST(... AS DOUBLE) or CAST(... AS STRING)", name)
		}
		given = append(given, a.Type.String())
	}
	shown := strings.ToLower(name)
	return sqlerr.New(sqlerr.Type, "%s cannot take (%s); accepted: %s", name, strings.Join(given, ", "), shown+strings.Join(d.sigs, "; "+shown))
}

// oneArg makes an aggregate of one argument.
func oneArg(t, ret types.Type, make func(c *Ctx) Accumulator) *Aggregate {
	return &Aggregate{Args: []types.Type{t}, Ret: ret, New: make}
}

// grown returns s with count entries, the new ones zero.
func grown[S any](s []S, count int) []S {
	if count <= len(s) {
		return s
	}
	if count <= cap(s) {
		return s[:count]
	}
	out := make([]S, count, max(count, 2*len(s)))
	copy(out, s)
	return out
}

// dense returns the entries of v that are not NULL and their groups, without copying where no entry is NULL. A nil groups stays nil.
func dense[T any](groups []uint32, v *vec.Vector, n int) ([]T, []uint32) {
	v = flatten(v)
	data := vec.Slice[T](v)[:n]
	if v.Valid == nil {
		return data, groups
	}
	rows := vec.SelectValid(v.Valid, n)
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = data[r]
	}
	if groups == nil {
		return out, nil
	}
	return out, pickGroups(groups, rows)
}

func pickGroups(groups []uint32, rows vec.Sel) []uint32 {
	out := make([]uint32, len(rows))
	for i, r := range rows {
		out[i] = groups[r]
	}
	return out
}

// fold applies f to the state of each entry's group. Hot accumulators call its two loops themselves, which are inlined with a literal.
func fold[S, T any](states []S, groups []uint32, data []T, f func(s *S, x T)) {
	switch {
	case groups != nil:
		foldGroups(states, groups, data, f)
	case len(data) > 0:
		foldAll(&states[0], data, f)
	}
}

func foldAll[S, T any](s *S, data []T, f func(s *S, x T)) {
	for _, x := range data {
		f(s, x)
	}
}

func foldGroups[S, T any](states []S, groups []uint32, data []T, f func(s *S, x T)) {
	groups = groups[:len(data)]
	for i, x := range data {
		f(&states[groups[i]], x)
	}
}

// groupOf is the group of row i.
func groupOf(groups []uint32, i int) int {
	if groups == nil {
		return 0
	}
	return int(groups[i])
}

func init() {
	defineAggregate("count", "The number of rows, or of values that are not NULL.", "(*) -> bigint; (any...) -> bigint",
		func(args []Arg, _ Option) (*Aggregate, error) {
			a := &Aggregate{Ret: types.Of(types.BigInt)}
			for _, x := range args {
				a.Args = append(a.Args, x.Type)
			}
			a.New = func(*Ctx) Accumulator { return &countState{} }
			return a, nil
		})
	defineAggregate("count_if countif", "The number of rows for which a condition is true.", "(boolean) -> bigint",
		func(args []Arg, _ Option) (*Aggregate, error) {
			if len(args) != 1 || !booleanArg(args[0]) {
				return nil, nil
			}
			return oneArg(types.Of(types.Boolean), types.Of(types.BigInt), func(*Ctx) Accumulator { return &countState{trueOnly: true} }), nil
		})
}

func booleanArg(a Arg) bool {
	return a.Type.Kind == types.Boolean || a.Type.Kind == types.Null || a.Type.IsVariant() || a.Type.IsNumeric()
}

// countState counts rows, rows without NULL, or rows that are true.
type countState struct {
	n        []int64
	trueOnly bool
}

func (s *countState) Update(groups []uint32, count int, args []*vec.Vector, n int) error {
	s.n = grown(s.n, count)
	if s.trueOnly {
		s.add(groups, vec.SelectTrue(args[0]))
		return nil
	}
	var valid vec.Bitmap
	for _, a := range args {
		if a.Type.IsVariant() {
			valid = vec.And(valid, variant.NotNull(a), n)
		} else if a.HasNulls() {
			valid = vec.And(valid, nulls(a), n)
		}
	}
	if valid != nil {
		s.add(groups, vec.SelectValid(valid, n))
		return nil
	}
	if groups == nil {
		s.n[0] += int64(n)
		return nil
	}
	for _, g := range groups[:n] {
		s.n[g]++
	}
	return nil
}

func (s *countState) add(groups []uint32, rows vec.Sel) {
	if groups == nil {
		if len(rows) > 0 {
			s.n[0] += int64(len(rows))
		}
		return
	}
	for _, r := range rows {
		s.n[groups[r]]++
	}
}

func (s *countState) Merge(other Accumulator, from, to []uint32, count int) error {
	s.n = grown(s.n, count)
	o := other.(*countState).n
	for i, g := range from {
		if int(g) < len(o) {
			s.n[to[i]] += o[g]
		}
	}
	return nil
}

func (s *countState) Finish(from, to int) (*vec.Vector, error) {
	out := make([]int64, to-from)
	if from < len(s.n) {
		copy(out, s.n[from:min(to, len(s.n))])
	}
	return vec.NewFlat(types.Of(types.BigInt), out, nil), nil
}

func (s *countState) SizeBytes() int64 { return int64(cap(s.n)) * 8 }
