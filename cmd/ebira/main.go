// Command ebira is the one binary of Ebira: server, SQL client, loader, demo and benchmarks.
// It knows the command line, configuration and terminals; everything else is in the packages below it.
// Each subcommand runs in the main goroutine and ends on SIGINT or SIGTERM; the interactive shell lets SIGINT end only the statement.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"
)

// version is set by the linker.
var version = "dev"

func main() {
	if err := rootCommand().ExecuteContext(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// untilSignal returns a context that ends with the first SIGINT or SIGTERM. A second one ends the process at once.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "ebira",
		Short:         "Ebira: JSON and Parquet events in, SQL out, over Arrow Flight SQL",
		Version:       fmt.Sprintf("%s (%s, %s/%s)", version, runtime.Version(), runtime.GOOS, runtime.GOARCH),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetVersionTemplate("ebira {{.Version}}\n")
	root.AddCommand(serveCommand(), sqlCommand(), loadCommand(), demoCommand(), benchCommand(), samplesCommand())
	return root
}
