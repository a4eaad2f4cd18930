package function

import (
	"crypto/rand"
	"encoding/binary"
	"net/netip"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// Version is what version() answers. The command sets it once at start.
var Version = "ebira"

func init() {
	of := func(names, about string, f func(c *Ctx) string) {
		define(names, "system", about, sig("() -> text", func(*Scalar, []Arg) (Kernel, error) {
			return func(c *Ctx, _ []*vec.Vector, n int) (*vec.Vector, error) { return constantText(f(c), n), nil }, nil
		}))
	}
	of("version", "The version of the server.", func(*Ctx) string { return Version })
	of("current_user user session_user", "The user of the session.", func(c *Ctx) string { return c.User })
	of("database current_database schema current_schema", "The current database.", func(c *Ctx) string { return c.Database })
	of("current_catalog", "The current catalog.", func(c *Ctx) string { return c.Catalog })
	of("current_timezone", "The time zone of the session.", func(c *Ctx) string { return c.Zone.String() })
	define("uuid gen_random_uuid uuidv4", "system", "A random UUID (version 4); another for each row.",
		sig("() -> uuid", rows(func(*row) types.Uint128 { return randomUUID() }), traits{volatile: true}))
	defineAddresses()
}

func randomUUID() types.Uint128 {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return types.Uint128{Hi: binary.BigEndian.Uint64(b[:8]), Lo: binary.BigEndian.Uint64(b[8:])}
}

func defineAddresses() {
	valid := func(names, about string, f func(s []byte) bool) {
		define(names, "network", about, sig("(text) -> boolean", rows(func(r *row) bool { return f(r.text(0)) })))
	}
	valid("is_ipv4_string", "Whether a text is an IPv4 address.", func(s []byte) bool { _, ok := types.ParseIPv4(s); return ok })
	valid("is_ipv6_string", "Whether a text is an IPv6 address.", func(s []byte) bool {
		a, err := netip.ParseAddr(string(s))
		return err == nil && a.Is6()
	})
	define("ipv4_num_to_string inet_ntoa", "network", "The dotted form of an IPv4 address given as a number, NULL if out of range.",
		sig("(bigint) -> text", textRows(func(r *row, dst []byte) []byte {
			if n := r.int(0); n >= 0 && n < 1<<32 {
				return types.AppendIPv4(dst, uint32(n))
			}
			r.null = true
			return dst
		}), traits{maybeNull: true}))
	define("ipv4_string_to_num inet_aton ipv4_string_to_num_or_null", "network", "The number of an IPv4 address, NULL for other text.",
		sig("(text) -> bigint", rows(func(r *row) int64 {
			v, ok := types.ParseIPv4(r.text(0))
			r.null = !ok
			return int64(v)
		}), traits{maybeNull: true}))
	defineBy("to_ipv4", "network", "The text as IPV4.", []string{"(text) -> ipv4"}, castFunction(types.Of(types.IPv4), false))
	defineBy("to_ipv4_or_null", "network", "The text as IPV4, NULL if it is none.", []string{"(text) -> ipv4"}, castFunction(types.Of(types.IPv4), true))
	defineBy("to_ipv6 ipv4_to_ipv6", "network", "The text or IPV4 as IPV6.", []string{"(text) -> ipv6", "(ipv4) -> ipv6"}, castFunction(types.Of(types.IPv6), false))
	defineBy("to_ipv6_or_null", "network", "The text as IPV6, NULL if it is none.", []string{"(text) -> ipv6"}, castFunction(types.Of(types.IPv6), true))
	define("is_ip_address_in_range", "network", "Whether an address lies in a network such as 10.0.0.0/8.", sig("(text, text) -> boolean", rows(inRangeRow)))
}

func inRangeRow(r *row) bool {
	network, err := netip.ParsePrefix(string(r.text(1)))
	if err != nil {
		r.fail(sqlerr.Conversion, "'%s' is no network; write it as 10.0.0.0/8", r.text(1))
		return false
	}
	a, err := netip.ParseAddr(string(r.text(0)))
	if err != nil {
		r.fail(sqlerr.Conversion, "'%s' is no IP address", r.text(0))
		return false
	}
	return network.Contains(a)
}
