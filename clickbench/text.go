package clickbench

import (
	"encoding/binary"
	"strconv"
)

// Every text is a function of a number, its key, so that the same page has the same URL wherever it occurs.

func (r *random) word(list []string) string { return list[r.below(len(list))] }

// appendSite appends the address of a site.
func appendSite(dst []byte, site uint64) []byte {
	r := stream(site, 1)
	dst = append(dst, "http://"...)
	if r.below(4) == 0 {
		dst = append(dst, "www."...)
	}
	dst = append(dst, r.word(latin)...)
	if r.below(2) == 0 {
		dst = append(append(dst, '-'), r.word(latin)...)
	}
	dst = strconv.AppendUint(dst, site%997, 10)
	return append(dst, r.word(domains)...)
}

// appendPath appends steps and parameters to an address until it has so many bytes more; key tells pages of a site apart. The first steps
// are words of the site, the last piece holds the key.
func appendPath(dst []byte, site, key uint64, bytes int) []byte {
	r := stream(site, key)
	end := len(dst) + bytes - 8
	own := random(site) // the site's sections
	sections := [4]int{own.below(len(latin)), own.below(len(latin)), own.below(len(latin)), own.below(len(latin))}
	dst = append(append(dst, '/'), latin[sections[r.below(4)]]...)
	mark := byte('/')
	for len(dst) < end {
		if mark == '/' && r.below(3) == 0 {
			mark = '?'
		}
		dst = append(dst, mark)
		if mark == '/' {
			dst = append(dst, r.word(latin)...)
			continue
		}
		mark = '&'
		dst = append(append(dst, r.word(parameters)...), '=')
		switch r.below(8) {
		case 0:
			dst = append(dst, r.word(latin)...)
		case 1:
			dst = appendEscaped(dst, r.word(russian))
		case 2:
			dst = strconv.AppendUint(dst, r.next()&0xffffffffff, 16)
		case 3, 4:
			dst = strconv.AppendInt(dst, int64(r.below(10_000_000)), 10)
		default:
			dst = strconv.AppendInt(dst, int64(r.below(100)), 10)
		}
	}
	if mark == '/' {
		dst = append(dst, '/')
	} else {
		dst = append(dst, "&id="...)
	}
	return strconv.AppendUint(dst, key, 10)
}

// appendEscaped appends text with percent signs, as browsers send it.
func appendEscaped(dst []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	for i := range len(s) {
		if c := s[i]; c < 0x80 {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', hex[c>>4], hex[c&15])
		}
	}
	return dst
}

// appendWords appends words up to so many bytes.
func appendWords(dst []byte, r *random, bytes int, separated bool) []byte {
	end := len(dst) + bytes
	dst = append(dst, r.word(russian)...)
	for len(dst) < end {
		switch {
		case separated && r.below(5) == 0:
			dst = append(dst, r.word(separators)...)
		default:
			dst = append(dst, ' ')
		}
		switch r.below(12) {
		case 0:
			dst = append(dst, r.word(latin)...)
		case 1:
			dst = strconv.AppendInt(dst, int64(r.below(2000)), 10)
		default:
			dst = append(dst, r.word(russian)...)
		}
	}
	return dst
}

// hashText is the function behind URLHash and RefererHash.
func hashText(s []byte) int64 {
	h := uint64(len(s)) * 0x9e3779b97f4a7c15
	for ; len(s) >= 8; s = s[8:] {
		h = mix(h ^ binary.LittleEndian.Uint64(s))
	}
	var last [8]byte
	copy(last[:], s)
	return int64(mix(h ^ binary.LittleEndian.Uint64(last[:])))
}
