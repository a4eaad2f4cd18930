// Package plan is the language between binder, optimizer and executor: a tree of logical nodes.
// It knows expressions and catalogue values but neither SQL text nor operators.
// Nodes are not changed once built; a rewrite makes new ones, so plans may be shared.
package plan

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/stage"
	"github.com/ebira-db/ebira/vec"
)

// Node is a logical operator. Expressions inside a node number the columns of its child's schema (for joins: left, then right).
type Node interface {
	// Schema describes the rows that the node yields.
	Schema() types.Schema
	// Children are the inputs, left first.
	Children() []Node
}

// ScanColumn is one output column of a Scan: a whole column, or a path of a VARIANT column.
type ScanColumn struct {
	ID   catalog.ColumnID
	Name string
	// Path is empty for the whole column; then Type is the column's type, else VARIANT (delivered Shredded where possible).
	Path []string
	Type types.Type
}

// Scan reads a table of a snapshot.
type Scan struct {
	Table   *catalog.Table
	Columns []ScanColumn
	// Filter are conjuncts over the output columns that the scan itself applies; it prunes by them where statistics allow.
	Filter []expr.Expr
	// RowIDs appends two BIGINT columns, the segment or batch id and the ordinal, for DELETE and UPDATE.
	RowIDs bool
	Out    types.Schema
}

// StageScan reads staged files. Target gives the columns to produce and how to convert; see package stage.
type StageScan struct {
	Files  []stage.File
	Read   stage.ReadSpec
	Out    types.Schema
	Report *stage.Report
}

// Values yields constant rows, one expression list a row.
type Values struct {
	Rows [][]expr.Expr
	Out  types.Schema
}

// Batches yields materialized batches: SHOW results, bound parameters, ingested data.
type Batches struct {
	Data []*vec.Batch
	Out  types.Schema
}

// Filter keeps the rows for which Cond is true.
type Filter struct {
	Input Node
	Cond  expr.Expr
}

// Project computes one column per expression.
type Project struct {
	Input Node
	Exprs []expr.Expr
	Out   types.Schema
}

// AggCall is one aggregate of an Aggregate node.
type AggCall struct {
	Fn       *function.Aggregate
	Args     []expr.Expr
	Distinct bool
	Filter   expr.Expr // nil or a condition over the input
	Name     string
}

// Aggregate groups by Keys and yields keys, then aggregates. Without keys it yields one row always.
type Aggregate struct {
	Input Node
	Keys  []expr.Expr
	Aggs  []AggCall
	Out   types.Schema
}

// JoinKind is the kind of a Join.
type JoinKind uint8

// The join kinds. Semi and Anti yield left columns only; NullAwareAnti is NOT IN; Mark yields left columns and a BOOLEAN (three-valued
// IN); Exists yields left columns and a BOOLEAN that is never NULL; Single yields left and right columns with at most one match each, more is
// an error (scalar sub-query).
const (
	Inner JoinKind = iota
	Left
	Right
	Full
	Cross
	Semi
	Anti
	NullAwareAnti
	Mark
	Exists
	Single
)

// Join combines two inputs: equality pairs LeftKeys[i] = RightKeys[i] (over the left and right schema each), and Cond over left+right
// columns, which may be nil.
type Join struct {
	Kind                JoinKind
	Left, Right         Node
	LeftKeys, RightKeys []expr.Expr
	Cond                expr.Expr
	Out                 types.Schema
	// LeftFirst advises to read the left input first, because it is small and its keys may spare reading most of the right one.
	LeftFirst bool
}

// SortKey orders by Expr.
type SortKey struct {
	Expr       expr.Expr
	Desc       bool
	NullsFirst bool
}

// Sort orders its input; Limit >= 0 keeps the first Limit rows after skipping Offset (top-N).
type Sort struct {
	Input  Node
	Keys   []SortKey
	Limit  int64
	Offset int64
}

// Limit passes Count rows (-1: all) after skipping Offset.
type Limit struct {
	Input  Node
	Count  int64
	Offset int64
}

// Union concatenates inputs with equal schemas (UNION ALL); other set operations are built from joins and aggregates.
type Union struct {
	Inputs []Node
	Out    types.Schema
}

// Distinct removes equal rows.
type Distinct struct{ Input Node }

// Explode yields each input row once per element of Arg (an ARRAY, or a VARIANT holding an array) with the element appended;
// with Outer a row without elements is kept with NULL.
type Explode struct {
	Input Node
	Arg   expr.Expr
	Outer bool
	Out   types.Schema
}

// Write sends rows, already in table column order and type, to new segments or delta batches of Table. It yields one BIGINT row count.
type Write struct {
	Input Node
	Table *catalog.Table
}

// Delete collects the row ids (two last columns of Input) to be deleted; with Update set, the other columns are the new rows. With Once
// set a row that comes twice is an error; otherwise its first version counts. With Merge set, the column before the ids is a BOOLEAN that
// tells whether there is a new row, and rows without ids are only written.
// It yields one BIGINT row count.
type Delete struct {
	Input  Node
	Table  *catalog.Table
	Update bool
	Once   bool
	Merge  bool
}
