package cli

import (
	"net/http"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app/cli/labwords"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/module"
)

func (p *Program) clocks() *cobra.Command {
	one := []string{"WORLD"}
	patch := func(change map[string]any) func([]string) (string, string, any) {
		return func(args []string) (string, string, any) {
			return http.MethodPatch, worldPath(args[0]) + "/clock", change
		}
	}
	return labGroup("clock", "Set, stop, run and advance the clock of a world",
		p.labCall("show WORLD", "Show mode, time and rate", one, func(args []string) (string, string, any) {
			return http.MethodGet, worldPath(args[0]) + "/clock", nil
		}),
		p.clockSet(), p.clockRun(), p.clockAdvance(),
		p.labCall("freeze WORLD", "Stop the clock where it stands", one, patch(map[string]any{"mode": "frozen"})),
		p.labCall("settle WORLD", "Run what is due now and wait for it", one, func(args []string) (string, string, any) {
			return http.MethodPost, worldPath(args[0]) + "/clock/settle", struct{}{}
		}),
	)
}

func (p *Program) clockSet() *cobra.Command {
	c := p.labCall("set WORLD TIME", "Move the clock to a time without running what is due", []string{"WORLD", "TIME"},
		func(args []string) (string, string, any) {
			return http.MethodPatch, worldPath(args[0]) + "/clock", map[string]string{"now": args[1]}
		})
	c.PreRunE = func(_ *cobra.Command, args []string) error {
		_, err := labwords.Time("TIME", args[1])
		return err
	}
	return c
}

func (p *Program) clockRun() *cobra.Command {
	var rate float64
	var machine bool
	c := p.labCall("run WORLD", "Let the clock run from where it stands", []string{"WORLD"},
		func(args []string) (string, string, any) {
			body := map[string]any{"mode": "running", "rate": rate}
			if machine {
				body = map[string]any{"mode": "real"}
			}
			return http.MethodPatch, worldPath(args[0]) + "/clock", body
		})
	c.Flags().Float64Var(&rate, "rate", 1, "seconds of the world a second")
	c.Flags().BoolVar(&machine, "real", false, "make it the machine's clock")
	return c
}

func (p *Program) clockAdvance() *cobra.Command {
	var by, to string
	c := p.labCall("advance WORLD", "Move the clock forward and run everything that becomes due", []string{"WORLD"},
		func(args []string) (string, string, any) {
			body := map[string]string{}
			if by != "" {
				body["by"] = by
			}
			if to != "" {
				body["to"] = to
			}
			return http.MethodPost, worldPath(args[0]) + "/clock/advance", body
		})
	c.PreRunE = func(*cobra.Command, []string) error {
		if by != "" && to != "" {
			return module.Fail(module.Usage, "give one of them", "--by and --to exclude each other")
		}
		if by != "" {
			d, err := clock.ParseDuration(by)
			if err != nil {
				return module.Fail(module.Usage, "give it as in --by 7d", "--by %w", err)
			}
			if d < 0 {
				return module.Fail(module.Usage, "advance goes forward only", "--by %s is negative", by)
			}
		}
		if to == "" {
			return nil
		}
		_, err := labwords.Time("--to", to)
		return err
	}
	c.Flags().StringVar(&by, "by", "", "`duration`, such as 90m or 7d")
	c.Flags().StringVar(&to, "to", "", "`time`, such as 2026-03-01T09:00:00Z")
	return c
}
