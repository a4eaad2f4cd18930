package session

import (
	"sort"
	"strconv"
	"strings"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/storage/catalog"
)

// tableClauses checks the clauses behind the column list: those that cannot change an answer are kept for SHOW CREATE TABLE, the others
// are refused until they are built.
//
// A table made by a query has its columns only after the query is bound: columnsKnown is false before, and column names are not looked at.
func (s *Session) tableClauses(t *catalog.Table, st *parse.CreateTable, columnsKnown bool) error {
	if !columnsKnown {
		return nil
	}
	for _, c := range st.Constraints {
		return sqlerr.At(sqlerr.Unsupported, c.Pos(), "%s is not supported; DUPLICATE KEY (columns) sets the sort order", constraintName(c.Kind))
	}
	if st.Partition != nil {
		return sqlerr.At(sqlerr.Unsupported, st.Partition.Pos(), "PARTITION BY is not supported; segments are skipped by their statistics")
	}
	if err := s.sortKey(t, st); err != nil {
		return err
	}
	if d := st.Distribution; d != nil {
		for _, id := range d.Columns {
			c, err := column(t, id)
			if err != nil {
				return err
			}
			if c.Type.Kind == types.Variant {
				return sqlerr.At(sqlerr.Bind, id.Pos(), "a VARIANT column cannot distribute rows")
			}
		}
	}
	for i := range st.Indexes {
		if err := s.index(t, &st.Indexes[i]); err != nil {
			return err
		}
	}
	for _, p := range st.Properties {
		if err := tableProperty(t, p); err != nil {
			return err
		}
	}
	for _, o := range st.Options {
		if err := tableOption(t, o); err != nil {
			return err
		}
	}
	return nil
}

// sortKey takes DUPLICATE KEY, CLUSTER BY or ORDER BY as the sort order of segments.
func (s *Session) sortKey(t *catalog.Table, st *parse.CreateTable) error {
	var cols []parse.Ident
	if k := st.Key; k != nil {
		switch k.Kind {
		case parse.UniqueKey:
			return sqlerr.At(sqlerr.Unsupported, k.Pos(), "UNIQUE KEY tables are not supported")
		case parse.AggregateKey:
			return sqlerr.At(sqlerr.Unsupported, k.Pos(), "AGGREGATE KEY tables are not supported")
		}
		cols = k.Columns
	}
	for _, e := range append(append([]parse.Expr{}, st.ClusterBy...), st.OrderBy...) {
		ref, ok := e.(*parse.ColumnRef)
		if !ok || len(ref.Parts) != 1 {
			return sqlerr.At(sqlerr.Unsupported, e.Pos(), "the sort order takes column names only")
		}
		cols = append(cols, ref.Parts[0])
	}
	for _, id := range cols {
		c, err := column(t, id)
		if err != nil {
			return err
		}
		if c.Type.IsVariant() || c.Type.Phys() == types.PhysList || c.Type.Phys() == types.PhysStruct {
			return sqlerr.At(sqlerr.Bind, id.Pos(), "column %s of type %s cannot be in the key", c.Name, c.Type.Kind)
		}
		t.SortKey = append(t.SortKey, c.ID)
	}
	return nil
}

// index keeps the definition of an inverted index. It can only save work, so until a text index is built rows are found by scanning.
func (s *Session) index(t *catalog.Table, d *parse.IndexDef) error {
	var names []string
	for _, id := range d.Columns {
		c, err := column(t, id)
		if err != nil {
			return err
		}
		names = append(names, types.QuoteName(c.Name))
	}
	def := "(" + strings.Join(names, ", ") + ")"
	if d.Using != "" {
		def += " USING " + d.Using
	}
	if len(d.Properties) > 0 {
		var props []string
		for _, p := range d.Properties {
			props = append(props, strconv.Quote(p.Name)+" = "+strconv.Quote(p.Value.Text))
		}
		def += " PROPERTIES (" + strings.Join(props, ", ") + ")"
	}
	setProperty(t, "index "+d.Name.Name, def)
	return nil
}

// knownProperties are the PROPERTIES that are kept: none changes an answer.
var knownProperties = map[string]bool{
	"replication_num": true, "replication_allocation": true, "storage_format": true, "bloom_filter_columns": true, "compression": true,
	"storage_medium": true, "inverted_index_storage_format": true, "disable_auto_compaction": true, "group_commit_interval_ms": true,
	"group_commit_data_bytes": true, "light_schema_change": true, "enable_duplicate_without_keys_by_default": true, "in_memory": true,
	"compaction_policy": true, "enable_single_replica_compaction": true, "store_row_column": true, "dynamic_partition.enable": true,
}

func tableProperty(t *catalog.Table, p parse.Option) error {
	name := strings.ToLower(p.Name)
	switch {
	case name == "enable_schema_evolution":
		return tableOption(t, p)
	case name == "variant_enable_flatten_nested":
		return sqlerr.At(sqlerr.Unsupported, p.Pos(), "variant_enable_flatten_nested is gone; use variant_enable_nested_group")
	case name == "storage_format":
		if v := strings.ToUpper(p.Value.Text); v != "V2" && v != "V3" && v != "DEFAULT" {
			return sqlerr.At(sqlerr.Bind, p.Pos(), "storage_format is V2 or V3, not %q", p.Value.Text)
		}
	case name == "bloom_filter_columns":
		for _, c := range strings.Split(p.Value.Text, ",") {
			if _, err := column(t, parse.Ident{Place: p.Place, Name: strings.TrimSpace(c)}); err != nil {
				return err
			}
		}
	case !knownProperties[name]:
		msg := "unknown property " + p.Name
		if near := nearest(name, sortedKeys(knownProperties)); near != "" {
			msg += "; did you mean " + near + "?"
		}
		return sqlerr.At(sqlerr.Bind, p.Pos(), "%s", msg)
	}
	setProperty(t, name, p.Value.Text)
	return nil
}

// tableOption sets a NAME = value option.
func tableOption(t *catalog.Table, o parse.Option) error {
	switch strings.ToLower(o.Name) {
	case "enable_schema_evolution":
		switch strings.ToLower(o.Value.Text) {
		case "true":
			t.Evolution = true
		case "false":
			t.Evolution = false
		default:
			return sqlerr.At(sqlerr.Bind, o.Pos(), "ENABLE_SCHEMA_EVOLUTION is true or false, not %q", o.Value.Text)
		}
		return nil
	case "auto_increment":
		return sqlerr.At(sqlerr.Unsupported, o.Pos(), "AUTO_INCREMENT is not supported")
	case "charset", "character set", "collate", "default charset":
		return nil
	}
	return sqlerr.At(sqlerr.Bind, o.Pos(), "unknown table option %s; known is ENABLE_SCHEMA_EVOLUTION", o.Name)
}

// setProperty adds or replaces a property.
func setProperty(t *catalog.Table, name, value string) {
	props := append([]types.Property{}, t.Properties...)
	for i := range props {
		if props[i].Name == name {
			props[i].Value = value
			t.Properties = props
			return
		}
	}
	t.Properties = append(props, types.Property{Name: name, Value: value})
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
