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
	// err is a value of the page that cannot be converted, reported when its rows are reached. With keep, such values become NULL
	// instead and are listed in bad, ascending by entry; found takes those whose rows were read.
	err   *valueError
	keep  bool
	bad   []valueError
	found func(row int, err error)
}

// maxBadOfPage bounds how many bad values of a page are dropped one by one.
const maxBadOfPage = 1000

// load reads the next page; io.EOF at the end of the chunk.
func (c *leafCursor) load() error {
	d, err := c.pages.next(!c.flat)
	if err != nil {
		return err
	}
	c.page, c.pos, c.used, c.err, c.bad = d, 0, 0, nil, nil
	if c.shape.t.Kind == types.Null {
		c.vals = vec.NewNull(c.shape.t, d.Entries)
		return nil
	}
	for {
		valid, n := c.page.Valid, c.page.Entries
		if !c.flat {
			valid, n = nil, c.page.Values.N
		}
		c.vals, err = spreadValues(&c.page.Values, c.shape.t, valid, n, c.shape.conv)
		ve, bad := errors.AsType[*valueError](err)
		if !bad {
			return err
		}
		at := c.locate(ve)
		if c.keep && len(c.bad) < maxBadOfPage && c.drop(at.Index) {
			c.bad = append(c.bad, *at)
			continue
		}
		c.err = at
		c.vals = vec.NewNull(c.shape.t, n)
		return nil
	}
}

// drop makes the value of an entry of the page NULL; false if the column has none.
func (c *leafCursor) drop(entry int) bool {
	d := &c.page
	if c.shape.node.Repetition != Optional {
		return false
	}
	k := 0
	for i := range entry {
		if c.present(i) {
			k++
		}
	}
	if d.Values.Dict != nil {
		d.Values = d.Values.withoutDict()
	}
	d.Values.remove(k)
	if !c.flat {
		d.Def[entry]--
		return true
	}
	if d.Valid == nil {
		d.Valid = vec.NewBitmapSet(d.Entries)
	}
	d.Valid.Clear(entry)
	return true
}

// present tells whether an entry of the page has a value.
func (c *leafCursor) present(i int) bool {
	if c.flat {
		return c.page.Valid.Get(i)
	}
	return int(c.page.Def[i]) == c.shape.node.MaxDef
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
		if c.present(i) {
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
		for len(c.bad) > 0 && c.bad[0].Index < c.pos+k {
			c.found(got+c.bad[0].Index-c.pos, c.bad[0].err)
			c.bad = c.bad[1:]
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
			if len(c.bad) > 0 && c.bad[0].Index == c.pos+k {
				c.found(max(begun-1, 0), c.bad[0].err)
				c.bad = c.bad[1:]
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
