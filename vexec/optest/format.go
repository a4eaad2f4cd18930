package optest

import (
	"fmt"
	"strings"

	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
)

// FormatRow prints row i of b.
func FormatRow(b *vec.Batch, i int) string {
	parts := make([]string, len(b.Cols))
	for c, v := range b.Cols {
		if v.Len != b.Len {
			panic(fmt.Sprintf("BUG: column %d has %d rows in a batch of %d", c, v.Len, b.Len))
		}
		parts[c] = FormatValue(v, i)
	}
	return strings.Join(parts, " | ")
}

// plain returns b without Shredded columns, which are dear to print row by row.
func plain(b *vec.Batch) *vec.Batch {
	out := vec.NewBatch(b.Len)
	for _, c := range b.Cols {
		if c.Form == vec.Shredded {
			c = variant.Flatten(c)
		}
		out.Cols = append(out.Cols, c)
	}
	return out
}

// FormatValue prints row i of v.
func FormatValue(v *vec.Vector, i int) string {
	if v.IsNull(i) {
		return "NULL"
	}
	if v.Form == vec.Shredded {
		v = variant.Flatten(v)
	}
	switch v.Type.Phys() {
	case types.PhysString:
		return string(v.Bytes(i))
	case types.PhysVariant:
		meta, value := v.VariantAt(i)
		return string(variant.AppendJSON(nil, meta, value))
	case types.PhysList:
		child, from, to := v.ListAt(i)
		var parts []string
		for e := from; e < to; e++ {
			parts = append(parts, FormatValue(child, e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	h, j := v.At(i)
	switch d := h.Data.(type) {
	case []bool:
		return fmt.Sprint(d[j])
	case []int8:
		return fmt.Sprint(d[j])
	case []int16:
		return fmt.Sprint(d[j])
	case []int32:
		return fmt.Sprint(d[j])
	case []int64:
		return fmt.Sprint(d[j])
	case []types.Int128:
		return d[j].String()
	case []types.Int256:
		return d[j].String()
	case []float32:
		return fmt.Sprint(d[j])
	case []float64:
		return fmt.Sprint(d[j])
	case []types.IntervalValue:
		return fmt.Sprint(d[j])
	}
	panic("BUG: cannot print " + v.Type.String())
}
