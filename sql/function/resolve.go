package function

import (
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
)

// Option changes what Resolve accepts.
type Option uint8

// TotalOrder allows comparing variants with variants (setting variant_total_order).
const TotalOrder Option = 1

// signature is one overload: parameter types, result type and the maker of its kernel.
type signature struct {
	// text is the overload without the name: "(text, bigint[, bigint]) -> text".
	text   string
	params []param
	ret    typeWord
	make   maker
	traits traits
}

// param is one parameter; only trailing ones are optional, only the last may repeat.
type param struct {
	word     typeWord
	optional bool
	// repeat allows any number of further arguments.
	repeat bool
}

// typeWord is a type in a signature: a SQL type in lower case, or one of
//
//	any      every type, taken as it is
//	number   every numeric type, taken as it is
//	integer  TINYINT to LARGEINT, taken as it is
//	map      every MAP, taken as it is
//	struct   every STRUCT, taken as it is
//	T        the common type of all arguments declared T; array<T> takes part with its element
type typeWord string

var wordTypes = map[typeWord]types.Type{
	"boolean": types.Of(types.Boolean), "tinyint": types.Of(types.TinyInt), "smallint": types.Of(types.SmallInt), "int": types.Of(types.Int),
	"bigint": types.Of(types.BigInt), "largeint": types.Of(types.LargeInt), "float": types.Of(types.Float), "double": types.Of(types.Double),
	"text": types.Of(types.Varchar), "binary": types.Of(types.Binary), "date": types.Of(types.Date), "time": types.Of(types.Time),
	"datetime": types.Of(types.DateTime), "timestamptz": types.Of(types.TimestampTZ), "interval": types.Of(types.Interval),
	"ipv4": types.Of(types.IPv4), "ipv6": types.Of(types.IPv6), "uuid": types.Of(types.UUID), "json": types.Of(types.JSON),
	"variant": types.Of(types.Variant), "array<text>": types.ArrayOf(types.Of(types.Varchar)),
	"array<bigint>": types.ArrayOf(types.Of(types.BigInt)), "array<datetime>": types.ArrayOf(types.Of(types.DateTime)),
	"array<date>": types.ArrayOf(types.Of(types.Date)), "array<double>": types.ArrayOf(types.Of(types.Double)),
}

// sig parses a signature such as "(text, bigint, bigint?) -> text" or "(any, any*) -> boolean": ? marks an optional parameter, * one that
// may be absent or repeat. In the result, T stands for the common type and "first" for the type of the first argument.
func sig(text string, m maker, ts ...traits) *signature {
	in, ret, ok := strings.Cut(text, " -> ")
	if !ok || !strings.HasPrefix(in, "(") || !strings.HasSuffix(in, ")") {
		panic("BUG: signature " + text)
	}
	s := &signature{ret: typeWord(ret), make: m}
	var shown []string
	for _, w := range strings.Split(in[1:len(in)-1], ", ") {
		if w == "" {
			continue
		}
		p := param{word: typeWord(strings.TrimRight(w, "?*"))}
		p.optional = len(p.word) < len(w)
		p.repeat = strings.HasSuffix(w, "*")
		s.params = append(s.params, p)
		switch {
		case p.repeat:
			shown = append(shown, "["+string(p.word)+"...]")
		case p.optional:
			shown = append(shown, "["+string(p.word)+"]")
		default:
			shown = append(shown, string(p.word))
		}
	}
	s.text = "(" + strings.Join(shown, ", ") + ") -> " + ret
	for _, t := range ts {
		s.traits = t
	}
	return s
}

// Resolve finds the function or operator of a name, without regard to case, for arguments of the given types. Operators go by their
// SQL spelling; the negation is NEG. The arguments of a call must be cast to Scalar.Args. Errors: NotFound for an unknown name, Type with
// the accepted signatures for arguments that fit none, OutOfRange or Conversion for constants that are wrong in themselves.
func Resolve(name string, args []Arg, opts ...Option) (*Scalar, error) {
	d := scalars[strings.ToLower(name)]
	if d == nil {
		return nil, unknown(name)
	}
	var o Option
	for _, x := range opts {
		o |= x
	}
	if d.resolve != nil {
		s, err := d.resolve(strings.ToLower(name), args, o)
		if err == nil && s == nil {
			err = noMatch(name, args, d)
		}
		return s, err
	}
	best, bestCost := -1, 0
	for i, s := range d.sigs {
		if _, _, cost, ok := s.match(args); ok && (best < 0 || cost < bestCost) {
			best, bestCost = i, cost
		}
	}
	if best < 0 {
		return nil, noMatch(name, args, d)
	}
	s := d.sigs[best]
	to, t, _, _ := s.match(args)
	return s.bind(d.names[0], args, to, t)
}

