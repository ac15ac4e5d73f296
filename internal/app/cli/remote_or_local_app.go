package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/app/admin/transfer"
	"stoa.dev/stoa/internal/app/cli/datafolder"
	"stoa.dev/stoa/internal/platform/module"
)

// owner is the process that owns the data folder: a running server or, without
// one, this process.
type owner interface {
	// checkCommand returns why the command would be refused, nil when it would not.
	checkCommand(ctx context.Context, path string, values map[string][]string) error
	run(
		ctx context.Context, c module.Command, values map[string][]string, progress func(module.Progress),
	) (json.RawMessage, error)
	close() error
}

// owner finds the server of the folder, or opens the store. A folder that is
// not there is not made: a wrong --data would leave one behind.
func (p *Program) owner(ctx context.Context, use datafolder.Use) (owner, error) {
	config, err := p.load()
	if err != nil {
		return nil, err
	}
	client, _, err := admin.Dial(ctx, config.Data)
	if err == nil {
		return remoteOwner{client}, nil
	}
	if !errors.Is(err, admin.ErrNoServer) {
		return nil, err
	}
	if _, err := os.Stat(config.Data); errors.Is(err, fs.ErrNotExist) {
		return nil, admin.NoFolder(config.Data)
	}
	a, err := p.openForCommand(ctx, config, use)
	if err != nil {
		return nil, err
	}
	return localOwner{a}, nil
}

// openForCommand opens the data folder in a process that ends soon.
func (p *Program) openForCommand(ctx context.Context, c app.Config, use datafolder.Use) (*app.App, error) {
	options := p.options(c)
	options.Quiet, options.Command = true, true
	return p.openApp(ctx, options, use)
}

// openApp opens a data folder, for every command that does: one that is not Stoa's is
// left as it is, unless the command is there to begin one.
func (p *Program) openApp(ctx context.Context, o app.Options, use datafolder.Use) (*app.App, error) {
	if err := datafolder.Check(o.Config.Data, use, o.Config.Database.URL != ""); err != nil {
		return nil, err
	}
	return app.New(ctx, o)
}

// remoteOwner is a running server.
type remoteOwner struct{ client *admin.Client }

func (r remoteOwner) checkCommand(ctx context.Context, path string, values map[string][]string) error {
	return r.client.CheckCommand(ctx, path, values)
}

func (r remoteOwner) run(
	ctx context.Context, c module.Command, values map[string][]string, progress func(module.Progress),
) (json.RawMessage, error) {
	return r.client.RunWithFiles(ctx, c, values, progress)
}

func (r remoteOwner) close() error {
	r.client.Close()
	return nil
}

// localOwner is this process.
type localOwner struct{ app *app.App }

func (l localOwner) checkCommand(ctx context.Context, path string, values map[string][]string) error {
	return l.app.CheckCommand(ctx, path, values)
}

func (l localOwner) run(
	ctx context.Context, c module.Command, values map[string][]string, progress func(module.Progress),
) (json.RawMessage, error) {
	// What a server refuses for the files of a command is refused without one too.
	if err := errors.Join(transfer.CheckInputs(c, values), transfer.CheckOutputs(c, values)); err != nil {
		return nil, err
	}
	result, err := l.app.RunCommand(ctx, c.Path, values, progress)
	if err != nil {
		return nil, err
	}
	return json.Marshal(result)
}

func (l localOwner) close() error { return l.app.Close() }
