package cli

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/integrity"
	"stoa.dev/stoa/internal/platform/module"
)

// check runs the declared command and ends with an exit code of its own: what is damaged
// is printed first.
func (p *Program) check() *cobra.Command {
	declared := integrity.Command(nil, nil)
	return &cobra.Command{
		Use: declared.Path, Short: "Read everything that is stored and find what is damaged", Long: declared.Long,
		Args: arguments.Words(),
		RunE: func(c *cobra.Command, _ []string) error { return p.runCheck(c.Context(), declared) },
	}
}

func (p *Program) runCheck(ctx context.Context, declared module.Command) error {
	result, err := p.run(ctx, declared, nil)
	if err != nil {
		return err
	}
	if err := p.print(result); err != nil {
		return err
	}
	var report integrity.Report
	if err := json.Unmarshal(result, &report); err != nil {
		return err
	}
	return report.Failure()
}
