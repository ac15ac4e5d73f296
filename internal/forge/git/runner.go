package git

import (
	"path/filepath"
	"time"
)

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
