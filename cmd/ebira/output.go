package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/ebira-db/ebira/session"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vec/arrowvec"
)

// writer prints the rows of one result.
type writer interface {
	begin(schema types.Schema) error
	batch(b *vec.Batch) error
	end() error
}

// newWriter makes the writer of a --format.
func newWriter(format string, w io.Writer) (writer, error) {
	switch format {
	case "table":
		return &tableWriter{w: bufio.NewWriter(w)}, nil
	case "csv":
		return &csvWriter{w: bufio.NewWriter(w)}, nil
	case "json":
		return &jsonWriter{w: bufio.NewWriter(w)}, nil
	case "arrow":
		return &arrowWriter{out: w}, nil
	}
	return nil, fmt.Errorf("--format is table, csv, json or arrow, not %q", format)
}

// printRows prints a whole result and returns the number of rows.
func printRows(ctx context.Context, r *rows, w writer) (int, error) {
	if err := w.begin(r.schema); err != nil {
		return 0, err
	}
	n := 0
	for {
		b, err := r.next(ctx)
		if err != nil {
			return n, err
		}
		if b == nil {
			return n, w.end()
		}
		n += b.Len
		if err := w.batch(b); err != nil {
			return n, err
		}
	}
}

// texts returns the values of a batch as text, nil for NULL.
func texts(b *vec.Batch) ([][]*string, error) {
	out := make([][]*string, b.Len)
	for i := range out {
		out[i] = make([]*string, len(b.Cols))
	}
	for j, c := range b.Cols {
		t, err := session.Texts(c)
		if err != nil {
			return nil, err
		}
		for i := range out {
			if !t.IsNull(i) {
				s := string(t.Bytes(i))
				out[i][j] = &s
			}
		}
	}
	return out, nil
}

// tableWriter lines the columns up. It holds tableRows rows to find their widths; later rows use these widths.
type tableWriter struct {
	w      *bufio.Writer
	names  []string
	right  []bool
	held   [][]*string
	widths []int
}

const (
	tableRows     = 1000
	maxTableWidth = 80 // of one column
)

func (t *tableWriter) begin(schema types.Schema) error {
	for _, f := range schema {
		t.names = append(t.names, f.Name)
		t.right = append(t.right, f.Type.IsNumeric())
	}
	return nil
}

func (t *tableWriter) batch(b *vec.Batch) error {
	rows, err := texts(b)
	if err != nil {
		return err
	}
	if t.widths == nil {
		t.held = append(t.held, rows...)
		if len(t.held) < tableRows {
			return nil
		}
		rows = t.held
		t.head(rows)
	}
	for _, r := range rows {
		t.line(r)
	}
	return t.w.Flush()
}

func (t *tableWriter) end() error {
	if t.widths == nil {
		t.head(t.held)
		for _, r := range t.held {
			t.line(r)
		}
	}
	return t.w.Flush()
}

func (t *tableWriter) head(rows [][]*string) {
	t.widths = make([]int, len(t.names))
	for j, n := range t.names {
		t.widths[j] = utf8.RuneCountInString(n)
		for _, r := range rows {
			t.widths[j] = max(t.widths[j], min(utf8.RuneCountInString(cell(r[j])), maxTableWidth))
		}
	}
	header, rule := make([]*string, len(t.names)), make([]string, len(t.names))
	for j := range t.names {
		header[j] = &t.names[j]
		rule[j] = strings.Repeat("-", t.widths[j])
	}
	t.line(header)
	fmt.Fprintln(t.w, strings.Join(rule, "-+-"))
}

