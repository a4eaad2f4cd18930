package parquetio

import (
	"errors"
	"io"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// leafCursor reads a leaf of a row group in steps of rows, across pages that are cut anywhere.
type leafCursor struct {
	pages *pageReader
	shape *shape
	flat  bool // neither repetition nor a group above: pages become vectors at once

	page Data
	pos  int // entries of page consumed
	// vals is the page as a vector: of rows if flat, else of values without NULLs, of which used are consumed.
	vals *vec.Vector
	used int
	// err is a value of the page that cannot be converted, reported when its rows are reached.
	err *valueError
}

// load reads the next page; io.EOF at the end of the chunk.
func (c *leafCursor) load() error {
	d, err := c.pages.next(!c.flat)
	if err != nil {
		return err
	}
	c.page, c.pos, c.used, c.err = d, 0, 0, nil
	if c.shape.t.Kind == types.Null {
		c.vals = vec.NewNull(c.shape.t, d.Entries)
		return nil
	}
	valid, n := d.Valid, d.Entries
	if !c.flat {
		valid, n = nil, d.Values.N
	}
	c.vals, err = spreadValues(&d.Values, c.shape.t, valid, n, c.shape.conv)
	if ve, ok := errors.AsType[*valueError](err); ok {
		c.err = c.locate(ve)
		c.vals = vec.NewNull(c.shape.t, n)
		return nil
	}
	return err
}

// locate turns the index of a bad value, or of a bad dictionary entry, into the entry of the page where it first stands.
func (c *leafCursor) locate(ve *valueError) *valueError {
	k := ve.Index
	if c.page.Values.Dict != nil {
		for i, code := range c.page.Values.Codes {
			if int(code) == ve.Index {
				k = i
				break
			}
		}
	}
	for i := range c.page.Entries {
		there := c.page.Valid.Get(i)
		if !c.flat {
			there = int(c.page.Def[i]) == c.shape.node.MaxDef
		}
		if there {
			if k--; k < 0 {
				return &valueError{Index: i, err: ve.err}
			}
		}
	}
	return &valueError{err: ve.err}
}

// rows returns the next n rows of a flat leaf.
func (c *leafCursor) rows(n int) (*vec.Vector, error) {
	var parts []*vec.Vector
	var bad *valueError
	for got := 0; got < n; {
		if c.pos == c.page.Entries {
			if err := c.load(); err != nil {
				return nil, unexpectedEnd(err, c.shape.node)
			}
		}
		k := min(n-got, c.page.Entries-c.pos)
		if c.err != nil && bad == nil && c.err.Index < c.pos+k {
			bad = &valueError{Index: max(got+c.err.Index-c.pos, 0), err: c.err.err}
		}
		parts = append(parts, c.vals.Slice(c.pos, c.pos+k))
		c.pos += k
		got += k
	}
	if bad != nil {
		return nil, bad
	}
	return vec.Concat(c.shape.t, parts...), nil
}

// entries returns the entries of the next n rows of a leaf with levels: up to the entry that starts the row behind them.
func (c *leafCursor) entries(n int) (*column, error) {
	out := new(column)
	var parts []*vec.Vector
	var bad *valueError
	for begun := 0; ; {
		if c.pos == c.page.Entries {
			err := c.load()
			if errors.Is(err, io.EOF) && begun == n {
				break
			}
			if err != nil {
				return nil, unexpectedEnd(err, c.shape.node)
			}
		}
		rep, def := c.page.Rep[c.pos:], c.page.Def[c.pos:]
		k, values := 0, 0
		for k < len(rep) {
			if rep[k] == 0 {
				if begun == n {
					break
				}
				begun++
			}
			if int(def[k]) == c.shape.node.MaxDef {
				values++
			}
			k++
		}
		if c.err != nil && bad == nil && c.err.Index < c.pos+k {
			bad = &valueError{Index: max(begun-1, 0), err: c.err.err}
		}
		out.rep, out.def = append(out.rep, rep[:k]...), append(out.def, def[:k]...)
		if c.shape.t.Kind != types.Null {
			parts = append(parts, c.vals.Slice(c.used, c.used+values))
		}
		c.used += values
		c.pos += k
		if c.pos < c.page.Entries {
			break
		}
	}
	if len(out.rep) > 0 && out.rep[0] != 0 {
		return nil, corrupt("column %s starts inside a row", c.shape.node.Name)
	}
	if bad != nil {
		return nil, bad
	}
	out.dense = vec.Flatten(vec.Concat(c.shape.t, parts...))
	return out, nil
}
