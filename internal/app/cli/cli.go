package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/folderlock"
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
}

// Main runs the program and returns its exit code.
func (p *Program) Main(ctx context.Context) int {
	root := p.root()
	root.SetArgs(p.Args)
	err := root.ExecuteContext(ctx)
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
	p.printError(failure)
	return failure.Failure.ExitCode()
}

func (p *Program) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "stoa",
		Short:         "Serve real API services from one program, offline and durably",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          onlyCommands,
		Version:       p.Version,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		// Before any command runs.
		PersistentPreRunE: func(c *cobra.Command, _ []string) error { return p.enterWorld(c) },
	}
	root.SetVersionTemplate("stoa {{.Version}}\n")
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return module.Fail(module.Usage, "see "+c.CommandPath()+" --help", "%w", err)
	})
	flags := root.PersistentFlags()
	flags.BoolVar(&p.json, "json", false, "print one JSON object")
	flags.StringVar(&p.configFile, "config", "", "configuration `file` (YAML)")
	flags.StringVar(&p.data, "data", "", "data `folder` (default ./stoa-data)")
	flags.StringVar(&p.worldName, "world", "", "use the data of this `world` of the lab in the data folder")
	flags.StringVar(&p.database, "database", "", "PostgreSQL `URL`; empty means SQLite in the data folder")

	root.AddCommand(p.serve(), p.worker(), p.start(), p.stop(), p.status(), p.exec(), p.env(), p.seed(), p.doctor(),
		p.version(), p.config(), p.man(), p.lab(), p.worlds(), p.clocks(), p.requests(),
		p.expect())
	p.addDeclared(root, app.Commands())
	arrange(root, app.CommandGroups())
	return root
}

// load reads file, then environment, then the flags of this command.
func (p *Program) load() (app.Config, error) {
	c, err := app.LoadConfig(p.configFile, p.Environ)
	if err != nil {
		return c, err
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
	return app.Options{Config: c, Version: p.Version, LogTo: p.Stderr}
}

// asFailure gives every error an exit code.
func asFailure(err error) *module.CommandError {
	var failure *module.CommandError
	if errors.As(err, &failure) {
		return failure
	}
	var owned *folderlock.OwnedError
	if errors.As(err, &owned) {
		return asOwned(owned)
	}
	var refused *lab.Error
	if errors.As(err, &refused) {
		return asRefused(refused)
	}
	if errors.Is(err, app.ErrConfig) && errors.Is(err, fs.ErrNotExist) {
		return module.Fail(module.Config, "check the path after --config", "%w", err)
	}
	if errors.Is(err, app.ErrConfig) {
		return module.Fail(module.Config, "correct the named settings", "%w", err)
	}
	if next := folderAdvice(err); next != "" {
		return module.Fail(module.Failed, next, "%w", err)
	}
	// cobra reports unknown commands and surplus arguments as plain errors.
	for _, start := range []string{"unknown command", "accepts ", "requires "} {
		if strings.HasPrefix(err.Error(), start) {
			return module.Fail(module.Usage, "see stoa --help", "%w", err)
		}
	}
	return module.Fail(module.Failed, "", "%w", err)
}

// asRefused gives a refusal of a lab an exit code.
func asRefused(e *lab.Error) *module.CommandError {
	failure, known := map[lab.Code]module.Failure{
		lab.CodeInvalid: module.Usage, lab.CodeNotFound: module.NotFound, lab.CodeConflict: module.Conflict,
	}[e.Code]
	if !known {
		failure = module.Failed
	}
	return module.Fail(failure, e.Next, "%w", e)
}

// folderAdvice is the next step where the system refuses the data folder, empty
// for everything else.
func folderAdvice(err error) string {
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return "there is a file where the folder should be; name another with --data"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, database.ErrDiskFull):
		return "the disk is full: free some space, or name a folder on another one with --data"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "see that you may read and write there, or name another folder with --data"
	}
	return ""
}

// asOwned says the cause and, once, what to do.
func asOwned(e *folderlock.OwnedError) *module.CommandError {
	owner := "another process"
	if e.PID != 0 {
		owner = fmt.Sprintf("process %d", e.PID)
	}
	return module.Fail(module.Owned, "stop it with stoa stop, or choose another folder with --data",
		"data folder %s is in use by %s", e.Dir, owner)
}

func (p *Program) printError(failure *module.CommandError) {
	if p.json {
		_ = json.NewEncoder(p.Stderr).Encode(map[string]any{"error": failure}) // no other place to say it
		return
	}
	fmt.Fprintf(p.Stderr, "stoa: %s\n", failure.Message)
	if failure.Next != "" {
		fmt.Fprintf(p.Stderr, "      %s\n", failure.Next)
	}
}
