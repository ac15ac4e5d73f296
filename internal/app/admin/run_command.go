package admin

import (
	"context"

	"stoa.dev/stoa/internal/platform/module"
)

func run(
	ctx context.Context, byPath map[string]module.Command, in request, progress func(module.Progress),
) (any, error) {
	c, ok := byPath[in.Path]
	if !ok {
		return nil, module.Fail(module.Usage, "the running server may be of another version: compare stoa version",
			"the running server has no command %q", in.Path)
	}
	if in.CheckOnly {
		return nil, CheckCommand(ctx, c, in.Values)
	}
	return Run(ctx, c, in.Values, progress)
}

// CheckCommand returns why the command would be refused, nil when it would not.
func CheckCommand(ctx context.Context, c module.Command, values map[string][]string) error {
	if err := c.Check(values); err != nil || c.Refuse == nil {
		return err
	}
	return c.Refuse(ctx, &module.Input{Values: values, Progress: func(module.Progress) {}})
}

// Run checks the values against the declaration and runs the command in this
// process.
func Run(
	ctx context.Context, c module.Command, values map[string][]string, progress func(module.Progress),
) (any, error) {
	if err := c.Check(values); err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(module.Progress) {}
	}
	return c.Run(ctx, &module.Input{Values: values, Progress: progress})
}
