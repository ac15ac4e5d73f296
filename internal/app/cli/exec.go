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

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"stoa.dev/stoa/internal/app"
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
	dialect  string
	services []string
	keep     bool
}

func (p *Program) exec() *cobra.Command {
	var t throwAway
	c := &cobra.Command{
		Use:   "exec [flags] -- COMMAND [ARG]...",
		Short: "Run a command with a throw-away demo server",
		Long: "Start a server with a fresh demo world on a free port of loopback, run the command with the\n" +
			"variables of the demo world exported, stop the server, remove its folder, and end with the\n" +
			"exit code of the command. STOA_DATA and STOA_BIN are exported too: \"$STOA_BIN\" token issue, for\n" +
			"one, reaches the server from inside. Registries that were found on the machine are not asked.\n\n" +
			"    stoa exec -- npm test\n" +
			"    stoa exec --service generate -- python client.py",
		Args: func(c *cobra.Command, args []string) error { return named("COMMAND")(c, args[:min(1, len(args))]) },
		RunE: func(c *cobra.Command, args []string) error { return p.runExec(c.Context(), t, args) },
	}
	c.Flags().SetInterspersed(false)
	c.Flags().StringVar(&t.dialect, "dialect", "sdk",
		"neutral, or sdk to accept and answer the spellings of official SDKs")
	c.Flags().StringArrayVar(&t.services, "service", nil,
		"also export what the official clients of this `service` read; repeatable")
	c.Flags().BoolVar(&t.keep, "keep", false, "leave the folder with data and log behind and print where it is")
	return c
}

func (p *Program) runExec(ctx context.Context, t throwAway, args []string) (err error) {
	program, err := lookUp(args[0])
	if err != nil {
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
	log, err := os.OpenFile(filepath.Join(dir, logName), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = also(err, log.Close()) }()
	a, env, err := p.openThrowAway(ctx, t, dir, log)
	if err != nil {
		return err
	}
	defer func() { err = also(err, a.Close()) }()
	command := exec.Command(program, args[1:]...) //nolint:noctx // its life is its own: signals are passed on
	command.Args[0] = args[0]
	command.Stdin, command.Stdout, command.Stderr = p.Stdin, p.Stdout, p.Stderr
	command.Env = mergeEnv(p.Environ, env)
	return runForeground(command)
}

// openThrowAway serves a fresh demo world and returns its variables.
func (p *Program) openThrowAway(
	ctx context.Context, t throwAway, dir string, log io.Writer,
) (_ *app.App, env map[string]string, err error) {
	config, err := p.load()
	if err != nil {
		return nil, nil, err
	}
	config.Data, config.Dialect = filepath.Join(dir, "data"), t.dialect
	config.Listen.HTTP, config.BaseURL = "127.0.0.1:0", ""
	config.Listen.HTTPS, config.Listen.KMS = "", ""
	serveFlags{demo: true}.apply(&config)
	options := p.options(config)
	options.LogTo, options.ThrowAway = log, "exec serves a world for one command"
	// The command decides when the server ends, not the signal that it gets.
	ctx = context.WithoutCancel(ctx)
	a, err := app.New(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	if err := a.SeedDemo(ctx); err != nil {
		return nil, nil, err
	}
	if err := a.Start(ctx); err != nil {
		return nil, nil, err
	}
	if env, err = a.RefreshDemo(ctx); err != nil {
		return nil, nil, err
	}
	env["STOA_DATA"] = config.Data
	if env["STOA_BIN"], err = os.Executable(); err != nil {
		return nil, nil, err
	}
	for _, name := range t.services {
		m, err := serviceNamed(name)
		if err != nil {
			return nil, nil, err
		}
		for _, sdk := range sdks() {
			maps.Copy(env, needed(m, clientOf(name, sdk), env))
		}
	}
	return a, env, nil
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
		return "", &exitError{exitNotExecutable, module.Fail(module.Failed, "", "%w", err)}
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
	signal.Notify(signals,
		syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	defer signal.Stop(signals)
	if err := command.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for {
		select {
		case s := <-signals:
			if fromTerminal(s) {
				continue
			}
			// A command that has just ended needs no signal.
			_ = command.Process.Signal(s)
		case err := <-ended:
			return exitOf(err)
		}
	}
}

// fromTerminal reports whether the terminal has sent the signal to the command too.
func fromTerminal(s os.Signal) bool {
	if s != syscall.SIGINT && s != syscall.SIGQUIT {
		return false
	}
	foreground, err := unix.IoctlGetInt(0, unix.TIOCGPGRP)
	return err == nil && foreground == unix.Getpgrp()
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
