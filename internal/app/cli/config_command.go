package cli

import (
	"bytes"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/settings"
)

func (p *Program) config() *cobra.Command {
	c := &cobra.Command{
		Use: "config", Short: "Show the configuration", Args: onlyCommands,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	var changed bool
	show := &cobra.Command{
		Use: "print", Short: "Print the configuration in effect, secrets masked", Args: named(),
		RunE: func(*cobra.Command, []string) error { return p.printConfig(changed) },
	}
	show.Flags().BoolVar(&changed, "changed", false, "only what differs from the defaults")
	c.AddCommand(show)
	return c
}

func (p *Program) printConfig(changed bool) error {
	config, err := p.load()
	if err != nil {
		return err
	}
	if err := config.Validate(); err != nil {
		return err
	}
	var defaults any
	if changed {
		base := app.DefaultConfig()
		defaults = &base
	}
	if !p.json {
		return settings.Print(p.Stdout, &config, defaults)
	}
	var text bytes.Buffer
	if err := settings.Print(&text, &config, defaults); err != nil {
		return err
	}
	result, err := settings.JSON(text.Bytes())
	if err != nil {
		return err
	}
	return p.print(result)
}
