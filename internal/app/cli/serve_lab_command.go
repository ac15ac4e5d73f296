package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/datafolder"
	"stoa.dev/stoa/internal/app/cli/labclient"
	"stoa.dev/stoa/internal/app/cli/osprocess"
	"stoa.dev/stoa/internal/app/memlimit"
	"stoa.dev/stoa/internal/lab/server"
	"stoa.dev/stoa/internal/lab/tempfolder"
	"stoa.dev/stoa/internal/platform/database/folderlock"
	"stoa.dev/stoa/internal/platform/module"
)

// defaultLabDir is where a lab keeps its worlds unless told otherwise.
const defaultLabDir = "./stoa-lab"

// labFlags are the flags of lab.
type labFlags struct {
	listen, token string
	hosts         []string
	maxWorlds     int
	idle          time.Duration
	ephemeral     bool
}

func (p *Program) lab() *cobra.Command {
	var f labFlags
	c := &cobra.Command{
		Use:   "lab",
		Short: "Hold many worlds for tests, each with a clock of its own",
		Long: "Serve a lab until interrupted: worlds that are made, forked, reset and deleted by copying files, each\n" +
			"with its own data, address and clock, controlled by stoa world, stoa clock and /lab/v1.\n" +
			"The lab's port serves a demo world at / and every world at /w/NAME.\n\n" +
			"    stoa lab &\n" +
			"    stoa world create --name first --clock 2026-03-01T09:00:00Z\n" +
			"    stoa clock advance first --by 7d",
		Args: arguments.Words(),
		RunE: func(c *cobra.Command, _ []string) error { return p.runLab(c.Context(), f) },
	}
	flags := c.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:8080", "`address` to listen on; worlds get ports of the same host")
	flags.StringArrayVar(&f.hosts, "host", nil,
		"`name` or address that clients reach the lab by, besides loopback; may be repeated")
	flags.StringVar(&f.token, "token", "",
		"`token` that opens the control API (default: made anew, or "+labclient.TokenVariable+")")
	flags.IntVar(&f.maxWorlds, "max-worlds", 1000, "how many worlds there may be")
	flags.BoolVar(&f.ephemeral, "ephemeral", false,
		"keep everything in a temporary folder, without a demo world at /, and end with standard input")
	flags.DurationVar(&f.idle, "idle", 2*time.Minute, "how long a world that is not asked stays open")
	return c
}

func (p *Program) runLab(ctx context.Context, f labFlags) (err error) {
	config, err := p.load()
	if err != nil {
		return err
	}
	if f.token == "" {
		f.token = p.variable(labclient.TokenVariable)
	}
	options := server.Options{
		Dir: p.data, Listen: f.listen, Hosts: f.hosts, Config: config, Version: p.Version, Token: f.token,
		MaxWorlds: f.maxWorlds, Idle: f.idle, LogTo: p.Stderr,
	}
	if options.Dir == "" {
		options.Dir = defaultLabDir
	}
	if f.ephemeral {
		var end func() error
		if ctx, end, err = p.makeEphemeral(ctx, &options); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, end()) }()
	}
	if err := datafolder.RefuseServer(options.Dir); err != nil {
		return err
	}
	memlimit.Apply()
	s, err := server.Open(context.WithoutCancel(ctx), options)
	var owned *folderlock.OwnedError
	if errors.As(err, &owned) {
		return p.labOwned(owned)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	p.labScreen(s)
	fmt.Fprintf(p.Stdout, "ready %s\n", s.URL())
	<-ctx.Done()
	return nil
}

// labOwned says which process has the folder of a lab. The printer of errors adds a
// folder that was named to the command.
func (p *Program) labOwned(e *folderlock.OwnedError) error {
	stop := "stop it with stoa stop"
	if p.data == "" {
		stop += " --data " + e.Dir
	}
	what := "already runs a lab in"
	if e.Command {
		stop, what = "wait until it has ended", "is a command that works in"
	}
	return module.Fail(module.Owned, stop+", or choose another folder with --data", "process %d %s %s", e.PID, what, e.Dir)
}

// labScreen says how to reach a lab: by its pages, its commands and its API.
func (p *Program) labScreen(s *server.Server) {
	table := tabwriter.NewWriter(p.Stdout, 0, 4, 2, ' ', 0)
	if w, err := s.Lab().World(server.DefaultWorld); err == nil {
		console := s.URL() + "/console"
		if env, err := w.Env(); err == nil && env["STOA_PASSWORD"] != "" {
			console += "  (sign in as " + env["STOA_USER"] + " with password " + env["STOA_PASSWORD"] + ")"
		}
		fmt.Fprintf(table, "Console\t%s\n", console)
	}
	fmt.Fprintf(table, "Worlds\t%s/w/NAME  (stoa world create --name NAME; stoa world show NAME has its password)\n",
		s.URL())
	fmt.Fprintf(table, "Dialect\t%s, unless a world is given another\n", dialectWords("sdk"))
	_ = table.Flush() // as the lines around it
	// The kits read this line.
	fmt.Fprintf(p.Stdout, "lab %s token %s\n", s.URL(), s.Token())
}

// makeEphemeral has a lab begin with the demo of earlier processes, in a folder that
// end removes, and ends it with standard input: who started it for his tests need
// not live to stop it.
func (p *Program) makeEphemeral(
	ctx context.Context, o *server.Options,
) (_ context.Context, end func() error, err error) {
	if p.data != "" {
		return nil, nil, module.Fail(module.Usage, "leave out --data", "--ephemeral makes a folder of its own")
	}
	if o.Dir, err = tempfolder.Make(p.variable("TMPDIR")); err != nil {
		return nil, nil, err
	}
	o.NoDefault, o.Cache = true, p.cacheFolder()
	ctx, cancel := osprocess.UntilInputEnds(ctx, p.Stdin)
	return ctx, func() error { cancel(); return os.RemoveAll(o.Dir) }, nil
}
