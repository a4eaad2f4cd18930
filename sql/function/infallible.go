package function

import "strings"

// neverFail are the functions of the catalogue, by main name, that report no error for any values of their arguments, besides those whose
// definitions say so. Conditions made of them may be evaluated for rows that another condition or a join drops; what is missing here is
// only slower. TestNeverFail calls them all with values at the limits of their types.
var neverFail = names(`
	acos ascii asin atan atan2 bin bit_count bit_length cbrt contains cos cosh cot count_substrings crc32 degrees domain
	domain_without_www e ends_with exp field find_in_set hash hex initcap instr isinf isnan left length levenshtein ln locate log log10 log2
	lower ltrim md5 octet_length pi pow protocol quote radians reverse right rtrim sha1 sha256 sha512 sign sin sinh split_part sqrt square
	starts_with strcmp substr substring_index tan tanh trim unhex upper url_decode url_encode from_base64 to_base64
	array_contains array_position array_size arrays_overlap len
	coalesce dayname monthname last_day
	map_contains_key map_keys map_size map_values struct_element
	json_valid typeof`)

func names(list string) map[string]bool {
	set := map[string]bool{}
	for _, n := range strings.Fields(list) {
		set[n] = true
	}
	return set
}