// bind makes the Scalar of a matching signature.
func (s *signature) bind(name string, args []Arg, to []types.Type, t types.Type) (*Scalar, error) {
	f := &Scalar{Name: name, Args: to, traits: s.traits, Volatile: s.traits.volatile}
	f.traits.infallible = s.traits.infallible || neverFail[name]
	f.NotNull = !s.traits.nullsIn && !s.traits.maybeNull
	switch {
	case s.ret == "T":
		f.Ret = t
	case s.ret == "array<T>":
		f.Ret = types.ArrayOf(t)
	case s.ret == "first":
		f.Ret = to[0]
	default:
		ret, ok := wordTypes[s.ret]
		if !ok {
			panic("BUG: unknown result type " + string(s.ret))
		}
		f.Ret = ret
	}
	core, err := s.make(f, args)
	if err != nil {
		return nil, err
	}
	f.Kernel = adapt(core, f.Ret, f.traits)
	return f, nil
}

// noMatch is the error for arguments that fit no overload.
func noMatch(name string, args []Arg, d *definition) error {
	var given, accepted []string
	for _, a := range args {
		given = append(given, a.Type.String())
	}
	shown := strings.ToLower(name)
	for _, s := range d.sigs {
		accepted = append(accepted, shown+s.text)
	}
	return sqlerr.New(sqlerr.Type, "%s cannot take (%s); accepted: %s", name, strings.Join(given, ", "), strings.Join(accepted, "; "))
}

// match finds the types that args must be cast to for s, the type T, and the cost of the casts.
func (s *signature) match(args []Arg) (to []types.Type, t types.Type, cost int, ok bool) {
	word := func(i int) (param, bool) {
		if i < len(s.params) {
			return s.params[i], true
		}
		if n := len(s.params); n > 0 && s.params[n-1].repeat {
			return s.params[n-1], true
		}
		return param{}, false
	}
	for i := len(args); i < len(s.params); i++ {
		if !s.params[i].optional {
			return nil, t, 0, false
		}
	}
	t, ok = s.common(args, word)
	if !ok {
		return nil, t, 0, false
	}
	for i, a := range args {
		p, ok := word(i)
		if !ok {
			return nil, t, 0, false
		}
		target, c, ok := p.word.accept(a, t)
		if !ok {
			return nil, t, 0, false
		}
		to = append(to, target)
		cost += c
	}
	return to, t, cost, true
}

// common finds T.
func (s *signature) common(args []Arg, word func(int) (param, bool)) (t types.Type, ok bool) {
	found := false
	for i, a := range args {
		p, known := word(i)
		at := a.Type
		switch {
		case !known:
			return t, false
		case p.word == "array<T>" && at.Kind == types.Array:
			at = *at.Elem
		case p.word == "array<T>" && (at.IsVariant() || at.Kind == types.Null):
			continue
		case p.word != "T":
			continue
		}
		if !found {
			t, found = at, true
			continue
		}
		if t, ok = CommonType(t, at); !ok {
			return t, false
		}
	}
	if !found {
		for i, a := range args {
			if p, _ := word(i); p.word == "array<T>" && a.Type.IsVariant() {
				t = types.Of(types.Variant)
			}
		}
	}
	return t, true
}

