package arguments

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"stoa.dev/stoa/internal/platform/module"
)

// UnreadFlags refuses the flags of all commands that c would not look at: commands of a lab ask its control API, and
// open no settings and no database of their own.
func UnreadFlags(c *cobra.Command, config, database string) error {
	path := strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
	settings, data := "stoa lab --config FILE is for all worlds, stoa world create --config-json OBJECT for one",
		"leave it out: each world of a lab has its data in its own folder"
	switch name, _, _ := strings.Cut(path, " "); name {
	case "cert":
		settings, data = "name the folder of the authority with --data", "name the folder of the authority with --data"
	case "world", "clock", "fault", "requests", "expect", "inbox", "conduct":
	default:
		return nil
	}
	switch {
	case path == "requests tail": // of a server, too
	case config != "":
		return module.Fail(module.Usage, settings, "--config is not for %s", c.CommandPath())
	case database != "":
		return module.Fail(module.Usage, data, "--database is not for %s", c.CommandPath())
	}
	return nil
}

// OtherFlags reports whether flags of c were given besides the one of this name. Those of all commands, such as
// --data, do not count.
func OtherFlags(c *cobra.Command, name string) (others bool) {
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { others = others || f.Changed && f.Name != name })
	return others
}
