package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/helptopic"
	"stoa.dev/stoa/internal/app/cli/origins"
	"stoa.dev/stoa/internal/app/cli/output"
	"stoa.dev/stoa/internal/app/cli/servicename"
	"stoa.dev/stoa/internal/app/cli/shellcompletion"
	"stoa.dev/stoa/internal/app/ignoredvariables"
	"stoa.dev/stoa/internal/app/memlimit"
	"stoa.dev/stoa/internal/app/settings"
	"stoa.dev/stoa/internal/platform/module"
)

// Program is one run of the command line; everything it touches is a field,
// so that tests run it like the shell does.
type Program struct {
	Args           []string
	Environ        []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Version        string

	json       bool
	configFile string
	data       string
	worldName  string
	database   string
	// namedUnlike: the variables that are like no setting were named.
	namedUnlike bool
	started     func() // once it is, the collector works as ever
}

// Main runs the program and returns its exit code.
func (p *Program) Main(ctx context.Context) int {
	p.started = memlimit.Starting()
	defer p.started()
	root := p.root()
	root.SetArgs(p.Args)
	executed, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	var ended *exitError
	if errors.As(err, &ended) {
		if ended.cause != nil {
			p.printError(asFailure(ended.cause))
		}
		return ended.code
	}
	failure := asFailure(err)
	if failure.Failure == module.Config {
		failure.Message = origins.Locate(failure.Message, p.configFile, p.Environ, executed.Flags())
	}
	p.printError(failure)
	return failure.Failure.ExitCode()
}

func (p *Program) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "stoa",
		Short:         "Serve real API services from one program, offline and durably",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          arguments.KnownCommand,
		Version:       p.Version,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		// Before any command runs.
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if c.Name() != "serve" { // that starts until it is ready
				p.started()
			}
			if err := arguments.UnreadFlags(c, p.configFile, p.database); err != nil {
				return err
			}
			return p.enterWorld(c)
		},
	}
	root.SetVersionTemplate("stoa {{.Version}}\n")
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	root.SetFlagErrorFunc(arguments.FlagError)
	flags := root.PersistentFlags()
	flags.BoolVar(&p.json, "json", false, "print one JSON object")
	flags.StringVar(&p.configFile, "config", "", "configuration `file` (YAML)")
	flags.StringVar(&p.data, "data", "", "data `folder` (default ./stoa-data)")
	flags.StringVar(&p.worldName, "world", "", "use the data of this `world` of the lab in the data folder")
	flags.StringVar(&p.database, "database", "", "PostgreSQL `URL`; empty means SQLite in the data folder")

	root.AddCommand(p.serve(), p.worker(), p.start(), p.stop(), p.status(), p.exec(), p.env(), p.seed(), p.doctor(),
		p.check(), p.restore(), p.version(), p.config(), p.man(), p.lab(), p.worlds(), p.clocks(), p.faults(),
		p.requests(), p.expect(), p.inboxes(), p.conduct(), p.cert(), p.logs(), p.open())
	root.SetHelpCommand(helptopic.Command(arguments.KnownCommand))
	p.addDeclared(root, app.Commands())
	arrange(root, app.CommandGroups())
	showExamples(root)
	wrapHelp(root, output.To(p.Stdout, nil).Width)
	for _, c := range root.Commands() {
		switch c.Name() {
		case "lab", "world", "clock", "fault", "expect", "inbox", "conduct":
			c.PersistentFlags().StringVar(&p.data, "data", "", "`folder` of the lab (default "+defaultLabDir+")")
		}
	}
	if shellcompletion.Asked(p.Args) {
		shellcompletion.Names{
			"service": func(context.Context) []string { return servicename.All() },
			"world":   shellcompletion.Worlds(p.knownLab),
		}.Propose(root)
	}
	return root
}

// load reads file, then environment, then the flags of this command.
func (p *Program) load() (app.Config, error) {
	c, err := app.LoadConfig(p.configFile, p.Environ)
	if err != nil {
		return c, err
	}
	if names := settings.UnlikeSettings(&c, p.Environ, ignoredvariables.Variables()); len(names) > 0 && !p.namedUnlike {
		p.namedUnlike = true
		fmt.Fprintf(p.Stderr, "stoa: not read, because no setting is like it: %s\n", strings.Join(names, ", "))
	}
	if p.data != "" {
		c.Data = p.data
	}
	if p.database != "" {
		c.Database.URL = p.database
	}
	return c, nil
}

// options are what every App of this program is built from.
func (p *Program) options(c app.Config) app.Options {
	return app.Options{Config: c, Version: p.Version, LogTo: p.Stderr, Origins: app.Origins(p.configFile, p.Environ, c)}
}

// variable is one of the program's environment, empty when it is not set.
func (p *Program) variable(name string) string {
	value := ""
	for _, entry := range p.Environ {
		if text, ok := strings.CutPrefix(entry, name+"="); ok {
			value = text
		}
	}
	return value
}
