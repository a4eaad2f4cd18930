package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

func benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure against other databases on the same data",
	}
	cmd.AddCommand(benchClickbenchCommand(), benchTpchCommand())
	return cmd
}

// rowCount is a flag for numbers of rows such as 20k, 10m or 1_000_000.
type rowCount uint64

// Set reads the flag.
func (n *rowCount) Set(s string) error {
	digits := strings.ToLower(strings.ReplaceAll(s, "_", ""))
	factor := uint64(1)
	switch {
	case strings.HasSuffix(digits, "k"):
		factor = 1000
	case strings.HasSuffix(digits, "m"):
		factor = 1_000_000
	}
	if factor > 1 {
		digits = digits[:len(digits)-1]
	}
	v, err := strconv.ParseUint(digits, 10, 40)
	if err != nil || v == 0 {
		return fmt.Errorf("%q is not a number of rows such as 20k, 10m or 1000000", s)
	}
	*n = rowCount(v * factor)
	return nil
}

// String prints the flag.
func (n *rowCount) String() string {
	switch v := uint64(*n); {
	case v > 0 && v%1_000_000 == 0:
		return strconv.FormatUint(v/1_000_000, 10) + "m"
	case v > 0 && v%1000 == 0:
		return strconv.FormatUint(v/1000, 10) + "k"
	default:
		return strconv.FormatUint(v, 10)
	}
}

// Type names the flag's kind for the help.
func (n *rowCount) Type() string { return "rows" }
