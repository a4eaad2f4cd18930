package plan

import (
	"fmt"
	"strings"

	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/types"
)

// Window appends a column for each call to the rows of its input. Rows whose Partition values are equal (NULLs are) belong together, in
// the order of Order; rows that Order does not tell apart are peers. The rows come out partition by partition in that order.
type Window struct {
	Input     Node
	Partition []expr.Expr
	Order     []SortKey
	Calls     []WindowCall
	Out       types.Schema
}

// WindowCall is a window function, or an aggregate over the rows of frames. Exactly one of Fn and Agg is set.
type WindowCall struct {
	Fn   *function.Window
	Agg  *function.Aggregate
	Args []expr.Expr
	// Filter, nil or a condition, leaves rows out of an aggregate.
	Filter expr.Expr
	// Distinct says that an aggregate, whose function sees to it, counts equal values once.
	Distinct    bool
	IgnoreNulls bool
	Frame       Frame
	Name        string
}

// Ret is the type of the column.
func (c *WindowCall) Ret() types.Type {
	if c.Agg != nil {
		return c.Agg.Ret
	}
	return c.Fn.Ret
}

// FrameUnit says what the ends of a frame count.
type FrameUnit uint8

// The units: rows; values of the one order key; groups of peers.
const (
	FrameRows FrameUnit = iota
	FrameRange
	FrameGroups
)

// FrameExclude is what a frame leaves out of the rows between its ends.
type FrameExclude uint8

// What a frame leaves out: nothing, the current row, that with its peers, its peers alone.
const (
	ExcludeNothing FrameExclude = iota
	ExcludeCurrentRow
	ExcludeGroup
	ExcludeTies
)

// BoundKind tells the ends of a frame apart.
type BoundKind uint8

// The ends of a frame. Unbounded is the first row of the partition at the start, the last one at the end.
const (
	Unbounded BoundKind = iota
	Preceding
	CurrentRow
	Following
)

// Bound is one end of a frame.
type Bound struct {
	Kind BoundKind
	// Offset of Preceding and Following: for rows and groups their number, a BIGINT that is neither NULL nor negative; for a range the value
	// that the order key has at the end of the frame, of the type of that key.
	Offset expr.Expr
}

// Frame says which rows of the partition an aggregate over the current row sees.
type Frame struct {
	Unit       FrameUnit
	Start, End Bound
	Exclude    FrameExclude
}

// NewWindow makes a Window and its schema.
func NewWindow(input Node, partition []expr.Expr, order []SortKey, calls []WindowCall) *Window {
	w := &Window{Input: input, Partition: partition, Order: order, Calls: calls, Out: append(types.Schema(nil), input.Schema()...)}
	for i := range calls {
		w.Out = append(w.Out, types.Field{Name: calls[i].Name, Type: calls[i].Ret()})
	}
	return w
}

// Children returns the input.
func (n *Window) Children() []Node { return []Node{n.Input} }

// Schema returns Out: the input's columns and one for each call.
func (n *Window) Schema() types.Schema { return n.Out }

// mapExprs is MapExprs for a Window.
func (n *Window) mapExprs(f func(expr.Expr) expr.Expr) *Window {
	maybe := func(e expr.Expr) expr.Expr {
		if e == nil {
			return nil
		}
		return f(e)
	}
	c := *n
	c.Partition, c.Order, c.Calls = mapAll(n.Partition, f), make([]SortKey, len(n.Order)), make([]WindowCall, len(n.Calls))
	for i, k := range n.Order {
		k.Expr = f(k.Expr)
		c.Order[i] = k
	}
	for i, k := range n.Calls {
		k.Args, k.Filter = mapAll(k.Args, f), maybe(k.Filter)
		k.Frame.Start.Offset, k.Frame.End.Offset = maybe(k.Frame.Start.Offset), maybe(k.Frame.End.Offset)
		c.Calls[i] = k
	}
	return &c
}

// check is checkNode for a Window.
func (n *Window) check() error {
	in := n.Input.Schema()
	if len(n.Out) != len(in)+len(n.Calls) {
		return fmt.Errorf("%d columns over %d and %d calls", len(n.Out), len(in), len(n.Calls))
	}
	for _, e := range Exprs(n) {
		if err := checkExpr(e, in); err != nil {
			return err
		}
	}
	for i := range n.Calls {
		c := &n.Calls[i]
		if (c.Fn == nil) == (c.Agg == nil) {
			return fmt.Errorf("call %s is neither function nor aggregate", c.Name)
		}
		want := c.argTypes()
		if len(want) != len(c.Args) {
			return fmt.Errorf("%s gets %d arguments for %d", c, len(c.Args), len(want))
		}
		for k, e := range c.Args {
			if !fits(e.Type(), want[k]) {
				return fmt.Errorf("%s gets %s for %s", c, e.Type(), want[k])
			}
		}
		if !fits(c.Ret(), n.Out[len(in)+i].Type) {
			return fmt.Errorf("%s yields %s, schema says %s", c, c.Ret(), n.Out[len(in)+i].Type)
		}
	}
	return nil
}

func (c *WindowCall) argTypes() []types.Type {
	if c.Agg != nil {
		return c.Agg.Args
	}
	return c.Fn.Args
}

// String returns the call as SQL, without OVER.
func (c *WindowCall) String() string {
	var s string
	if c.Agg != nil {
		s = AggCall{Fn: c.Agg, Args: c.Args, Distinct: c.Distinct, Filter: c.Filter}.String()
	} else {
		s = c.Fn.Name + "(" + exprList(c.Args) + ")"
	}
	if c.IgnoreNulls {
		s += " IGNORE NULLS"
	}
	return s
}

var (
	unitNames    = [...]string{FrameRows: "ROWS", FrameRange: "RANGE", FrameGroups: "GROUPS"}
	excludeNames = [...]string{ExcludeNothing: "", ExcludeCurrentRow: " EXCLUDE CURRENT ROW", ExcludeGroup: " EXCLUDE GROUP", ExcludeTies: " EXCLUDE TIES"}
)

// String returns the frame as SQL; a range shows the value of the order key at its ends.
func (f Frame) String() string {
	end := func(b Bound, unbounded string) string {
		switch b.Kind {
		case Unbounded:
			return "UNBOUNDED " + unbounded
		case CurrentRow:
			return "CURRENT ROW"
		}
		what := b.Offset.String()
		if f.Unit == FrameRange {
			return what
		}
		if b.Kind == Preceding {
			return what + " PRECEDING"
		}
		return what + " FOLLOWING"
	}
	return unitNames[f.Unit] + " BETWEEN " + end(f.Start, "PRECEDING") + " AND " + end(f.End, "FOLLOWING") + excludeNames[f.Exclude]
}

func describeWindow(n *Window) string {
	s := "Window"
	if len(n.Partition) > 0 {
		s += " partition=[" + exprList(n.Partition) + "]"
	}
	if len(n.Order) > 0 {
		s += " order=[" + sortKeys(n.Order) + "]"
	}
	parts := make([]string, len(n.Calls))
	for i := range n.Calls {
		c := &n.Calls[i]
		parts[i] = c.String()
		if c.Agg != nil || !c.Fn.Ordered() {
			parts[i] += " " + c.Frame.String()
		}
	}
	return s + " calls=[" + strings.Join(parts, ", ") + "]"
}
