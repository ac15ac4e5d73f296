package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/doctor"
	"stoa.dev/stoa/internal/app/settings"
	"stoa.dev/stoa/internal/platform/module"
)

func (p *Program) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: named(),
		RunE: func(*cobra.Command, []string) error {
			result, err := json.Marshal(struct {
				Version  string `json:"version"`
				Go       string `json:"go"`
				Platform string `json:"platform"`
			}{p.Version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH})
			if err != nil {
				return err
			}
			return p.print(result)
		},
	}
}

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

func (p *Program) doctor() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check what the program needs from this machine", Args: named(),
		RunE: func(c *cobra.Command, _ []string) error { return p.runDoctor(c.Context()) },
	}
}

func (p *Program) runDoctor(ctx context.Context) error {
	config, err := p.load()
	if err != nil {
		return err
	}
	findings := doctor.Examine(ctx, config)
	result, err := json.Marshal(map[string]any{"findings": findings})
	if err != nil {
		return err
	}
	if err := p.print(result); err != nil {
		return err
	}
	var bad []error
	for _, f := range findings {
		if f.Result == doctor.Bad {
			bad = append(bad, fmt.Errorf("%s: %s", f.Check, f.Detail))
		}
	}
	if err := errors.Join(bad...); err != nil {
		return module.Fail(module.Failed, "follow the advice above", "%w", err)
	}
	return nil
}