// accept tells to which type an argument must be cast for a parameter, and at what cost.
func (w typeWord) accept(a Arg, t types.Type) (to types.Type, cost int, ok bool) {
	k := a.Type.Kind
	switch w {
	case "any":
		return a.Type, 1, true
	case "T":
		cost, ok = implicitCost(a, t)
		return t, cost, ok
	case "array<T>":
		switch {
		case k == types.Array, k == types.Null:
			return types.ArrayOf(t), 1, true
		case a.Type.IsVariant():
			return types.ArrayOf(t), costVariant, true
		}
		return to, 0, false
	case "array<any>":
		return a.Type, 1, k == types.Array
	case "map":
		return a.Type, 1, k == types.Map
	case "struct":
		return a.Type, 1, k == types.Struct
	case "number":
		return acceptNumber(a, types.Of(types.Double))
	case "integer":
		if a.Type.IsInteger() {
			return a.Type, 1, true
		}
		if k == types.Null || a.Type.IsVariant() {
			return types.Of(types.BigInt), costVariant, true
		}
		return to, 0, false
	}
	to, found := wordTypes[w]
	if !found {
		panic("BUG: unknown parameter type " + string(w))
	}
	if to.Kind == k && k != types.Array {
		return a.Type, 0, true
	}
	cost, ok = implicitCost(a, to)
	return to, cost, ok
}

// acceptNumber takes numbers as they are and other things as numbers of type other.
func acceptNumber(a Arg, other types.Type) (to types.Type, cost int, ok bool) {
	switch {
	case a.Type.IsNumeric():
		return a.Type, 1, true
	case a.Type.Kind == types.Boolean:
		return types.Of(types.TinyInt), costBool, true
	case a.Type.Kind == types.Null, a.Type.IsVariant(), a.Type.Kind == types.Varchar && a.Const != nil:
		return other, costVariant, true
	}
	return to, 0, false
}

// Costs of implicit casts. The overload with the smallest sum wins, so an exact type beats a widening, which beats a change of nature.
const (
	costWiden   = 2
	costDouble  = 8
	costVariant = 10
	costBool    = 12
	costText    = 14 // a text constant read as a value of another type
	costParse   = 20 // a text column read as a date, address or the like
	costPrint   = 25 // a value printed as text
)

// implicitCost tells whether an argument may be cast to a type without being asked, and how far-fetched that is.
func implicitCost(a Arg, to types.Type) (cost int, ok bool) {
	from := a.Type
	f, t := from.Kind, to.Kind
	switch {
	case from.Equal(to):
		return 0, true
	case f == types.Null:
		return 1, true
	case from.IsVariant():
		if to.IsVariant() {
			return 1, true
		}
		return costVariant, variantCastable(to)
	case f == types.Varchar:
		switch {
		case t == types.Varchar:
			return 0, true
		case to.IsTemporal(), t == types.IPv4, t == types.IPv6, t == types.UUID, t == types.Interval, t == types.Binary, to.IsVariant():
			if a.Const != nil {
				return costText, true
			}
			return costParse, true
		case to.IsNumeric(), t == types.Boolean:
			return costText, a.Const != nil
		}
		return 0, false
	case to.IsVariant():
		return costPrint, f == types.Array || f == types.Struct
	case t == types.Varchar:
		return costPrint, from.IsNumeric() || from.IsTemporal() || f == types.Boolean || f == types.IPv4 || f == types.IPv6 || f == types.UUID
	case from.IsInteger() && to.IsInteger():
		return costWiden, f < t
	case from.IsInteger() && t == types.Decimal:
		return costWiden + 4, digitsOf[f] <= int(to.Precision-to.Scale)
	case from.IsInteger() && t == types.Float:
		return costWiden + 4, true
	case from.IsNumeric() && t == types.Double:
		return costDouble, true
	case f == types.Decimal && t == types.Decimal:
		return 1, from.Precision-from.Scale <= to.Precision-to.Scale && from.Scale <= to.Scale
	case f == types.Boolean && to.IsNumeric():
		return costBool, t != types.Decimal || to.Precision > to.Scale
	case from.IsTemporal() && to.IsTemporal() && f != types.Time && t != types.Time:
		if f > t {
			return costDouble, true // the date of a timestamp
		}
		return costWiden, true
	case f == types.IPv4 && t == types.IPv6:
		return costWiden, true
	case f == types.Array && t == types.Array:
		return implicitCost(Arg{Type: *from.Elem}, *to.Elem)
	}
	return 0, false
}
