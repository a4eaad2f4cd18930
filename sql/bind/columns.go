package bind

import (
	"strings"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/vec"
)

// Columns binds the column definitions of CREATE TABLE. The columns have no ids yet.
func Columns(env *Env, defs []parse.ColumnDef) ([]catalog.Column, error) {
	out := make([]catalog.Column, 0, len(defs))
	seen := map[string]bool{}
	for i := range defs {
		c, err := Column(env, &defs[i])
		if err != nil {
			return nil, err
		}
		key := strings.ToLower(c.Name)
		if seen[key] {
			return nil, sqlerr.At(sqlerr.Exists, defs[i].Pos(), "column %s is defined twice", c.Name)
		}
		seen[key] = true
		out = append(out, c)
	}
	return out, nil
}

// Column binds one column definition: type, nullability, default. DefaultValue is what the default evaluates to now.
func Column(env *Env, d *parse.ColumnDef) (catalog.Column, error) {
	c := catalog.Column{Name: d.Name.Name, NotNull: d.Null == parse.NotNull}
	if d.Type == nil {
		return c, sqlerr.At(sqlerr.Bind, d.Pos(), "column %s needs a type", d.Name.Name)
	}
	if len(d.Constraints) > 0 {
		return c, refuseConstraint(&d.Constraints[0])
	}
	t, err := Type(d.Type)
	if err != nil {
		return c, err
	}
	c.Type = t
	switch {
	case t.Kind == types.Interval:
		return c, sqlerr.At(sqlerr.Unsupported, d.Type.Pos(), "columns of type INTERVAL are not supported; store a number of seconds or days")
	case t.Kind == types.Variant && strings.Contains(c.Name, "."):
		return c, sqlerr.At(sqlerr.Bind, d.Pos(), "the name of a VARIANT column must not contain a dot: %s", c.Name)
	}
	if d.Comment != nil {
		c.Comment = d.Comment.Value
	}
	if d.Default == nil {
		return c, nil
	}
	return c, bindDefault(env, d, &c)
}

// bindDefault checks DEFAULT: a constant expression of the column's type, NULL only for nullable columns and VARIANT.
func bindDefault(env *Env, d *parse.ColumnDef, c *catalog.Column) error {
	pos := d.Default.Pos()
	b := newBinder(env)
	s := &scope{b: b, clause: "DEFAULT"}
	x, err := s.bind(d.Default)
	if err != nil {
		return err
	}
	if x, err = b.assign(x, c, pos); err != nil {
		return err
	}
	v, err := evaluate(env.Ctx, x, pos)
	if err != nil {
		return err
	}
	if v.IsNull(0) {
		if c.NotNull {
			return sqlerr.At(sqlerr.Constraint, pos, "column %s is NOT NULL but its default is NULL", c.Name)
		}
		return nil
	}
	if c.Type.Kind == types.Variant {
		return sqlerr.At(sqlerr.Unsupported, pos, "the default of a VARIANT column can only be NULL")
	}
	c.Default, c.DefaultValue = d.DefaultText, vec.Flatten(v)
	return nil
}

// DefaultOf returns the one row that the DEFAULT of a column stands for now, nil if it has none or that is NULL.
func DefaultOf(env *Env, c *catalog.Column) (*vec.Vector, error) {
	if c.Default == "" {
		return nil, nil
	}
	b := newBinder(env)
	x, err := b.defaultOf(c, 0)
	if err != nil {
		return nil, err
	}
	v, err := evaluate(env.Ctx, x, 0)
	if err != nil {
		return nil, err
	}
	if v.IsNull(0) {
		if c.NotNull {
			return nil, sqlerr.New(sqlerr.Constraint, "column %s is NOT NULL but its default is NULL", c.Name)
		}
		return nil, nil
	}
	if c.Type.Kind == types.Variant {
		return nil, sqlerr.New(sqlerr.Unsupported, "the default of a VARIANT column can only be NULL")
	}
	return vec.Flatten(v), nil
}

var constraintNames = [...]string{
	parse.ConstraintPrimaryKey: "PRIMARY KEY", parse.ConstraintUnique: "UNIQUE", parse.ConstraintForeignKey: "FOREIGN KEY",
	parse.ConstraintCheck: "CHECK", parse.ConstraintAutoIncrement: "AUTO_INCREMENT", parse.ConstraintAggregate: "an aggregation type",
	parse.ConstraintGenerated: "a generated column", parse.ConstraintOnUpdate: "ON UPDATE",
}

// refuseConstraint is the error for constraints: none is enforced here, so none may be accepted silently.
func refuseConstraint(c *parse.Constraint) error {
	return sqlerr.At(sqlerr.Unsupported, c.Pos(), "%s is not supported", constraintNames[c.Kind])
}

// ResultColumns makes table columns of the output of a query, for CREATE TABLE ... AS. names replace the output names if not empty.
func ResultColumns(schema types.Schema, names []parse.ColumnDef, pos int) ([]catalog.Column, error) {
	if len(names) > 0 && len(names) != len(schema) {
		return nil, sqlerr.At(sqlerr.Bind, names[0].Pos(), "%d column names for a query with %d columns", len(names), len(schema))
	}
	out := make([]catalog.Column, len(schema))
	seen := map[string]bool{}
	for i, f := range schema {
		c := catalog.Column{Name: f.Name, Type: f.Type}
		if len(names) > 0 {
			c.Name = names[i].Name.Name
			if names[i].Comment != nil {
				c.Comment = names[i].Comment.Value
			}
			c.NotNull = names[i].Null == parse.NotNull
			if names[i].Type != nil {
				t, err := Type(names[i].Type)
				if err != nil {
					return nil, err
				}
				c.Type = t
			}
		}
		switch c.Type.Kind {
		case types.Null:
			c.Type = types.Of(types.Varchar)
		case types.Interval:
			return nil, sqlerr.At(sqlerr.Unsupported, pos, "column %s would be an INTERVAL, which tables cannot store; cast it", c.Name)
		}
		if seen[strings.ToLower(c.Name)] {
			return nil, sqlerr.At(sqlerr.Bind, pos, "the query has two columns named %s; give one of them an alias", c.Name)
		}
		seen[strings.ToLower(c.Name)] = true
		out[i] = c
	}
	return out, nil
}
