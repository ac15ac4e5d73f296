package forge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	config  Config
	places  *places
}

func newGit(c Config, dir string, memory int64) *git {
	root := c.Dir
	if root == "" {
		root = filepath.Join(dir, "git")
	}
	// Programs run elsewhere than we do. Without a working folder the path
	// stays as it is, and git says what is wrong with it.
	if absolute, err := filepath.Abs(root); err == nil {
		root = absolute
	}
	return &git{program: c.Git, root: root, config: c, places: newPlaces(c, memory)}
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
// no surprise about who owns the folder, and little memory for what it could
// also do with less. Files above the threshold are never held as a whole.
func settings() []string {
	return []string{
		"-c", "core.bigFileThreshold=8m", "-c", "core.deltaBaseCacheLimit=8m", "-c", "core.packedGitLimit=256m",
		"-c", "core.packedGitWindowSize=16m", "-c", "core.preloadIndex=false", "-c", "index.threads=1",
		"-c", "checkout.workers=1", "-c", "pack.threads=1", "-c", "pack.windowMemory=8m", "-c", "pack.deltaCacheSize=8m",
		"-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
		"-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never",
		"-c", "protocol.file.allow=always", "-c", "core.fsync=all", "-c", "core.fsyncMethod=batch",
	}
}

// bounds are what one program may take, and each that it starts.
type bounds struct {
	// memory is what it makes for itself, mapped the files that it looks at.
	memory, mapped int64
	processor      time.Duration
	// file is the largest that it may write.
	file int64
}

// mappedFiles is room for the packs that a program maps to read them, for
// their indexes, and for the program itself.
const mappedFiles = 1 << 30

// bounds are those of a program in a place.
func (g *git) bounds(p place) bounds {
	return bounds{memory: p.memory, mapped: mappedFiles, processor: g.config.Timeout, file: g.config.MaxRepository}
}

// command prepares a program in its place; no program of the forge is started
// in another way. It dies with its context, children included.
func (g *git) command(ctx context.Context, p place, dir string, args ...string) *exec.Cmd {
	all := settings()
	if dir != "" {
		all = append(all, "--git-dir="+dir)
	}
	program, missing := exec.LookPath(g.program)
	line := slices.Concat(g.bounds(p).shell(), []string{program}, all, args)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	if missing != nil {
		cmd.Err = missing
	}
	cmd.Env = environment()
	cmd.Dir = g.root
	cmd.WaitDelay = afterKill
	confine(cmd)
	return cmd
}

// ask runs a program that answers a question of our own about a repository. One
// that lacks memory is asked again with as much as there is for questions, which
// is no less than a push has: what git took it can show.
func (f *Forge) ask(ctx context.Context, r Repository, program func(p place) error) error {
	err := f.askWith(ctx, r, f.git.weight(r.folder), program)
	if lacksMemory(err) {
		err = f.askWith(ctx, r, largeWeight, program)
	}
	return err
}

func (f *Forge) askWith(ctx context.Context, r Repository, weight int64, program func(p place) error) error {
	p, err := f.git.places.take(ctx, f.git.places.own, budgetOwner(r.Owner), weight)
	if err != nil {
		return err
	}
	defer p.Release()
	return program(p)
}

// lacksMemory reports whether a program ended for want of memory.
func lacksMemory(err error) bool {
	var failed *runError
	return errors.As(err, &failed) && strings.Contains(strings.ToLower(failed.complaint), "memory")
}

// run runs a program on a repository to its end and returns what it printed.
func (f *Forge) run(ctx context.Context, r Repository, stdin string, args ...string) (out []byte, err error) {
	err = f.ask(ctx, r, func(p place) (err error) {
		cmd := f.git.command(ctx, p, f.git.path(r.folder), args...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err = collect(ctx, cmd, verb(args), maxOutput)
		return err
	})
	return out, err
}

// runLong runs a program that takes its time on a repository, in the git
// folder dir, or none.
func (f *Forge) runLong(ctx context.Context, r Repository, dir string, args ...string) error {
	p, err := f.git.places.take(ctx, f.git.places.long, budgetOwner(r.Owner), f.git.weight(r.folder))
	if err != nil {
		return err
	}
	defer p.Release()
	_, err = collect(ctx, f.git.command(ctx, p, dir, args...), verb(args), maxOutput)
	return err
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

// initialize makes the empty bare repository of a new row.
func (f *Forge) initialize(ctx context.Context, r Repository) error {
	dir := f.git.path(r.folder)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	return f.runLong(ctx, r, "", "init", "--quiet", "--bare", "--template=", "--initial-branch="+r.DefaultBranch, "--", dir)
}

// copyTo makes a bare copy that shares nothing but the bytes on disk.
func (f *Forge) copyTo(ctx context.Context, from, to Repository) error {
	dir := f.git.path(to.folder)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	return f.runLong(ctx, from, "", "clone", "--quiet", "--bare", "--local", "--template=", "--", f.git.path(from.folder), dir)
}

// remove deletes a repository's folder; one that is gone is fine.
func (g *git) remove(folder string) error {
	if len(folder) != folderLength {
		return fmt.Errorf("forge: %q is no folder of ours", folder)
	}
	return os.RemoveAll(g.path(folder))
}
