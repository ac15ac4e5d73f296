package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/origins"
	"stoa.dev/stoa/internal/app/cli/output"
	"stoa.dev/stoa/internal/app/doctor"
	"stoa.dev/stoa/internal/platform/module"
)

func (p *Program) doctor() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check what the program needs from this machine", Args: arguments.Words(),
		RunE: func(c *cobra.Command, _ []string) error { return p.runDoctor(c.Context(), c.Flags()) },
	}
}

// judged names the settings that the doctor looks at.
func (p *Program) judged() string {
	if p.configFile == "" {
		return "the defaults and variables of this command"
	}
	return p.configFile + " and the variables of this command"
}

func (p *Program) runDoctor(ctx context.Context, flags *pflag.FlagSet) error {
	config, err := p.load()
	if err != nil {
		return err
	}
	lab, err := runningLab(config.Data)
	findings := doctor.Examine(ctx, config, p.judged(), lab, err)
	for i, f := range findings {
		if why, ok := strings.CutPrefix(f.Detail, p.judged()+": "); ok && f.Result == doctor.Bad {
			findings[i].Detail = p.judged() + ": " + origins.Locate(why, p.configFile, p.Environ, flags)
		}
	}
	if err := p.printFindings(findings); err != nil {
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

// printFindings has the advice below what it is about: in a column of its own it would leave both too narrow.
func (p *Program) printFindings(findings []doctor.Finding) error {
	if !p.json {
		return output.To(p.Stdout, p.Environ).Report(p.Stdout, []string{"CHECK", "RESULT", "DETAIL"}, doctor.Rows(findings))
	}
	result, err := json.Marshal(map[string]any{"findings": findings})
	return errors.Join(err, p.printUnless(err, result))
}