// cell is the text of one value in a table. Control characters are written out, so that data cannot steer the terminal.
func cell(s *string) string {
	if s == nil {
		return "NULL"
	}
	if strings.IndexFunc(*s, unicode.IsControl) < 0 {
		return *s
	}
	var b strings.Builder
	for _, r := range *s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case unicode.IsControl(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func (t *tableWriter) line(r []*string) {
	for j, s := range r {
		text := cell(s)
		pad := strings.Repeat(" ", max(t.widths[j]-utf8.RuneCountInString(text), 0))
		if j > 0 {
			t.w.WriteString(" | ")
		}
		switch {
		case t.right[j]:
			t.w.WriteString(pad + text)
		case j == len(r)-1:
			t.w.WriteString(text)
		default:
			t.w.WriteString(text + pad)
		}
	}
	t.w.WriteByte('\n')
}

// csvWriter prints RFC 4180 with a header and lines that end in \n. NULL is empty and the empty string is "", so that both come back.
type csvWriter struct{ w *bufio.Writer }

func (c *csvWriter) begin(schema types.Schema) error {
	names := make([]*string, len(schema))
	for i := range schema {
		names[i] = &schema[i].Name
	}
	c.line(names)
	return nil
}

func (c *csvWriter) batch(b *vec.Batch) error {
	rows, err := texts(b)
	if err != nil {
		return err
	}
	for _, r := range rows {
		c.line(r)
	}
	return c.w.Flush()
}

// line writes one record; the buffered writer keeps the first error for Flush.
func (c *csvWriter) line(cells []*string) {
	for j, s := range cells {
		if j > 0 {
			c.w.WriteByte(',')
		}
		switch {
		case s == nil:
		case *s == "" || strings.ContainsAny(*s, ",\"\r\n") || (*s)[0] == ' ':
			c.w.WriteString(`"` + strings.ReplaceAll(*s, `"`, `""`) + `"`)
		default:
			c.w.WriteString(*s)
		}
	}
	c.w.WriteByte('\n')
}

func (c *csvWriter) end() error { return c.w.Flush() }

// jsonWriter prints one object per row. Numbers and booleans stay what they are; VARIANT and JSON cells are JSON.
type jsonWriter struct {
	w      *bufio.Writer
	schema types.Schema
	keys   []string
}

func (j *jsonWriter) begin(schema types.Schema) error {
	j.schema = schema
	for _, f := range schema {
		k, err := jsonText(f.Name)
		if err != nil {
			return err
		}
		j.keys = append(j.keys, k)
	}
	return nil
}

func (j *jsonWriter) batch(b *vec.Batch) error {
	rows, err := texts(b)
	if err != nil {
		return err
	}
	for _, r := range rows {
		for k, s := range r {
			sep := ","
			if k == 0 {
				sep = "{"
			}
			v, err := jsonValue(j.schema[k].Type, s)
			if err != nil {
				return err
			}
			j.w.WriteString(sep + j.keys[k] + ":" + v)
		}
		j.w.WriteString("}\n")
	}
	return j.w.Flush()
}

func jsonValue(t types.Type, s *string) (string, error) {
	if s == nil {
		return "null", nil
	}
	nested := t.Kind == types.Array || t.Kind == types.Struct || t.Kind == types.Map
	plain := t.IsNumeric() || t.Kind == types.Boolean || t.IsVariant() || nested
	if plain && json.Valid([]byte(*s)) {
		return *s, nil
	}
	return jsonText(*s)
}

// jsonText is a string as JSON, without the escapes for HTML.
func jsonText(s string) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(s)
	return strings.TrimSuffix(b.String(), "\n"), err
}

func (j *jsonWriter) end() error { return j.w.Flush() }

// arrowWriter writes an Arrow IPC stream.
type arrowWriter struct {
	out    io.Writer
	schema *arrow.Schema
	w      *ipc.Writer
}

func (a *arrowWriter) begin(schema types.Schema) error {
	wire := make(types.Schema, len(schema))
	for i, f := range schema {
		wire[i] = types.Field{Name: f.Name, Type: f.Type}
	}
	a.schema = new(arrowvec.Options).Schema(wire)
	a.w = ipc.NewWriter(a.out, ipc.WithSchema(a.schema))
	return nil
}

func (a *arrowWriter) batch(b *vec.Batch) error {
	rec, err := arrowvec.Record(a.schema, b)
	if err != nil {
		return err
	}
	defer rec.Release()
	return a.w.Write(rec)
}

func (a *arrowWriter) end() error { return a.w.Close() }
