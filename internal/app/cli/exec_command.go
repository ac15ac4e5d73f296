package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/inputfile"
	"stoa.dev/stoa/internal/app/cli/labclient"
	"stoa.dev/stoa/internal/app/cli/osprocess"
	"stoa.dev/stoa/internal/app/cli/sdkclients"
	"stoa.dev/stoa/internal/app/cli/servicename"
	"stoa.dev/stoa/internal/app/demo"
	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/lab/server"
	"stoa.dev/stoa/internal/platform/module"
)

// What shells answer for a command that cannot be started.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
	exitSignalled     = 128
)

// exitError carries the exit code of a command that ran in our place, or that
// could not for the cause.
type exitError struct {
	code  int
	cause error
}

// Error says how the command ended.
func (e *exitError) Error() string { return fmt.Sprintf("the command ended with exit code %d", e.code) }

func (e *exitError) Unwrap() error { return e.cause }

// throwAway are the flags of exec.
type throwAway struct {
	newWorldFlags
	services []string
	faults   string
	keep     bool
	reports  execReports
}

func (p *Program) exec() *cobra.Command {
	var t throwAway
	c := &cobra.Command{
		Use:   "exec [flags] -- COMMAND [ARG]...",
		Short: "Run a command with a throw-away demo world",
		Long: "Serve a fresh demo world on a free port of loopback, run the command with the variables of the\n" +
			"world exported, stop, remove its folder, and end with the exit code of the command. STOA_DATA and\n" +
			"STOA_BIN are exported too: \"$STOA_BIN\" token issue, for one, reaches the server from inside.\n" +
			"Registries that were found on the machine are not asked.\n\n" +
			"    stoa exec -- npm test\n" +
			"    stoa exec --service generate -- python client.py\n\n" +
			"The world is the one of a lab (see stoa lab --help) that lives as long as the command: STOA_LAB_URL,\n" +
			"STOA_LAB_TOKEN and STOA_WORLD are exported, so that stoa world, stoa clock and the kits reach it.\n\n" +
			"    stoa exec --report conduct.html --fail-on error -- npm test\n" +
			"    stoa exec --clock 2026-03-01T09:00:00Z -- sh -c '\"$STOA_BIN\" clock advance $STOA_WORLD --by 7d'",
		Args: func(c *cobra.Command, args []string) error {
			return arguments.Words("COMMAND")(c, args[:min(1, len(args))])
		},
		RunE: func(c *cobra.Command, args []string) error {
			t.seeded = c.Flags().Changed("seed")
			return p.runExec(c.Context(), t, args)
		},
	}
	flags := c.Flags()
	flags.SetInterspersed(false)
	flags.StringVar(&t.name, "name", "exec", "`name` of the world")
	flags.StringVar(&t.from, "from", "demo", "demo, empty, or the `file` of an exported world")
	t.addClock(flags)
	flags.StringVar(&t.dialect, "dialect", "sdk", "neutral, or sdk to accept and answer the spellings of official SDKs")
	flags.StringArrayVar(&t.services, "service", nil,
		"also export what the official clients of this `service` read; repeatable")
	flags.StringVar(&t.faults, "faults", "", "YAML `file` with rules that make requests fail; see docs/faults.md")
	flags.StringArrayVar(&t.reports.files, "report", nil,
		"write a conduct report to this `file`: .txt, .json, .html, .xml (JUnit) or .sarif; repeatable")
	flags.StringVar(&t.reports.failOn, "fail-on", "",
		"fail when a rule of this `severity` or above was broken: error, warning or info")
	flags.StringVar(&t.reports.silences, "silence", "",
		"YAML `file` with rules that are not held against the command; see docs/conduct.md")
	flags.BoolVar(&t.keep, "keep", false, "leave the folder with data and log behind and print where it is")
	return c
}

func (p *Program) runExec(ctx context.Context, t throwAway, args []string) (err error) {
	program, err := lookUp(args[0])
	if err != nil {
		return err
	}
	if err := t.reports.check(app.ConductRules()); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "stoa-")
	if err != nil {
		return err
	}
	defer func() {
		if t.keep {
			fmt.Fprintf(p.Stderr, "stoa: data and log are in %s\n", dir)
			return
		}
		err = also(err, os.RemoveAll(dir))
	}()
	// Standard error belongs to the command.
	log, err := os.OpenFile(filepath.Join(dir, logName), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = also(err, log.Close()) }()
	s, env, err := p.openThrowAway(ctx, t, dir, log)
	if err != nil {
		return err
	}
	defer func() {
		for _, w := range s.Lab().Worlds() {
			p.reportUnmet(w)
			if w.Name() == t.name {
				err = also(err, p.writeReports(t.reports, w))
			}
		}
		err = also(err, s.Close())
	}()
	command := exec.Command(program, args[1:]...) //nolint:noctx // its life is its own: signals are passed on
	command.Args[0] = args[0]
	command.Stdin, command.Stdout, command.Stderr = p.Stdin, p.Stdout, p.Stderr
	command.Env = mergeEnv(p.Environ, env)
	return runForeground(command)
}

