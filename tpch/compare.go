package tpch

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// By how much, of their size, fractions may differ.
const (
	// Tolerance is for engines that divide decimals as Ebira or DuckDB do: to many digits, or to a floating point number.
	Tolerance = 1e-6
	// OfficialTolerance is what the specification allows averages and ratios, for engines that cut their digits.
	OfficialTolerance = 0.01
)

// nothing is the size below which all numbers are 0.
const nothing = 1e-6

// Compare returns nil if two answers to a query are the same but for the order of the rows. Cells are printed values, "" for NULL.
// Columns with fractions are compared with a tolerance, all others must print the same.
func Compare(got, want [][]string, tolerance float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d rows, want %d", len(got), len(want))
	}
	if len(got) == 0 {
		return nil
	}
	columns := len(want[0])
	fraction := make([]bool, columns)
	for _, r := range slices.Concat(got, want) {
		if len(r) != columns {
			return fmt.Errorf("a row of %d columns, want %d", len(r), columns)
		}
		for c, cell := range r {
			fraction[c] = fraction[c] || isFraction(cell)
		}
	}
	got, want = sorted(got, fraction), sorted(want, fraction)
	for i, r := range got {
		for c, cell := range r {
			if !sameCell(cell, want[i][c], fraction[c], tolerance) {
				return fmt.Errorf("row %d, column %d: %q, want %q\n  in %q\nwant %q", i+1, c+1, cell, want[i][c], r, want[i])
			}
		}
	}
	return nil
}

func isFraction(cell string) bool {
	_, err := strconv.ParseFloat(cell, 64)
	return err == nil && strings.ContainsAny(cell, ".e")
}

func sameCell(got, want string, fraction bool, tolerance float64) bool {
	if got == want || !fraction {
		return got == want
	}
	x, errX := strconv.ParseFloat(got, 64)
	y, errY := strconv.ParseFloat(want, 64)
	return errX == nil && errY == nil && math.Abs(x-y) <= tolerance*max(math.Abs(x), math.Abs(y), nothing)
}

// sorted returns the rows in the order of the columns that are compared exactly, and then of the others.
func sorted(rows [][]string, fraction []bool) [][]string {
	rows = slices.Clone(rows)
	sort.SliceStable(rows, func(i, j int) bool {
		for c, f := range fraction {
			if !f && rows[i][c] != rows[j][c] {
				return rows[i][c] < rows[j][c]
			}
		}
		for c, f := range fraction {
			x, _ := strconv.ParseFloat(rows[i][c], 64)
			y, _ := strconv.ParseFloat(rows[j][c], 64)
			if f && x != y {
				return x < y
			}
		}
		return false
	})
	return rows
}
