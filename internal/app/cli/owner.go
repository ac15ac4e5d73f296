package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/platform/module"
)

// owner is the process that owns the data folder: a running server or, without
// one, this process.
type owner interface {
	// ask tells why the command would be refused, nil when it would not.
	ask(ctx context.Context, path string, values map[string][]string) error
	run(ctx context.Context, path string, values map[string][]string, progress func(module.Progress)) (json.RawMessage, error)
	close() error
}

// owner finds the server of the folder, or opens the store. A folder that is
// not there is not made: nobody meant to.
func (p *Program) owner(ctx context.Context) (owner, error) {
	config, err := p.load()
	if err != nil {
		return nil, err
	}
	client, _, err := admin.Dial(ctx, config.Data)
	if err == nil {
		return there{client}, nil
	}
	if !errors.Is(err, admin.ErrNoServer) {
		return nil, err
	}
	if _, err := os.Stat(config.Data); errors.Is(err, fs.ErrNotExist) {
		return nil, app.NoFolder(config.Data)
	}
	options := p.options(config)
	options.Quiet = true
	a, err := app.New(ctx, options)
	if err != nil {
		return nil, err
	}
	return here{a}, nil
}

// there is a running server.
type there struct{ client *admin.Client }

func (t there) ask(ctx context.Context, path string, values map[string][]string) error {
	return t.client.Ask(ctx, path, values)
}

func (t there) run(ctx context.Context, path string, values map[string][]string, progress func(module.Progress)) (json.RawMessage, error) {
	return t.client.Run(ctx, path, values, progress)
}

func (t there) close() error {
	t.client.Close()
	return nil
}

// here is this process.
type here struct{ app *app.App }

func (h here) ask(ctx context.Context, path string, values map[string][]string) error {
	return h.app.AskCommand(ctx, path, values)
}

func (h here) run(ctx context.Context, path string, values map[string][]string, progress func(module.Progress)) (json.RawMessage, error) {
	result, err := h.app.RunCommand(ctx, path, values, progress)
	if err != nil {
		return nil, err
	}
	return json.Marshal(result)
}

func (h here) close() error { return h.app.Close() }
