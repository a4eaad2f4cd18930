package flightsrv

import (
	"errors"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Limits of an uploaded batch.
const (
	// maxVirtualRows bounds arrays whose rows need no bytes: nulls, runs, empty structs.
	maxVirtualRows = 1 << 22
	// maxExpanded bounds what the values of one batch may become when dictionaries, runs and views that share bytes are written out.
	maxExpanded = 1 << 30
)

var (
	errShort    = errors.New("an array has fewer values than it says")
	errExpanded = errors.New("an array becomes too large when it is written out: send smaller batches")
	errNested   = errors.New("dictionaries and runs of nested values are not supported")
)

// checkArray makes sure that an array from outside has the bytes for as many rows as it claims, before anybody allocates by that number.
func checkArray(a arrow.Array) error {
	d := a.Data()
	rows := d.Offset() + d.Len()
	if d.Offset() < 0 || d.Len() < 0 {
		return errShort
	}
	if b := d.Buffers(); len(b) > 0 && b[0] != nil && b[0].Len() > 0 && int64(b[0].Len())*8 < int64(rows) {
		return errShort
	}
	switch a := a.(type) {
	case *array.Null:
		return virtual(rows)
	case *array.Struct:
		if a.NumField() == 0 {
			return virtual(rows)
		}
		for i := range a.NumField() {
			if a.Field(i).Len() < a.Len() {
				return errShort
			}
			if err := checkArray(a.Field(i)); err != nil {
				return err
			}
		}
	case *array.Dictionary:
		if err := hasBytes(a.Indices()); err != nil {
			return err
		}
		return expanded(a, a.Dictionary(), a.GetValueIndex)
	case *array.RunEndEncoded:
		if err := virtual(rows); err != nil {
			return err
		}
		return expanded(a, a.Values(), a.GetPhysicalIndex)
	case array.ExtensionArray:
		return checkArray(a.Storage())
	case array.ListLike:
		return checkList(a)
	case array.ViewLike:
		if err := hasBytes(a); err != nil {
			return err
		}
		return expanded(a, a, func(i int) int { return i })
	default:
		return hasBytes(a)
	}
	return nil
}

func virtual(rows int) error {
	if rows > maxVirtualRows {
		return errExpanded
	}
	return nil
}

// hasBytes checks the buffer of fixed-width values, or of offsets.
func hasBytes(a arrow.Array) error {
	d := a.Data()
	rows := int64(d.Offset() + d.Len())
	if rows == 0 {
		return nil
	}
	var bits int64
	switch t := a.DataType().(type) {
	case arrow.FixedWidthDataType:
		bits = rows * int64(t.BitWidth())
	case *arrow.ListViewType:
		bits = rows * 32
	case *arrow.LargeListViewType:
		bits = rows * 64
	case arrow.OffsetsDataType:
		bits = (rows + 1) * int64(t.OffsetTypeTraits().BytesRequired(1)) * 8
	}
	if b := d.Buffers(); len(b) < 2 || b[1] == nil || int64(b[1].Len())*8 < bits {
		return errShort
	}
	return nil
}

// checkList checks a list's offsets and its values. Lists that share values are refused: written out they could become anything.
func checkList(a array.ListLike) error {
	if _, fixed := a.(*array.FixedSizeList); !fixed {
		if err := hasBytes(a); err != nil {
			return err
		}
	}
	values := a.ListValues()
	if err := checkArray(values); err != nil {
		return err
	}
	var total int64
	for i := range a.Len() {
		if a.IsNull(i) {
			continue
		}
		from, to := a.ValueOffsets(i)
		if from < 0 || to < from || to > int64(values.Len()) {
			return errShort
		}
		if total += to - from; total > int64(values.Len()) {
			return errExpanded
		}
	}
	return nil
}

// expanded bounds what the rows of an array become that points into values, which may be the array itself.
func expanded(a, values arrow.Array, index func(int) int) error {
	if a != values {
		if err := checkArray(values); err != nil {
			return err
		}
	}
	var size func(int) int
	switch v := values.(type) {
	case array.BinaryLike:
		size = v.ValueLen
	case array.ViewLike:
		size = func(i int) int { return v.ValueHeader(i).Len() }
	case array.ListLike, *array.Struct, array.ExtensionArray, *array.Dictionary, *array.RunEndEncoded:
		return errNested
	default:
		return nil
	}
	var total int64
	for i := range a.Len() {
		if a.IsNull(i) {
			continue
		}
		if total += int64(size(index(i))); total > maxExpanded {
			return errExpanded
		}
	}
	return nil
}
