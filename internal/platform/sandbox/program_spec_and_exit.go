package sandbox

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/sandbox/memorydiskuse"
	"stoa.dev/stoa/internal/platform/sandbox/runcount"
)

// ErrUnavailable is the family of errors that say why nothing can be run here.
var ErrUnavailable = errors.New("sandbox: cannot run programs here")

// ErrSpec is the family of errors in what a caller asks for.
var ErrSpec = errors.New("sandbox: bad spec")

// Sandbox runs programs. It is safe for concurrent use and holds no resources
// between runs.
type Sandbox struct {
	config Config
	clock  clock.Clock
	// turn spreads runs with few processors over all of them.
	turn atomic.Uint32
	// ledger adds up the memory of all runs.
	ledger *memorydiskuse.Ledger
	// Runs counts the runs.
	Runs runcount.Counter
}

// New keeps the configuration; it starts and touches nothing.
func New(c Config, clock clock.Clock) *Sandbox {
	return &Sandbox{config: c, clock: clock, ledger: memorydiskuse.NewLedger(c.Memory)}
}

// Confined reports whether programs run in a sandbox rather than on the host.
func (s *Sandbox) Confined() bool { return s.config.Mode == ModeSandbox }

// Mount shows a host path inside the sandbox, never writable.
type Mount struct {
	Host   string
	Inside string
}

// Spec is one program to run. Zero limits mean the default named beside them.
type Spec struct {
	// Args is the program and its arguments. The program is looked up in the
	// sandbox.
	Args []string
	// Env is added to PATH, HOME, USER, LANG and TERM; NAME=value, later wins.
	Env []string
	// Dir is the private work folder on the host, made below what WorkRoot
	// returned. Run gives it to the user the program runs as.
	Dir string
	// Home is where Dir is seen inside, by default /home/stoa. In host mode
	// there is no inside, and Home is ignored.
	Home string
	// Work is the working folder inside, by default Home.
	Work string
	// ReadOnly are further things to see.
	ReadOnly []Mount
	// Stdin is empty when nil.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Files become the descriptors 3, 4, … of the program.
	Files []*os.File
	// Network gives the program the host's network, loopback included, if the
	// configuration allows it.
	Network bool

	Memory    int64 // bytes, by default 4 GiB
	Disk      int64 // bytes in Dir, by default 10 GiB
	Temporary int64 // bytes in /tmp and in /dev/shm, by default 1 GiB each
	Output    int64 // bytes on Stdout and Stderr together, by default 64 MiB
	CPU       int   // processors at once, by default all
	Processes int   // processes and threads, by default 1024
	FileSize  int64 // bytes of the largest file, by default Disk
	Open      int   // open files of one process, by default 4096
	// Timeout ends the run that long after its start; none when zero.
	Timeout time.Duration
	// Silence ends the run when it has said nothing for that long; never when zero.
	Silence time.Duration
}

// Exit is how a run ended. At most one of the booleans is set, and then the
// run was killed for that reason.
type Exit struct {
	// Code is the exit code; 128 plus the signal for a program that was killed.
	Code   int
	Signal syscall.Signal

	TimedOut      bool
	Silent        bool
	OutOfMemory   bool
	OutOfDisk     bool
	TooMuchOutput bool

	Usage Usage
}

// Success reports whether the program ended by itself with code 0.
func (e Exit) Success() bool {
	return e.Code == 0 && !e.TimedOut && !e.Silent && !e.OutOfMemory && !e.OutOfDisk && !e.TooMuchOutput
}

// Usage is what a run cost.
type Usage struct {
	Wall, User, System time.Duration
	// Memory is the largest resident set of one process, or of the whole run
	// where a cgroup counts.
	Memory int64
	Output int64
}
