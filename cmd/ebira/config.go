package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// envPrefix begins the environment variables that stand for flags: --allowed-dirs is EBIRA_ALLOWED_DIRS.
const envPrefix = "EBIRA_"

// applyConfig fills flags that were not given on the command line from the environment, then from the TOML file of --config, whose
// keys are the names of the flags.
func applyConfig(cmd *cobra.Command) error {
	values := map[string]any{}
	file, _ := cmd.Flags().GetString("config")
	if file == "" {
		file = os.Getenv(envPrefix + "CONFIG")
	}
	if file != "" {
		if _, err := toml.DecodeFile(file, &values); err != nil {
			return fmt.Errorf("config file %s: %w", file, err)
		}
	}
	for key := range values {
		if cmd.Flags().Lookup(strings.ReplaceAll(key, "_", "-")) == nil {
			return fmt.Errorf("config file %s: unknown key %s; keys are the names of the flags of 'ebira %s --help'", file, key, cmd.Name())
		}
	}
	var first error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed || first != nil {
			return
		}
		if v, ok := os.LookupEnv(envPrefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))); ok {
			first = setFlag(cmd, f, v, "environment")
			return
		}
		for key, v := range values {
			if strings.ReplaceAll(key, "_", "-") == f.Name {
				first = setFlag(cmd, f, configText(v), "config file "+file)
			}
		}
	})
	return first
}

func setFlag(cmd *cobra.Command, f *pflag.Flag, value, from string) error {
	if err := cmd.Flags().Set(f.Name, value); err != nil {
		return fmt.Errorf("%s: --%s: %w", from, f.Name, err)
	}
	return nil
}

func configText(v any) string {
	if list, ok := v.([]any); ok {
		var parts []string
		for _, e := range list {
			parts = append(parts, fmt.Sprint(e))
		}
		return strings.Join(parts, ",")
	}
	return fmt.Sprint(v)
}

// byteSize is a flag for sizes such as 8GiB, 500MB or plain bytes.
type byteSize int64

var units = []struct {
	suffix string
	factor float64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}}

// Set parses a size.
func (b *byteSize) Set(s string) error {
	number, factor := s, 1.0
	for _, u := range units {
		if rest, ok := strings.CutSuffix(strings.ToLower(s), strings.ToLower(u.suffix)); ok {
			number, factor = rest, u.factor
			break
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(v >= 0 && v*factor <= 1<<60) {
		return fmt.Errorf("%q is not a size; write it as 8GiB or 500MB", s)
	}
	*b = byteSize(v * factor)
	return nil
}

// String prints the bytes.
func (b *byteSize) String() string { return strconv.FormatInt(int64(*b), 10) }

// Type is shown in the help text.
func (b *byteSize) Type() string { return "size" }
