package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/platform/module"
)

// addFlags declares the flags on a command. The returned function puts what
// the operator gave, or the default, into values.
func addFlags(command *cobra.Command, flags []module.Flag) func(values map[string][]string) error {
	var collectors []func(map[string][]string) error
	for _, f := range flags {
		collectors = append(collectors, addFlag(command, f))
	}
	return func(values map[string][]string) error {
		for _, collect := range collectors {
			if err := collect(values); err != nil {
				return err
			}
		}
		return nil
	}
}

func addFlag(command *cobra.Command, f module.Flag) func(map[string][]string) error {
	set := command.Flags()
	help := flagHelp(f)
	switch f.Kind {
	case module.Bool:
		value := set.Bool(f.Name, f.Default == "true", help)
		return func(values map[string][]string) error {
			if *value || set.Changed(f.Name) {
				values[f.Name] = []string{fmt.Sprint(*value)}
			}
			return nil
		}
	case module.Texts:
		value := set.StringArray(f.Name, nil, help)
		return func(values map[string][]string) error {
			return putFlag(values, f, *value)
		}
	case module.Text, module.Int, module.Duration:
	}
	value := set.String(f.Name, f.Default, help)
	return func(values map[string][]string) error {
		if *value == "" && !set.Changed(f.Name) {
			return nil
		}
		return putFlag(values, f, []string{*value})
	}
}

func putFlag(values map[string][]string, f module.Flag, given []string) error {
	for _, value := range given {
		values[f.Name] = append(values[f.Name], value)
	}
	return nil
}

func flagHelp(f module.Flag) string {
	help := f.Help
	if len(f.OneOf) > 0 {
		help += " (" + strings.Join(f.OneOf, ", ") + ")"
	}
	if f.Required {
		help += " (required)"
	}
	return strings.TrimSpace(help)
}
