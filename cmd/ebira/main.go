// Command ebira is the one binary of Ebira: server, SQL client, loader and demo.
// It knows the command line, configuration and terminals; everything else is in the packages below it.
// Each subcommand runs in the main goroutine and ends on SIGINT or SIGTERM.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"
)

// version is set by the linker.
var version = "dev"

// errReported ends the process with status 1 without another message.
var errReported = errors.New("reported")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := rootCommand().ExecuteContext(ctx); err != nil {
		if !errors.Is(err, errReported) {
			fmt.Fprintln(os.Stderr, "error:", err)
		}
		stop()
		os.Exit(1)
	}
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
	root.AddCommand(serveCommand(), sqlCommand(), loadCommand(), demoCommand())
	return root
}
