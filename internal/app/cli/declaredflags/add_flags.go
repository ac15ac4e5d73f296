package declaredflags

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/platform/module"
)

// Add declares the flags on a command. The returned function puts what the operator gave, or the default, into
// values.
func Add(command *cobra.Command, flags []module.Flag) func(values map[string][]string) {
	var collectors []func(map[string][]string)
	for _, f := range flags {
		collectors = append(collectors, addFlag(command, f))
	}
	return func(values map[string][]string) {
		for _, collect := range collectors {
			collect(values)
		}
	}
}

func addFlag(command *cobra.Command, f module.Flag) func(map[string][]string) {
	set := command.Flags()
	help := flagHelp(f)
	switch f.Kind {
	case module.Bool:
		value := set.Bool(f.Name, f.Default == "true", help)
		return func(values map[string][]string) {
			if *value || set.Changed(f.Name) {
				values[f.Name] = []string{fmt.Sprint(*value)}
			}
		}
	case module.Texts:
		value := set.StringArray(f.Name, nil, help)
		return func(values map[string][]string) { values[f.Name] = append(values[f.Name], *value...) }
	case module.Text, module.Int, module.Duration:
	}
	value := set.String(f.Name, f.Default, help)
	return func(values map[string][]string) {
		if *value != "" || set.Changed(f.Name) {
			values[f.Name] = append(values[f.Name], *value)
		}
	}
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
