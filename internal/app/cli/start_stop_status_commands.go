package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/datafolder"
	"stoa.dev/stoa/internal/app/cli/laststart"
	"stoa.dev/stoa/internal/app/cli/osprocess"
	"stoa.dev/stoa/internal/app/cli/plain"
	"stoa.dev/stoa/internal/app/demo"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/module"
)

// logName is where a server in the background writes.
const logName = "server.log"

// lookEvery is how often a start or stop looks whether it has happened.
const lookEvery = 20 * time.Millisecond

func (p *Program) start() *cobra.Command {
	var (
		f      serveFlags
		wait   bool
		within time.Duration
	)
	c := &cobra.Command{
		Use:   "start",
		Short: "Serve in the background",
		Long: "Start stoa serve with the same flags in the background. Its output goes to server.log in the data\n" +
			"folder; with --wait the command returns when requests are answered. stoa stop ends it. Flags that are\n" +
			"not given are those of the last start of the folder: --demo=false or --dialect neutral, for one, end that.",
		Args: arguments.Words(),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := p.asBefore(c); err != nil {
				return err
			}
			return p.runStart(c.Context(), f, serveArgs(c), wait, within)
		},
	}
	addServeFlags(c, &f)
	c.Flags().BoolVar(&wait, "wait", false, "return when requests are answered")
	c.Flags().DurationVar(&within, "within", 30*time.Second, "how long --wait and stop wait")
	return c
}

// serveArgs are the given flags that serve knows.
func serveArgs(c *cobra.Command) []string {
	args := []string{"serve"}
	for _, name := range []string{
		"config", "data", "database", "listen", "https", "kms-socket", "dialect", "log", "offline", "demo",
	} {
		if f := c.Flags().Lookup(name); f.Changed {
			args = append(args, "--"+name+"="+f.Value.String())
		}
	}
	return args
}

// asBefore gives a start the flags of the last one on its folder that it is not given.
func (p *Program) asBefore(c *cobra.Command) error {
	config, err := p.load()
	if err == nil {
		err = unserved(c.Context(), config.Data)
	}
	if err != nil {
		return err
	}
	last, err := laststart.RecallFlags(config.Data)
	if err != nil {
		return err
	}
	taken := ""
	for _, name := range sortedKeys(last) {
		if c.Flags().Changed(name) {
			continue
		}
		if err := c.Flags().Set(name, last[name]); err != nil {
			return err
		}
		taken += " --" + name + "=" + last[name]
	}
	if taken != "" && !p.json {
		fmt.Fprintf(p.Stdout, "as at the last start:%s\n", taken)
	}
	return nil
}

type startedJSON struct {
	PID  int    `json:"pid"`
	URL  string `json:"url,omitempty"`
	Data string `json:"data"`
	Log  string `json:"log"`
	// Dialect is neutral or sdk.
	Dialect string `json:"dialect"`
	// User and Password sign in: the administrator's on a first start, which
	// are shown once, or the demo world's.
	User     string `json:"user,omitempty"`
	Password string `json:"password,omitempty"`
	DemoEnv  string `json:"demo_env,omitempty"`
}

func (p *Program) runStart(ctx context.Context, f serveFlags, args []string, wait bool, within time.Duration) error {
	config, err := p.load()
	if err != nil {
		return err
	}
	// What can be refused is refused before the folder is there.
	served := config
	if err := f.place(&served); err != nil {
		return err
	}
	if err := f.refused(ctx, served); err != nil {
		return err
	}
	if err := served.Validate(); err != nil {
		return err
	}
	if err := errors.Join(served.Listen.Free(ctx), served.Listen.Check(served.Data)); err != nil {
		return err
	}
	out := startedJSON{Data: config.Data, Log: filepath.Join(config.Data, logName), Dialect: served.Dialect}
	command, ended, err := p.launch(out.Log, args)
	if err != nil {
		return err
	}
	out.PID = command.Process.Pid
	flags := laststart.Flags{}
	for _, arg := range args[1:] {
		name, value, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		flags[name] = value
	}
	if err := flags.Remember(config.Data); err != nil {
		return err
	}
	if wait {
		if out.URL, err = p.awaitReady(ctx, out.Log, ended, within); err != nil {
			return err
		}
		if err := out.signIn(); err != nil {
			return err
		}
	}
	return p.printStarted(out)
}

