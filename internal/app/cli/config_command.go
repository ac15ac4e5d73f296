package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/settingwords"
	"stoa.dev/stoa/internal/app/reference"
	"stoa.dev/stoa/internal/app/settings"
	"stoa.dev/stoa/internal/platform/module"
)

func (p *Program) config() *cobra.Command {
	c := &cobra.Command{
		Use: "config", Short: "Print, explain and write the configuration", Args: arguments.KnownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	var changed bool
	show := &cobra.Command{
		Use: "print", Short: "Print the configuration in effect, secrets masked", Args: arguments.Words(),
		Long: "Print the configuration in effect, secrets masked: that of the server which runs on the data\n" +
			"folder, with its flags; without one, or with --config, what stoa serve would take from the file,\n" +
			"the variables and the folder.",
		RunE: func(c *cobra.Command, _ []string) error { return p.printConfig(c.Context(), changed) },
	}
	show.Flags().BoolVar(&changed, "changed", false, "only what differs from the defaults")
	explain := &cobra.Command{
		Use: "explain [NAME]", Short: "Say what a setting or a section of settings means",
		Long: "Say what a setting means, its type, default, environment variable, flag and range, and its value here\n" +
			"with where it comes from: that of the server which runs on the data folder, as in stoa config print.\n" +
			"NAME is a setting, a section or a variable; without one every setting is listed.",
		Args: arguments.Optional("NAME"),
		RunE: func(c *cobra.Command, args []string) error { return p.explainConfig(c.Context(), args) },
	}
	write := &cobra.Command{
		Use: "init [FILE]", Short: "Write a commented configuration file",
		Long: "Write a configuration file with every setting, its meaning and its default, all commented out. FILE is\n" +
			"stoa.yaml unless told, - is standard output; a file that is there is kept.",
		Args: arguments.Optional("FILE"),
		RunE: func(_ *cobra.Command, args []string) error { return p.initConfig(args) },
	}
	c.AddCommand(show, explain, write)
	return c
}

// runningConfig is the configuration of the server on the folder, with secrets masked. Who names a
// file wants to see that one.
func (p *Program) runningConfig(ctx context.Context, config app.Config, changed bool) ([]byte, error) {
	if p.configFile != "" {
		return nil, admin.ErrNoServer
	}
	return admin.Config(ctx, config.Data, changed)
}

func (p *Program) printConfig(ctx context.Context, changed bool) error {
	config, err := p.load()
	if err != nil {
		return err
	}
	text, err := p.runningConfig(ctx, config, changed)
	if errors.Is(err, admin.ErrNoServer) {
		text, err = p.nextConfig(config, changed)
	}
	if err != nil {
		return err
	}
	if !p.json {
		_, err := p.Stdout.Write(text)
		return err
	}
	result, err := settings.JSON(text)
	if err != nil {
		return err
	}
	return p.print(result)
}

// nextConfig is what a server on the folder would take, with the address of the last one.
func (p *Program) nextConfig(config app.Config, changed bool) ([]byte, error) {
	asked, f := config.Listen.HTTP, serveFlags{}
	if err := errors.Join(p.dialectBefore(&f, config), f.place(&config)); err != nil {
		return nil, err
	}
	if err := config.Validate(); err != nil {
		return nil, err
	}
	config.Listen.HTTP = cmp.Or(config.Listen.LastHTTP, config.Listen.HTTP)
	var text bytes.Buffer
	if config.Listen.HTTP != asked {
		text.WriteString("# no server runs on this folder; listen.http is where the last one did\n")
	}
	defaults := app.DefaultConfig()
	err := settings.Printer(&config, &defaults)(&text, changed)
	return text.Bytes(), err
}

func (p *Program) explainConfig(ctx context.Context, args []string) error {
	config, err := p.load()
	if err != nil {
		return err
	}
	from := settingwords.Source{
		Config: &config, File: p.configFile, Origins: app.Origins(p.configFile, p.Environ, config),
	}
	switch text, err := p.runningConfig(ctx, config, false); {
	case err == nil:
		config, from.Running = app.DefaultConfig(), true
		if err := settings.ReadFile(&config, "configuration of the server", text); err != nil {
			return err
		}
	case !errors.Is(err, admin.ErrNoServer):
		return err
	}
	found := reference.Settings(&config)
	if len(args) == 1 {
		all, near := found, ""
		if found, near = reference.Find(all, args[0]); len(found) == 0 {
			next := "stoa config explain lists them"
			if near != "" {
				next = "did you mean " + near + "? " + next
			}
			return module.Fail(module.NotFound, next, "there is no setting %q", args[0])
		}
	}
	explained := settingwords.Explain(found, from)
	if p.json {
		text, err := json.Marshal(map[string]any{"settings": explained})
		return errors.Join(err, p.printUnless(err, text))
	}
	for i, e := range explained {
		if i > 0 {
			fmt.Fprintln(p.Stdout)
		}
		e.Write(p.Stdout, len(args) == 1)
	}
	return nil
}

func (p *Program) initConfig(args []string) error {
	name := "stoa.yaml"
	if len(args) == 1 {
		name = args[0]
	}
	config := app.DefaultConfig()
	var text bytes.Buffer
	if err := reference.WriteFile(&text, reference.Settings(&config)); err != nil {
		return err
	}
	if name == "-" {
		_, err := io.Copy(p.Stdout, &text)
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return module.Fail(module.Conflict, "name another file, or - to see it", "%s is there already", name)
	}
	if err != nil {
		return module.Fail(module.Failed, "name a file in a folder that you may write to, or - to see it", "%w", err)
	}
	_, err = io.Copy(f, &text)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return p.printValue(map[string]string{"file": name, "next": "stoa serve --config " + name})
}
