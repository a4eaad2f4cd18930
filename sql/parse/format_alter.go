package parse

import "fmt"

// action writes one action of ALTER TABLE.
func (p *printer) action(a AlterAction) {
	switch n := a.(type) {
	case *SetTableOptions:
		p.put("SET OPTIONS ")
		p.optionList(n.Options, " = ")
	case *UnsetTableOptions:
		p.put("UNSET OPTIONS ")
		p.idents(n.Names)
	case *AddColumn:
		p.put("ADD COLUMN ")
		p.when(n.IfNotExists, "IF NOT EXISTS ")
		p.column(n.Column)
		p.columnPosition(n.First, n.After)
	case *DropColumn:
		p.put("DROP COLUMN ")
		p.when(n.IfExists, "IF EXISTS ")
		p.ident(n.Name)
	case *RenameColumn:
		p.put("RENAME COLUMN ")
		p.ident(n.From)
		p.put(" TO ")
		p.ident(n.To)
	case *RenameTable:
		p.put("RENAME TO ")
		p.name(n.To)
	case *ModifyColumn:
		p.put("MODIFY COLUMN ")
		p.column(n.Column)
		p.columnPosition(n.First, n.After)
	case *AlterColumn:
		p.alterColumn(n)
	case *SwapTable:
		p.put("SWAP WITH ")
		p.name(n.With)
	case *SetTableComment:
		p.put("COMMENT = ")
		p.str(n.Comment)
	case *AddIndex:
		p.put("ADD INDEX ")
		p.ident(n.Index.Name)
		p.put(" ")
		p.indexTail(n.Index)
	case *DropTableIndex:
		p.put("DROP INDEX ")
		p.when(n.IfExists, "IF EXISTS ")
		p.ident(n.Name)
	default:
		panic(fmt.Sprintf("BUG: no SQL form for %T", a))
	}
}

func (p *printer) alterColumn(n *AlterColumn) {
	p.put("ALTER COLUMN ")
	p.ident(n.Name)
	switch {
	case n.Type != nil:
		p.put(" SET DATA TYPE ")
		p.typeName(n.Type)
	case n.Default != nil:
		p.put(" SET DEFAULT ")
		p.expr(n.Default, precCompare+1)
	case n.DropDefault:
		p.put(" DROP DEFAULT")
	case n.Null == NotNull:
		p.put(" SET NOT NULL")
	case n.Null == Nullable:
		p.put(" DROP NOT NULL")
	default:
		p.put(" COMMENT ")
		p.str(n.Comment.Value)
	}
}

func (p *printer) commentOn(n *Comment) {
	p.put("COMMENT ON " + [...]string{CommentTable: "TABLE ", CommentColumn: "COLUMN ", CommentView: "VIEW ", CommentDatabase: "DATABASE "}[n.Kind])
	p.name(n.Name)
	if n.Kind == CommentColumn {
		p.put(".")
		p.ident(n.Column)
	}
	p.put(" IS ")
	if n.Text == nil {
		p.put("NULL")
	} else {
		p.str(n.Text.Value)
	}
}

func (p *printer) columnPosition(first bool, after Ident) {
	p.when(first, " FIRST")
	if after.Name != "" {
		p.put(" AFTER ")
		p.ident(after)
	}
}
