package admin

import (
	"context"
	"encoding/json"

	"stoa.dev/stoa/internal/app/admin/transfer"
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

// runWithFiles runs a command on the server's copies of its files. Who has the copies
// removes them.
func runWithFiles(
	ctx context.Context, c module.Command, values map[string][]string, copies *transfer.Copies,
	progress func(module.Progress),
) (json.RawMessage, error) {
	if err := c.Check(values); err != nil {
		return nil, err
	}
	result, err := c.Run(ctx, &module.Input{
		Values: copies.Values, Given: values,
		Progress: func(p module.Progress) {
			p.Note = copies.AsNamed(p.Note)
			progress(p)
		},
	})
	if err != nil {
		failure := *asFailure(err)
		failure.Message, failure.Next = copies.AsNamed(failure.Message), copies.AsNamed(failure.Next)
		return nil, &failure
	}
	text, err := json.Marshal(result)
	if err != nil {
		return nil, err
	}
	return copies.AsNamedJSON(text)
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
