package forge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// maxOutput bounds what a git program that answers us may say.
const maxOutput = 64 << 20

// afterKill is how long the pipes of a stopped program are drained.
const afterKill = 2 * time.Second

// git runs the program on the repositories of one folder.
type git struct {
	program string
	root    string
	// slots bounds the programs that serve clients.
	slots chan struct{}
}

func newGit(c Config, dir string) *git {
	root := c.Dir
	if root == "" {
		root = filepath.Join(dir, "git")
	}
	// Programs run elsewhere than we do. Without a working folder the path
	// stays as it is, and git says what is wrong with it.
	if absolute, err := filepath.Abs(root); err == nil {
		root = absolute
	}
	return &git{program: c.Git, root: root, slots: make(chan struct{}, c.Processes)}
}

// path is the folder of a repository. folder is 32 hexadecimal characters of
// our own making.
func (g *git) path(folder string) string { return filepath.Join(g.root, folder[:2], folder+".git") }

// environment is all that git learns of the machine: where programs are, and
// that no configuration but ours counts.
func environment(extra ...string) []string {
	return append([]string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0", "GIT_ATTR_NOSYSTEM=1",
		"GIT_OPTIONAL_LOCKS=0",
	}, extra...)
}

// settings hold for every program: no hooks, no clean-up in the background,
// no surprise about who owns the folder.
func settings() []string {
	return []string{
		"-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
		"-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never",
		"-c", "protocol.file.allow=always", "-c", "core.fsync=all", "-c", "core.fsyncMethod=batch",
	}
}

// command prepares a program. It dies with its context, children included.
func (g *git) command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	all := settings()
	if dir != "" {
		all = append(all, "--git-dir="+dir)
	}
	cmd := exec.CommandContext(ctx, g.program, append(all, args...)...)
	cmd.Env = environment()
	cmd.Dir = g.root
	cmd.WaitDelay = afterKill
	confine(cmd)
	return cmd
}

// run runs a program to its end and returns what it printed.
func (g *git) run(ctx context.Context, dir string, stdin io.Reader, args ...string) ([]byte, error) {
	cmd := g.command(ctx, dir, args...)
	var out, complaint bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &capped{Buffer: &out, left: maxOutput}, &capped{Buffer: &complaint, left: 4 << 10}
	if err := cmd.Run(); err != nil {
		return nil, gitError(ctx, verb(args), err, complaint.String())
	}
	return out.Bytes(), nil
}

// verb is the first argument that is no setting.
func verb(args []string) string {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return args[0]
}

// runError is a program that ended badly.
type runError struct {
	verb, complaint string
	cause           error
}

func (e *runError) Error() string {
	text := strings.TrimSpace(e.complaint)
	if text == "" {
		text = e.cause.Error()
	}
	return "git " + e.verb + ": " + text
}

func (e *runError) Unwrap() error { return e.cause }

func gitError(ctx context.Context, verb string, err error, complaint string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return &Error{
			Code: CodeUnavailable, cause: err,
			Message: "the git program was not found; install git or name it with forge.git",
		}
	}
	return &runError{verb: verb, complaint: complaint, cause: err}
}

// capped is a buffer that refuses to grow beyond its bound.
type capped struct {
	*bytes.Buffer
	left int
}

// Write implements io.Writer.
func (c *capped) Write(p []byte) (int, error) {
	if len(p) > c.left {
		return 0, &Error{Code: CodeTooLarge, Message: "git printed more than it may"}
	}
	c.left -= len(p)
	return c.Buffer.Write(p)
}

// initialize makes an empty bare repository.
func (g *git) initialize(ctx context.Context, folder, branch string) error {
	dir := g.path(folder)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	_, err := g.run(ctx, "", nil, "init", "--quiet", "--bare", "--template=", "--initial-branch="+branch, "--", dir)
	return err
}

// clone makes a bare copy that shares nothing but the bytes on disk.
func (g *git) clone(ctx context.Context, from, to string) error {
	dir := g.path(to)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	_, err := g.run(ctx, "", nil, "clone", "--quiet", "--bare", "--local", "--template=", "--", g.path(from), dir)
	return err
}

// remove deletes a repository's folder; one that is gone is fine.
func (g *git) remove(folder string) error {
	if len(folder) != folderLength {
		return fmt.Errorf("forge: %q is no folder of ours", folder)
	}
	return os.RemoveAll(g.path(folder))
}

// hold waits for a slot to serve a client.
func (g *git) hold(ctx context.Context) (release func(), err error) {
	select {
	case g.slots <- struct{}{}:
		return func() { <-g.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
