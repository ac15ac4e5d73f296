package git

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
)

const (
	// MaxOutput bounds what a program that answers us may print.
	MaxOutput = 64 << 20
	// maxStderr is how much of its complaints is kept.
	maxStderr = 4 << 10
)

// Repo is a repository, and whose share of the slots programs on it use that no
// caller asks for.
type Repo struct {
	Folder string
	Owner  budget.Owner
}

// Query runs a program that answers a question of our own about a repository. One
// that lacks memory is run again with as much as one owner has for questions, which
// is no less than a push has: what git took it can show. The share is that of the
// caller who asks (budget.OwnerOf), also for a repository of others.
func (r *Runner) Query(ctx context.Context, repo Repo, program func(Slot) error) error {
	err := r.query(ctx, repo, r.weight(repo.Folder), program)
	if lacksMemory(err) {
		err = r.query(ctx, repo, largeWeight, program)
	}
	return refuseLimits(err)
}

func (r *Runner) query(ctx context.Context, repo Repo, weight int64, program func(Slot) error) error {
	owner, asked := budget.OwnerOf(ctx)
	if !asked {
		owner = repo.Owner
	}
	s, err := r.slots.take(ctx, r.slots.queries, owner, weight)
	if err != nil {
		return err
	}
	defer s.Release()
	return program(s)
}

// Output runs a program on a repository to its end and returns what it printed.
func (r *Runner) Output(ctx context.Context, repo Repo, stdin string, args ...string) (out []byte, err error) {
	err = r.Query(ctx, repo, func(s Slot) (err error) {
		cmd := r.Command(ctx, s, r.Path(repo.Folder), args...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err = Collect(ctx, cmd, command(args), MaxOutput)
		return err
	})
	return out, err
}

// Beginning is Output for what may be long: it returns at most limit bytes and
// whether that is everything.
func (r *Runner) Beginning(
	ctx context.Context, repo Repo, limit int, args ...string,
) (out []byte, whole bool, err error) {
	err = r.Query(ctx, repo, func(s Slot) (err error) {
		out, err = Collect(ctx, r.Command(ctx, s, r.Path(repo.Folder), args...), command(args), limit)
		return err
	})
	if errors.Is(err, ErrTooLarge) {
		return out, false, nil
	}
	return out, err == nil, err
}

// RunLong runs a program that takes its time on a repository, in the git folder
// dir, or none.
func (r *Runner) RunLong(ctx context.Context, repo Repo, dir string, args ...string) error {
	s, err := r.slots.take(ctx, r.slots.long, repo.Owner, r.weight(repo.Folder))
	if err != nil {
		return err
	}
	defer s.Release()
	_, err = Collect(ctx, r.Command(ctx, s, dir, args...), command(args), MaxOutput)
	return err
}

// Collect runs a program and returns what it printed, also when it ended badly.
// More than limit bytes are refused.
func Collect(ctx context.Context, cmd *exec.Cmd, name string, limit int) ([]byte, error) {
	out := &capped{left: limit}
	err := Run(ctx, cmd, name, out)
	if out.full {
		err = &Error{Kind: ErrTooLarge, Message: "git printed more than it may", cause: err}
	}
	return out.kept, err
}

// Run runs a program that prints to a writer.
func Run(ctx context.Context, cmd *exec.Cmd, name string, to io.Writer) error {
	stderr := newStderr()
	cmd.Stdout, cmd.Stderr = to, stderr
	if err := cmd.Run(); err != nil {
		return runError(ctx, name, err, string(stderr.kept))
	}
	return nil
}

// Pipe runs a program and hands what it prints to read. When read fails the
// program is ended and that failure returned.
func Pipe(
	ctx context.Context, name string, prepare func(context.Context) *exec.Cmd, read func(io.Reader) error,
) error {
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	cmd, stderr := prepare(ctx), newStderr()
	cmd.Stderr = stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return runError(ctx, name, err, "")
	}
	failed := read(out)
	if failed != nil {
		enough()
	}
	err = cmd.Wait()
	if failed != nil {
		return failed
	}
	if err != nil {
		return runError(ctx, name, err, string(stderr.kept))
	}
	return nil
}

// command is the first argument that is not a setting.
func command(args []string) string {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return args[0]
}

// capped keeps what is written to it, up to a bound. It must have no method
// but Write: a copy takes any short cut that it is offered.
type capped struct {
	kept []byte
	left int
	// full says that there was more than fits; it is refused, which ends the
	// program, unless the rest may be dropped.
	full, drop bool
}

// newStderr is for what programs print beside their answer. However much that
// is, it does not end them.
func newStderr() *capped { return &capped{left: maxStderr, drop: true} }

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

// killDelay is how long the pipes of a stopped program are drained.
const killDelay = 2 * time.Second

// environment is all that git learns of the machine: where programs are, and
// that no configuration but ours counts.
func environment() []string {
	return []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0", "GIT_ATTR_NOSYSTEM=1",
		"GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1",
	}
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
		// Whatever a repository's own file says, these name no program and no file elsewhere.
		"-c", "tar.tar.gz.command=gzip -cn", "-c", "core.alternateRefsCommand=true", "-c", "core.attributesFile=/dev/null",
		"-c", "core.sshCommand=false", "-c", "core.askPass=", "-c", "core.editor=false", "-c", "core.pager=cat",
		"-c", "credential.helper=", "-c", "gpg.program=false",
	}
}

// limits are what one program may take, and each that it starts.
type limits struct {
	// memory is what it makes for itself, mapped the files that it looks at.
	memory, mapped int64
	processor      time.Duration
	// file is the largest that it may write.
	file int64
}

// mappedFiles is for the packs that a program maps to read them, for their
// indexes, and for the program itself.
const mappedFiles = 1 << 30

// Command prepares a program in its slot; no program is started in another way.
// It dies with its context, children included.
func (r *Runner) Command(ctx context.Context, s Slot, dir string, args ...string) *exec.Cmd {
	all := settings()
	if dir != "" {
		all = append(all, "--git-dir="+dir)
	}
	program, missing := exec.LookPath(r.options.Program)
	bounds := limits{
		memory: s.Memory, mapped: mappedFiles, processor: r.options.Timeout, file: r.options.MaxRepository,
	}
	line := slices.Concat(bounds.shell(), []string{program}, all, args)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	if missing != nil {
		cmd.Err = missing
	}
	cmd.Env = environment()
	cmd.Dir = r.root
	cmd.WaitDelay = killDelay
	killGroup(cmd)
	return cmd
}
