package main

import "github.com/spf13/cobra"

func benchCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "bench", Short: "Benchmarks"}
	t := &cobra.Command{Use: "tpch", Short: "TPC-H"}
	t.AddCommand(tpchGenerateCommand())
	cmd.AddCommand(t)
	return cmd
}