// execIdle is longer than any command: a world that closes while it is not asked
// would take its admin socket from the commands that look for it.
const execIdle = 1000 * time.Hour

// openThrowAway serves a world in a lab of its own and returns its variables.
func (p *Program) openThrowAway(
	ctx context.Context, t throwAway, dir string, log io.Writer,
) (_ *server.Server, env map[string]string, err error) {
	config, err := p.load()
	if err != nil {
		return nil, nil, err
	}
	// The command decides when the world ends, not the signal that it gets.
	ctx = context.WithoutCancel(ctx)
	s, err := server.Open(ctx, server.Options{
		Dir: dir, Listen: "127.0.0.1:0", Config: config, Version: p.Version, NoDefault: true,
		Cache: p.cacheFolder(), Idle: execIdle, LogTo: log, WorldLog: log,
	})
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	w, err := t.open(ctx, s.Lab())
	if err != nil {
		return nil, nil, err
	}
	if t.faults != "" {
		if err := addFileFaults(w, t.faults); err != nil {
			return nil, nil, err
		}
	}
	if env, err = w.Env(); err != nil {
		return nil, nil, err
	}
	if _, err := demo.ReadEnv(w.Data()); err == nil {
		// Programs that read the file instead find the addresses there as well.
		if err := demo.WriteEnv(w.Data(), env); err != nil {
			return nil, nil, err
		}
	}
	env[labclient.URLVariable], env[labclient.TokenVariable] = s.URL(), s.Token()
	if env["STOA_BIN"], err = os.Executable(); err != nil {
		return nil, nil, err
	}
	return s, env, addClients(env, t.services)
}

// addClients adds what the official clients of the services read.
func addClients(env map[string]string, services []string) error {
	for _, name := range services {
		m, err := servicename.Find(name)
		if err != nil {
			return err
		}
		for _, sdk := range sdkclients.Languages() {
			maps.Copy(env, sdkclients.Of(name, sdk).Variables(m, env))
		}
	}
	return nil
}

// open makes the world that the flags ask for.
func (t throwAway) open(ctx context.Context, l *lab.Lab) (_ *lab.World, err error) {
	n, err := t.newWorld()
	if err != nil {
		return nil, err
	}
	if n.From == lab.FromDemo || n.From == lab.FromEmpty {
		w, err := l.Create(ctx, n)
		return w, t.inSeedFile(err)
	}
	if strings.HasPrefix(n.From, "snapshot:") || strings.HasPrefix(n.From, "world:") {
		return nil, module.Fail(module.Usage, "write it to a file with stoa world export, and give --from FILE",
			"--from: the lab of exec has no other worlds")
	}
	file, err := inputfile.Open(n.From, "--from takes demo, empty, or the file of an exported world")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w, err := l.Import(ctx, n, file)
	return w, t.inSeedFile(err)
}

// cacheFolder is where worlds are kept between processes: below the user's own
// cache folder, empty when there is none.
func (p *Program) cacheFolder() string {
	if dir := p.variable("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "stoa", "worlds")
	}
	if home := p.variable("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".cache", "stoa", "worlds")
	}
	return ""
}

// also joins a second error. The exit code of a command stays, with the error
// as something to say beside it.
func also(err, second error) error {
	var ended *exitError
	if second != nil && errors.As(err, &ended) {
		return &exitError{ended.code, errors.Join(ended.cause, second)}
	}
	return errors.Join(err, second)
}

// lookUp finds the program before anything is started for it.
func lookUp(name string) (string, error) {
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
		return path, nil
	case errors.Is(err, os.ErrPermission):
		return "", &exitError{exitNotExecutable, module.Fail(module.Failed,
			"make it executable with chmod +x, or name the program that runs it", "%w", err)}
	}
	return "", &exitError{exitNotFound, module.Fail(module.NotFound, "check the spelling and PATH", "%w", err)}
}

// mergeEnv lays the variables over the environment. Settings of another server
// in the environment do not reach the command.
func mergeEnv(environ []string, env map[string]string) []string {
	merged := slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		_, ours := env[name]
		return ours || strings.HasPrefix(name, "STOA_")
	})
	for _, name := range slices.Sorted(maps.Keys(env)) {
		merged = append(merged, name+"="+env[name])
	}
	return merged
}

// runForeground runs the command, passes signals on, and returns its exit code
// as an exitError.
func runForeground(command *exec.Cmd) error {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, osprocess.HandedOn()...)
	defer signal.Stop(signals)
	ended, err := osprocess.Start(command)
	if err != nil {
		return err
	}
	for {
		select {
		case s := <-signals:
			if osprocess.FromTerminal(s) {
				continue
			}
			// A command that has just ended needs no signal.
			_ = command.Process.Signal(s)
		case err := <-ended:
			return exitOf(err)
		}
	}
}

func exitOf(err error) error {
	var ended *exec.ExitError
	if !errors.As(err, &ended) {
		return err
	}
	if status, ok := ended.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return &exitError{code: exitSignalled + int(status.Signal())}
	}
	return &exitError{code: ended.ExitCode()}
}
