package main

import (
	"github.com/spf13/cobra"
)

func benchClickbenchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "clickbench",
		Short: "Measure the 43 queries of ClickBench over predefined columns, VARIANT and JSON",
	}
	cmd.AddCommand(generateClickbenchCommand())
	return cmd
}
