package types

import (
	"encoding/binary"
	"encoding/hex"
	"net/netip"
)

// ParseIPv4 reads dotted decimal.
func ParseIPv4(s []byte) (uint32, bool) {
	a, err := netip.ParseAddr(string(trimSpace(s)))
	if err != nil || !a.Is4() {
		return 0, false
	}
	b := a.As4()
	return binary.BigEndian.Uint32(b[:]), true
}

// AppendIPv4 appends dotted decimal.
func AppendIPv4(dst []byte, v uint32) []byte {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], v)
	return netip.AddrFrom4(b).AppendTo(dst)
}

// ParseIPv6 reads any form of RFC 4291 without a zone; an IPv4 address becomes its mapped form.
func ParseIPv6(s []byte) (Uint128, bool) {
	a, err := netip.ParseAddr(string(trimSpace(s)))
	if err != nil || a.Zone() != "" {
		return Uint128{}, false
	}
	b := a.As16()
	return Uint128{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}, true
}

// Bytes returns the 16 bytes, big end first.
func (a Uint128) Bytes() (b [16]byte) {
	binary.BigEndian.PutUint64(b[:8], a.Hi)
	binary.BigEndian.PutUint64(b[8:], a.Lo)
	return b
}

// Uint128FromBytes reads 16 bytes, big end first.
func Uint128FromBytes(b []byte) Uint128 {
	return Uint128{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}
}

// AppendIPv6 appends the canonical form of RFC 5952.
func AppendIPv6(dst []byte, v Uint128) []byte { return netip.AddrFrom16(v.Bytes()).AppendTo(dst) }

// ParseUUID reads 32 hexadecimal digits, with or without dashes in the usual places, in any case.
func ParseUUID(s []byte) (Uint128, bool) {
	s = trimSpace(s)
	var buf [32]byte
	switch len(s) {
	case 32:
		copy(buf[:], s)
	case 36:
		if s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
			return Uint128{}, false
		}
		n := copy(buf[:], s[:8])
		n += copy(buf[n:], s[9:13])
		n += copy(buf[n:], s[14:18])
		n += copy(buf[n:], s[19:23])
		copy(buf[n:], s[24:])
	default:
		return Uint128{}, false
	}
	var b [16]byte
	if _, err := hex.Decode(b[:], buf[:]); err != nil {
		return Uint128{}, false
	}
	return Uint128FromBytes(b[:]), true
}

// AppendUUID appends the lower-case form with dashes.
func AppendUUID(dst []byte, v Uint128) []byte {
	b := v.Bytes()
	for i, from := range [...]int{0, 4, 6, 8, 10} {
		if i > 0 {
			dst = append(dst, '-')
		}
		to := [...]int{4, 6, 8, 10, 16}[i]
		dst = hex.AppendEncode(dst, b[from:to])
	}
	return dst
}
