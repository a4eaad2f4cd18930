package function

import (
	_ "embed" // examples.txt
	"slices"
	"strings"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// Info describes one function for SHOW FUNCTIONS and the documentation.
type Info struct {
	Name string
	// Group is the chapter: operator, text, number, time, condition, array, variant, network, system, aggregate or window.
	Group string
	// Signatures are the accepted argument types with the result, as "substr(text, bigint[, bigint]) -> text".
	Signatures []string
	// About is one sentence.
	About string
	// AliasOf is the main name, "" if Name is that.
	AliasOf string
	// Example is what may follow SELECT to show the function, the same for all names of it.
	Example string
	// Varies says that the example has another result at another time or place.
	Varies bool
}

// definition is one function with all its overloads.
type definition struct {
	names []string
	group string
	about string
	sigs  []*signature
	// resolve, if set, decides instead of the signatures, which then only document.
	resolve func(name string, args []Arg, o Option) (*Scalar, error)
}

// The catalogue, filled by package initialisation and read-only afterwards.
var (
	scalars     = map[string]*definition{}
	scalarOrder []*definition
)

// define adds a function under space-separated names, the first being the main one.
func define(names, group, about string, sigs ...*signature) {
	d := &definition{names: strings.Fields(names), group: group, about: about, sigs: sigs}
	add(d)
}

// defineBy adds a function whose overloads are chosen by code; docs are its signatures without the name.
func defineBy(names, group, about string, docs []string, resolve func(name string, args []Arg, o Option) (*Scalar, error)) {
	d := &definition{names: strings.Fields(names), group: group, about: about, resolve: resolve}
	for _, text := range docs {
		d.sigs = append(d.sigs, &signature{text: text})
	}
	add(d)
}

func add(d *definition) {
	for _, n := range d.names {
		key := strings.ToLower(n)
		if scalars[key] != nil {
			panic("BUG: function " + n + " is defined twice")
		}
		scalars[key] = d
	}
	scalarOrder = append(scalarOrder, d)
}

//go:embed examples.txt
var exampleLines string

// examples are the lines of examples.txt, main name and expression, by name; a ~ before the expression says that its result varies.
var examples = func() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(exampleLines) {
		name, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if m[name] != "" {
			panic("BUG: function " + name + " has two examples")
		}
		m[name] = text
	}
	return m
}()

// Names returns all functions, scalar, aggregate and window ones, sorted by name; aliases have entries of their own.
func Names() []Info {
	var out []Info
	list := func(names []string, group, about string, sigs []string) {
		for i, n := range names {
			info := Info{Name: n, Group: group, About: about}
			info.Example, info.Varies = strings.CutPrefix(examples[names[0]], "~")
			if i > 0 {
				info.AliasOf = names[0]
			}
			for _, s := range sigs {
				info.Signatures = append(info.Signatures, n+s)
			}
			out = append(out, info)
		}
	}
	for _, d := range scalarOrder {
		var sigs []string
		for _, s := range d.sigs {
			sigs = append(sigs, s.text)
		}
		list(d.names, d.group, d.about, sigs)
	}
	for _, d := range highers {
		list(d.names, d.group, d.about, []string{d.sig})
	}
	for _, d := range aggregateOrder {
		list(d.names, "aggregate", d.about, d.sigs)
	}
	for _, d := range windows {
		list(d.names, "window", d.about, []string{d.sigs})
	}
	slices.SortFunc(out, func(a, b Info) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return out
}

// IsScalar and IsAggregate tell what a name stands for, without regard to case.
func IsScalar(name string) bool { return scalars[strings.ToLower(name)] != nil }

// IsAggregate reports whether name is an aggregate function.
func IsAggregate(name string) bool { return aggregates[strings.ToLower(name)] != nil }

// unknown is the error for a name that no function has.
func unknown(name string) error {
	best, bestCost := "", 3
	if len(name) <= 3 {
		bestCost = 2
	}
	lower := strings.ToLower(name)
	consider := func(n string) {
		if cost := editDistance([]rune(lower), []rune(n)); cost < bestCost || cost == bestCost && best != "" && n < best {
			best, bestCost = n, cost
		}
	}
	for n := range scalars {
		consider(n)
	}
	for n := range aggregates {
		consider(n)
	}
	for n := range higherNames {
		consider(n)
	}
	for _, d := range windows {
		for _, n := range d.names {
			consider(n)
		}
	}
	if best != "" {
		return sqlerr.New(sqlerr.NotFound, "function %s does not exist; did you mean %s?", name, best)
	}
	return sqlerr.New(sqlerr.NotFound, "function %s does not exist", name)
}

// editDistance is the Levenshtein distance: insertions, deletions and replacements of characters.
func editDistance(a, b []rune) int {
	line := make([]int, len(b)+1)
	for j := range line {
		line[j] = j
	}
	for i, x := range a {
		diagonal := line[0]
		line[0] = i + 1
		for j, y := range b {
			cost := diagonal
			if x != y {
				cost = min(diagonal, line[j], line[j+1]) + 1
			}
			diagonal, line[j+1] = line[j+1], cost
		}
	}
	return line[len(b)]
}
