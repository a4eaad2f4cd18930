package session

import (
	"context"
	"slices"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
)

// commentOn is COMMENT ON TABLE, COLUMN, VIEW or DATABASE.
func (s *Session) commentOn(ctx context.Context, st *parse.Comment) (*Result, error) {
	text := ""
	if st.Text != nil {
		text = st.Text.Value
	}
	return s.change(ctx, func(snap *catalog.Snapshot) (*catalog.Edit, error) {
		var op catalog.Op
		var err error
		switch st.Kind {
		case parse.CommentTable, parse.CommentColumn:
			op, err = s.commentTable(snap, st, text)
		case parse.CommentView:
			var v *catalog.View
			if v, err = s.view(snap, st.Name); err == nil {
				n := *v
				n.Comment = text
				op = &catalog.PutView{View: &n}
			}
		case parse.CommentDatabase:
			id, nameErr := databaseName(st.Name)
			if nameErr != nil {
				return nil, nameErr
			}
			d, findErr := snap.Database(id.Name, id.Quoted)
			if findErr != nil {
				return nil, sqlerr.WithPlace(findErr, id.Pos())
			}
			op = &catalog.PutDatabase{Name: d.Name, Comment: text}
		}
		if err != nil {
			return nil, err
		}
		return &catalog.Edit{Ops: []catalog.Op{op}}, nil
	})
}

func (s *Session) commentTable(snap *catalog.Snapshot, st *parse.Comment, text string) (catalog.Op, error) {
	old, err := s.table(snap, st.Name)
	if err != nil {
		return nil, err
	}
	t := *old
	t.SchemaVersion++
	if st.Kind == parse.CommentTable {
		t.Comment = text
	} else {
		c, err := column(old, st.Column)
		if err != nil {
			return nil, err
		}
		t.Columns = slices.Clone(old.Columns)
		t.Columns[indexOf(old, c)].Comment = text
	}
	return &catalog.AlterTable{Table: &t, From: old.SchemaVersion}, nil
}