// unserved refuses a folder that a server already serves. It is asked before
// the address, which that server has most likely taken too.
func unserved(ctx context.Context, data string) error {
	client, status, err := admin.Dial(ctx, data)
	if errors.Is(err, admin.ErrNoServer) {
		return datafolder.RefuseServing(data)
	}
	if err != nil {
		return err
	}
	client.Close()
	return module.Fail(module.Owned, "stop it with stoa stop, or choose another folder with --data",
		"process %d already serves %s at %s", status.PID, data, status.URL)
}

// signIn finds out how a user signs in to the server that has just started.
func (s *startedJSON) signIn() error {
	if env, err := demo.ReadEnv(s.Data); err == nil {
		s.User, s.Password, s.DemoEnv = env["STOA_USER"], env["STOA_PASSWORD"], filepath.Join(s.Data, demo.EnvFile)
		return nil
	}
	text, err := os.ReadFile(s.Log)
	for line := range strings.Lines(string(text)) {
		if _, scanned := fmt.Sscanf(line, firstStart, &s.User, &s.Password); scanned == nil {
			break
		}
	}
	return err
}

func (p *Program) printStarted(out startedJSON) error {
	told := out
	if !p.json {
		told.User, told.Password, told.DemoEnv = "", "", ""
	}
	if err := p.printValue(told); err != nil || p.json {
		return err
	}
	switch {
	case out.URL == "":
		fmt.Fprintf(p.Stdout, "It is starting; the address, and at the first start the password, will be in %s\n", out.Log)
	case out.DemoEnv != "":
		fmt.Fprintf(p.Stdout, "Sign in at %s/console as %s with password %s\n", out.URL, out.User, out.Password)
		fmt.Fprintf(p.Stdout, "Credentials for a shell: . %s\n", shellPath(out.DemoEnv))
	case out.User != "":
		fmt.Fprintf(p.Stdout, firstStart+"\n", out.User, out.Password)
	default:
		fmt.Fprintf(p.Stdout, "Sign in at %s/console; a new password: %s\n", out.URL, newPassword)
	}
	return nil
}

// shellPath is a path that the shell's dot command finds: without a slash it
// would search PATH.
func shellPath(path string) string {
	if !strings.Contains(path, "/") {
		return "./" + path
	}
	return path
}

// launch starts the program again in a session of its own, so that it outlives
// the terminal. ended reports an early end.
func (p *Program) launch(logFile string, args []string) (*exec.Cmd, <-chan error, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(filepath.Dir(logFile), 0o700); err != nil {
		return nil, nil, err
	}
	// A new file for every start: the ready line in it is this start's.
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = log.Close() }()     // the child has its own
	command := exec.Command(self, args...) //nolint:noctx // it outlives this process
	command.Env, command.Stdout, command.Stderr = p.Environ, log, log
	command.SysProcAttr = osprocess.Detached()
	ended, err := osprocess.Start(command)
	return command, ended, err
}

// awaitReady reads the log until the ready line is there.
func (p *Program) awaitReady(
	ctx context.Context, logFile string, ended <-chan error, within time.Duration,
) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for {
		text, err := os.ReadFile(logFile)
		if err != nil {
			return "", err
		}
		if url, ok := readyLine(text); ok {
			return url, nil
		}
		select {
		case end := <-ended:
			if text, err = os.ReadFile(logFile); err != nil { // with its last words
				return "", err
			}
			return "", endedAtOnce(text, logFile, end)
		default:
		}
		if clock.Sleep(ctx, clock.Real(), lookEvery) != nil {
			return "", module.Fail(module.Failed, "it may still become ready: see "+logFile,
				"the server is not ready after %s", within)
		}
	}
}

