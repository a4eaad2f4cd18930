package bind

import (
	"github.com/ebira-db/ebira/sql/expr"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/plan"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// sampleParts is into how many parts hashes are cut where a share of the rows is wanted.
const sampleParts = 1_000_000

// sample keeps some rows of a relation: each with the probability of the given percentage, whatever the method, or as many as are asked for.
// A seed makes the choice depend on the number of the row alone.
func (b *binder) sample(rel *relation, t *parse.Sample) (*relation, error) {
	if t == nil {
		return rel, nil
	}
	s := &scope{b: b, clause: "a sample"}
	size, err := s.sampleNumber(t.Value, "the size of a sample")
	if err != nil {
		return nil, err
	}
	if !t.Rows && t.Method == "RESERVOIR" {
		return nil, sqlerr.At(sqlerr.Unsupported, t.Pos(), "a RESERVOIR sample takes a number of ROWS, not a percentage")
	}
	if t.Rows && (t.Method == "BERNOULLI" || t.Method == "SYSTEM") {
		return nil, sqlerr.At(sqlerr.Unsupported, t.Pos(), "a %s sample takes a percentage, not a number of rows", t.Method)
	}
	width := len(rel.node.Schema())
	node, chance, err := s.chance(rel.node, t)
	if err != nil {
		return nil, err
	}
	if t.Rows {
		if size < 0 || size != float64(int64(size)) {
			return nil, sqlerr.At(sqlerr.OutOfRange, t.Value.Pos(), "a sample needs a whole number of rows from 0 on")
		}
		exprs, names := plan.Identity(node.Schema())
		tagged := plan.NewProject(node, append(exprs, chance), append(names, "$chance"))
		key := plan.SortKey{Expr: plan.ColumnOf(tagged.Out, len(exprs))}
		first := &plan.Limit{Input: &plan.Sort{Input: tagged, Keys: []plan.SortKey{key}, Limit: -1}, Count: int64(size)}
		return &relation{node: pick(first, span(0, width)), cols: rel.cols}, nil
	}
	if !(size >= 0 && size <= 100) {
		return nil, sqlerr.At(sqlerr.OutOfRange, t.Value.Pos(), "the percentage of a sample must be between 0 and 100")
	}
	limit := expr.Expr(constOf(types.Of(types.Double), size/100))
	if t.Seed != nil {
		limit = constOf(types.Of(types.BigInt), int64(size/100*sampleParts))
	}
	cond, err := s.operator(t.Pos(), parse.OpLt, chance, limit)
	if err != nil {
		return nil, err
	}
	node = &plan.Filter{Input: node, Cond: cond}
	if len(node.Schema()) > width {
		node = pick(node, span(0, width))
	}
	return &relation{node: node, cols: rel.cols}, nil
}

// chance returns an expression by which rows are chosen: a random number from 0 to 1, or with a seed a hash of the row's number, from 0 to
// sampleParts where a percentage is wanted.
func (s *scope) chance(node plan.Node, t *parse.Sample) (plan.Node, expr.Expr, error) {
	if t.Seed == nil {
		x, err := s.resolve(t.Pos(), "random")
		return node, x, err
	}
	seed, err := s.sampleNumber(t.Seed, "the seed of a sample")
	if err != nil {
		return nil, nil, err
	}
	if node, err = numbered(node); err != nil {
		return nil, nil, err
	}
	number := s.coerce(plan.ColumnOf(node.Schema(), len(node.Schema())-1), types.Of(types.Varchar))
	x, err := s.resolve(t.Pos(), "concat", number, textConst(":"+string(types.AppendDouble(nil, seed))))
	if err != nil {
		return nil, nil, err
	}
	if x, err = s.resolve(t.Pos(), "hash", x); err != nil || t.Rows {
		return node, x, err
	}
	if x, err = s.operator(t.Pos(), parse.OpMod, x, constOf(types.Of(types.BigInt), int64(sampleParts))); err != nil {
		return nil, nil, err
	}
	x, err = s.resolve(t.Pos(), "abs", x)
	return node, x, err
}

// sampleNumber evaluates a constant of a sample.
func (s *scope) sampleNumber(e parse.Expr, what string) (float64, error) {
	x, err := s.bind(e)
	if err != nil {
		return 0, err
	}
	if !unknown(x) && !x.Type().IsNumeric() {
		return 0, sqlerr.At(sqlerr.Type, e.Pos(), "%s must be a number, not %s", what, x.Type())
	}
	x = s.coerce(x, types.Of(types.Double))
	if findParam(x) != nil {
		return 0, nil // its value comes when the statement runs
	}
	v, err := evaluate(s.b.env.Ctx, x, e.Pos())
	if err != nil {
		return 0, err
	}
	if v.IsNull(0) {
		return 0, sqlerr.At(sqlerr.OutOfRange, e.Pos(), "%s must not be NULL", what)
	}
	return vec.Slice[float64](vec.Flatten(v))[0], nil
}
