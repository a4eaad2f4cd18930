package tpch

import (
	"strings"

	"github.com/ebira-db/ebira/sql/types"
)

// Table names one of the eight tables.
type Table uint8

// The tables, in an order in which every table follows those it refers to.
const (
	Region Table = iota
	Nation
	Supplier
	Customer
	Part
	PartSupp
	Orders
	LineItem
)

// Tables returns all tables.
func Tables() []Table {
	return []Table{Region, Nation, Supplier, Customer, Part, PartSupp, Orders, LineItem}
}

var tableNames = [...]string{"region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem"}

// String returns the table's name in SQL.
func (t Table) String() string { return tableNames[t] }

var decimal = types.DecimalOf(15, 2)

// schemas has name and type of each column; see columnType.
var schemas = [...]string{
	Region:   "r_regionkey i, r_name s, r_comment s",
	Nation:   "n_nationkey i, n_name s, n_regionkey i, n_comment s",
	Supplier: "s_suppkey k, s_name s, s_address s, s_nationkey i, s_phone s, s_acctbal m, s_comment s",
	Customer: "c_custkey k, c_name s, c_address s, c_nationkey i, c_phone s, c_acctbal m, c_mktsegment s, c_comment s",
	Part:     "p_partkey k, p_name s, p_mfgr s, p_brand s, p_type s, p_size i, p_container s, p_retailprice m, p_comment s",
	PartSupp: "ps_partkey k, ps_suppkey k, ps_availqty i, ps_supplycost m, ps_comment s",
	Orders: "o_orderkey k, o_custkey k, o_orderstatus s, o_totalprice m, o_orderdate d, o_orderpriority s, o_clerk s, " +
		"o_shippriority i, o_comment s",
	LineItem: "l_orderkey k, l_partkey k, l_suppkey k, l_linenumber i, l_quantity m, l_extendedprice m, l_discount m, l_tax m, " +
		"l_returnflag s, l_linestatus s, l_shipdate d, l_commitdate d, l_receiptdate d, l_shipinstruct s, l_shipmode s, l_comment s",
}

func columnType(letter string) types.Type {
	switch letter {
	case "k":
		return types.Of(types.BigInt)
	case "i":
		return types.Of(types.Int)
	case "m":
		return decimal
	case "d":
		return types.Of(types.Date)
	}
	return types.Of(types.Varchar)
}

// Schema returns the columns of the table. None has NULLs.
func (t Table) Schema() types.Schema {
	var s types.Schema
	for _, col := range strings.Split(schemas[t], ", ") {
		name, letter, _ := strings.Cut(col, " ")
		s = append(s, types.Field{Name: name, Type: columnType(letter), NotNull: true})
	}
	return s
}

// CreateSQL returns the CREATE TABLE statement of the table.
func (t Table) CreateSQL() string {
	var cols []string
	for _, f := range t.Schema() {
		cols = append(cols, f.Name+" "+f.Type.String()+" NOT NULL")
	}
	return "CREATE TABLE " + t.String() + " (" + strings.Join(cols, ", ") + ")"
}