// readyLine finds the address in a whole line, not in one that is being written.
func readyLine(text []byte) (string, bool) {
	for line := range bytes.Lines(text) {
		if url, ok := bytes.CutPrefix(line, []byte("ready ")); ok && bytes.HasSuffix(url, []byte("\n")) {
			return strings.TrimSpace(string(url)), true
		}
	}
	return "", false
}

// endedAtOnce says why a server in the background ended, with its exit code.
func endedAtOnce(output []byte, logFile string, ended error) error {
	message, next := plain.PrintedError(output)
	if next != "" {
		next += "; "
	}
	failure := module.Fail(module.Failed, next+"the whole output is in "+logFile, "the server ended at once: %s", message)
	var exit *exec.ExitError
	if errors.As(ended, &exit) && exit.ExitCode() > 0 {
		return &exitError{code: exit.ExitCode(), cause: failure}
	}
	return failure
}

func (p *Program) stop() *cobra.Command {
	var within time.Duration
	c := &cobra.Command{
		Use: "stop", Short: "Stop the server of this data folder and wait for its end", Args: arguments.Words(),
		RunE: func(c *cobra.Command, _ []string) error { return p.runStop(c.Context(), within) },
	}
	c.Flags().DurationVar(&within, "within", 30*time.Second, "how long to wait for its end")
	return c
}

func (p *Program) runStop(ctx context.Context, within time.Duration) error {
	status, err := p.running(ctx)
	if err != nil {
		failure := asFailure(err)
		if failure.Failure == module.NotFound {
			failure.Next = "nothing was stopped"
		}
		return failure
	}
	if err := osprocess.End(status.PID); err != nil {
		return fmt.Errorf("stop process %d: %w", status.PID, err)
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for osprocess.Alive(status.PID) {
		// A child that its parent has not waited for yet still has a number; its
		// socket is gone all the same.
		if _, err := p.running(ctx); err != nil && ctx.Err() == nil && osprocess.Zombie(status.PID) {
			break
		}
		if clock.Sleep(ctx, clock.Real(), lookEvery) != nil {
			return module.Fail(module.Failed, "requests in flight may still be running",
				"process %d has not ended after %s", status.PID, within)
		}
	}
	if !p.json {
		_, err := fmt.Fprintf(p.Stdout, "stopped pid %d\n", status.PID)
		return err
	}
	return p.printValue(status)
}

func (p *Program) status() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Say which server owns this data folder", Args: arguments.Words(),
		RunE: func(c *cobra.Command, _ []string) error {
			status, err := p.running(c.Context())
			if err != nil {
				return err
			}
			text, err := json.Marshal(status)
			if status.Version == "" && err == nil {
				text, err = json.Marshal(map[string]any{"lab": true, "pid": status.PID, "url": status.URL})
			}
			if err != nil {
				return err
			}
			return p.print(text)
		},
	}
}

// running is the server of the data folder.
func (p *Program) running(ctx context.Context) (admin.Status, error) {
	config, err := p.load()
	if err != nil {
		return admin.Status{}, err
	}
	client, status, err := admin.Dial(ctx, config.Data)
	if errors.Is(err, admin.ErrNoServer) {
		if found, err := runningLab(config.Data); found.PID != 0 || err != nil {
			return found, err
		}
		if p.data == "" && p.variable("STOA_DATA") == "" {
			// A lab has another folder unless told.
			if found, err := runningLab(defaultLabDir); found.PID != 0 || err != nil {
				return found, err
			}
		}
		if err := datafolder.RefuseEnded(config.Data); err != nil {
			return status, err
		}
		if pid := datafolder.Died(config.Data); pid != 0 {
			return status, module.Fail(module.NotFound, "see stoa logs, and start it again with stoa start --wait",
				"no server runs on %s: the last one, process %d, ended without being stopped", config.Data, pid)
		}
		return status, module.Fail(module.NotFound, "start one with stoa start --wait", "no server runs on %s", config.Data)
	}
	if err != nil {
		return status, err
	}
	client.Close()
	return status, nil
}
