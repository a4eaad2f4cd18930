package function

import "strings"

// HigherKind tells apart the functions that take a lambda.
type HigherKind uint8

// The functions that evaluate a lambda for the elements of arrays or the entries of maps. Those up to HigherSortBy are of one array.
const (
	HigherFilter HigherKind = iota
	HigherAny
	HigherAll
	HigherNone
	HigherCount
	HigherFirst
	HigherLast
	HigherFirstIndex
	HigherLastIndex
	HigherSortBy
	HigherTransform
	HigherZip
	HigherReduce
	HigherMapFilter
	HigherMapKeys
	HigherMapValues
)

// Higher is a function that takes a lambda. The binder gives it types, package expr evaluates it.
type Higher struct {
	Name string
	Kind HigherKind
}

// Infallible tells that the function has no errors besides those of its lambda.
func (h Higher) Infallible() bool {
	return h.Kind <= HigherLastIndex || h.Kind == HigherZip || h.Kind == HigherMapFilter
}

// Decides tells that the lambda is a condition.
func (h Higher) Decides() bool { return h.Kind <= HigherLastIndex || h.Kind == HigherMapFilter }

// OverMap tells that the lambda takes a key and a value.
func (h Higher) OverMap() bool { return h.Kind >= HigherMapFilter }

type higherDefinition struct {
	names             []string
	kind              HigherKind
	group, sig, about string
}

// highers may stand with the lambda first or last.
var highers = []*higherDefinition{
	{strings.Fields("array_map list_transform list_apply array_transform array_apply transform apply"), HigherTransform, "array", "(array<T>, [array<any>...], x -> U) -> array<U>",
		"The result of a lambda for each element. Of several arrays of equal lengths the lambda takes an element each; one parameter more is the position from 1."},
	{strings.Fields("array_filter list_filter filter"), HigherFilter, "array", "(array<T>, x -> boolean) -> array<T>",
		"The elements for which a lambda is true; a second parameter is the position from 1."},
	{strings.Fields("array_exists any_match array_any array_match_any list_any"), HigherAny, "array", "(array<T>, x -> boolean) -> boolean",
		"Whether a lambda is true for an element; NULL if it is true for none and NULL for one."},
	{strings.Fields("array_all all_match array_match_all list_all forall"), HigherAll, "array", "(array<T>, x -> boolean) -> boolean",
		"Whether a lambda is true for all elements; NULL if it is false for none and NULL for one."},
	{strings.Fields("none_match array_none list_none"), HigherNone, "array", "(array<T>, x -> boolean) -> boolean",
		"Whether a lambda is true for no element; NULL if it is true for none and NULL for one."},
	{strings.Fields("array_count list_count_if"), HigherCount, "array", "(array<T>, x -> boolean) -> bigint", "The number of elements for which a lambda is true."},
	{strings.Fields("array_first list_find"), HigherFirst, "array", "(array<T>, x -> boolean) -> T", "The first element for which a lambda is true, NULL if there is none."},
	{strings.Fields("array_last"), HigherLast, "array", "(array<T>, x -> boolean) -> T", "The last element for which a lambda is true, NULL if there is none."},
	{strings.Fields("array_first_index"), HigherFirstIndex, "array", "(array<T>, x -> boolean) -> bigint", "The position of the first element for which a lambda is true, 0 if there is none."},
	{strings.Fields("array_last_index"), HigherLastIndex, "array", "(array<T>, x -> boolean) -> bigint", "The position of the last element for which a lambda is true, 0 if there is none."},
	{strings.Fields("array_sortby array_sort_by list_sort_by"), HigherSortBy, "array", "(array<T>, x -> U) -> array<T>",
		"The array in ascending order of what a lambda gives, NULL last; a lambda of two parameters compares: negative, 0 or positive. array_sort and list_sort take a lambda too."},
	{strings.Fields("array_reduce list_reduce reduce array_fold"), HigherReduce, "array", "(array<T>, [U], (total, x) -> U) -> U",
		"The lambda applied to the total so far and each element in turn; the total begins with the second argument or the first element. A third parameter is the position from 1."},
	{strings.Fields("zip_with list_zip_with"), HigherZip, "array", "(array<T>, array<any>, (x, y) -> U) -> array<U>",
		"The result of a lambda for the elements at the same position; where an array is shorter it takes NULL."},
	{strings.Fields("map_filter"), HigherMapFilter, "map", "(map, (k, v) -> boolean) -> map", "The entries for which a lambda is true."},
	{strings.Fields("transform_keys map_transform_keys"), HigherMapKeys, "map", "(map, (k, v) -> U) -> map", "The map with the keys that a lambda gives; equal or NULL keys are an error."},
	{strings.Fields("transform_values map_transform_values"), HigherMapValues, "map", "(map, (k, v) -> U) -> map", "The map with the values that a lambda gives."},
}

// higherNames finds the functions by name, and those that are functions of an array alone too.
var higherNames = func() map[string]*higherDefinition {
	m := map[string]*higherDefinition{}
	for _, d := range highers {
		for _, n := range d.names {
			m[n] = d
		}
		if d.kind == HigherSortBy {
			m["array_sort"], m["list_sort"], m["sort_array"] = d, d, d
		}
	}
	return m
}()

// TakesLambda tells whether a function of this name, without regard to case, takes a lambda.
func TakesLambda(name string) bool { return higherNames[strings.ToLower(name)] != nil }

// ResolveHigher finds a function that takes a lambda.
func ResolveHigher(name string) (Higher, bool) {
	d := higherNames[strings.ToLower(name)]
	if d == nil {
		return Higher{}, false
	}
	return Higher{Name: d.names[0], Kind: d.kind}, true
}
