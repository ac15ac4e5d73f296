package forge

import (
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

// maxOutput bounds what a git program that answers us may say, maxComplaint
// how much of its complaints is kept.
const (
	maxOutput    = 64 << 20
	maxComplaint = 4 << 10
)

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
	cmd.Stdin = stdin
	return collect(ctx, cmd, verb(args), maxOutput)
}

// collect runs a program and returns what it printed, also when it ended
// badly. More than most bytes are refused.
func collect(ctx context.Context, cmd *exec.Cmd, verb string, most int) ([]byte, error) {
	out := &capped{left: most}
	err := runTo(ctx, cmd, verb, out)
	if out.full {
		err = &Error{Code: CodeTooLarge, Message: "git printed more than it may", cause: err}
	}
	return out.kept, err
}

// runTo runs a program that prints to a writer.
func runTo(ctx context.Context, cmd *exec.Cmd, verb string, to io.Writer) error {
	complaint := newComplaint()
	cmd.Stdout, cmd.Stderr = to, complaint
	if err := cmd.Run(); err != nil {
		return gitError(ctx, verb, err, string(complaint.kept))
	}
	return nil
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

// capped keeps what is written to it, up to a bound. It must have no method
// but Write: a copy takes any short cut that it is offered.
type capped struct {
	kept []byte
	left int
	// full tells that there was more than fits; it is refused, which ends the
	// program, unless the rest may be dropped.
	full, drop bool
}

// newComplaint is for what programs say beside their answer. However much that
// is, it is no reason to end them.
func newComplaint() *capped { return &capped{left: maxComplaint, drop: true} }

// Write implements io.Writer.
func (c *capped) Write(p []byte) (int, error) {
	some := p[:min(len(p), c.left)]
	c.kept, c.left = append(c.kept, some...), c.left-len(some)
	if len(some) < len(p) && !c.drop {
		c.full = true
		return len(some), io.ErrShortWrite
	}
	return len(p), nil
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
