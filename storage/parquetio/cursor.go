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
	// err is a value of the page that cannot be converted: none of the page's rows can be had then. With keep, such values are taken
	// out instead and listed in bad, ascending by entry; found takes those whose rows were read. holes counts the values taken out that
	// still have a place in vals.
	err   *valueError
	keep  bool
	bad   []valueError
	holes int
	found func(row int, err error)
}

// load reads the next page; io.EOF at the end of the chunk.
func (c *leafCursor) load() error {
	d, err := c.pages.next(!c.flat)
	if err != nil {
		return err
	}
	c.page, c.pos, c.used, c.err, c.bad, c.holes = d, 0, 0, nil, nil, 0
	if c.shape.t.Kind == types.Null {
		c.vals = vec.NewNull(c.shape.t, d.Entries)
		return nil
	}
	if c.vals, err = c.vector(nil); err == nil {
		return nil
	}
	ve, bad := errors.AsType[*valueError](err)
	switch {
	case !bad:
		return err
	case c.keep:
		return c.dropBad()
	}
	c.err = c.locate(ve)
	c.vals = vec.NewNull(c.shape.t, c.page.Entries)
	return nil
}

// vector converts the page: to a vector of rows if flat, else to one of values, where holes, if not nil, has a clear bit for each value
// that was taken out.
func (c *leafCursor) vector(holes vec.Bitmap) (*vec.Vector, error) {
	d := &c.page
	switch {
	case c.flat:
		return spreadValues(&d.Values, c.shape.t, d.Valid, d.Entries, c.shape.conv)
	case holes != nil:
		return spreadValues(&d.Values, c.shape.t, holes, d.Values.N+c.holes, c.shape.conv)
	}
	return spreadValues(&d.Values, c.shape.t, nil, d.Values.N, c.shape.conv)
}

// dropBad takes the values that cannot be converted out of the page and lists them in bad. Their entries become NULL; where the leaf
// itself cannot be, as inside of some nested types, whatever their row holds then means nothing.
func (c *leafCursor) dropBad() error {
	d := &c.page
	distinct := &d.Values
	if d.Values.Dict != nil {
		distinct = d.Values.Dict
	}
	errs := map[uint32]error{}
	for i := range uint32(distinct.N) {
		one := distinct.pick([]uint32{i})
		_, err := c.shape.conv(&one, c.shape.t)
		if ve, bad := errors.AsType[*valueError](err); bad {
			errs[i] = ve.err
		} else if err != nil {
			return err
		}
	}
	optional := c.shape.node.Repetition == Optional
	var good []uint32
	var holes vec.Bitmap
	if c.flat && d.Valid == nil {
		d.Valid = vec.NewBitmapSet(d.Entries)
	} else if !c.flat && !optional {
		holes = vec.NewBitmapSet(d.Values.N)
	}
	k := 0
	for entry := range d.Entries {
		if !c.present(entry) {
			continue
		}
		at := uint32(k)
		if d.Values.Dict != nil {
			at = d.Values.Codes[k]
		}
		k++
		err := errs[at]
		if err == nil {
			good = append(good, at)
			continue
		}
		c.bad = append(c.bad, valueError{Index: entry, err: err})
		switch {
		case c.flat:
			d.Valid.Clear(entry)
		case optional:
			d.Def[entry]--
		default:
			holes.Clear(k - 1)
			c.holes++
		}
	}
	d.Values = distinct.pick(good)
	var err error
	c.vals, err = c.vector(holes)
	return err
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
		if c.err != nil && bad == nil {
			bad = &valueError{Index: got + c.err.Index - c.pos, err: c.err.err}
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

// rowsTo returns how many rows begin between the present entry and the end of the given one; below zero for one that lies before.
func (c *leafCursor) rowsTo(entry int) int {
	n := 0
	for i := c.pos; i <= entry; i++ {
		if c.page.Rep[i] == 0 {
			n++
		}
	}
	for i := entry + 1; i < c.pos; i++ {
		if c.page.Rep[i] == 0 {
			n--
		}
	}
	return n
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
		k, values, first := 0, 0, begun
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
		if c.err != nil && bad == nil && k > 0 {
			bad = &valueError{Index: first - 1 + c.rowsTo(c.err.Index), err: c.err.err}
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
