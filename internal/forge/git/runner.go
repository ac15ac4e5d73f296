package git

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// killDelay is how long the pipes of a stopped program are drained.
const killDelay = 2 * time.Second

// Options are what a Runner is built from.
type Options struct {
	// Program is git, by name or path.
	Program string
	// Dir is the folder of the repositories.
	Dir string
	// Timeout is the processor time that one program may take.
	Timeout time.Duration
	// Processes is how many programs may serve clients at once; there are fewer
	// where memory is short.
	Processes int
	// Memory is what all programs may take together, in bytes.
	Memory int64
	// TempFiles is how many bytes of requests and answers may lie in temporary
	// files at once.
	TempFiles int64
	// MaxPush is the largest push in bytes, MaxRepository the largest repository
	// and any one file of it.
	MaxPush, MaxRepository int64
}

// Runner runs the program on the repositories of one folder.
type Runner struct {
	options Options
	root    string
	slots   *slots
}

// New builds a runner. It touches nothing.
func New(o Options) *Runner {
	root := o.Dir
	// Programs run elsewhere than we do. Without a working folder the path
	// stays as it is, and git says what is wrong with it.
	if absolute, err := filepath.Abs(root); err == nil {
		root = absolute
	}
	return &Runner{options: o, root: root, slots: newSlots(o)}
}

// Path is the folder of a repository. What is no name of one gives a folder that is never there.
func (r *Runner) Path(folder string) string {
	if !named(folder) {
		return filepath.Join(r.root, "no-repository.git")
	}
	return filepath.Join(r.root, folder[:2], folder+".git")
}

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
