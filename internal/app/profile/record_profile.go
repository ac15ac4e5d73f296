package profile

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/module"
)

const (
	// maxTime bounds how long a profile is recorded.
	maxTime = 10 * time.Minute
	// mutexFraction is which part of contended locks is recorded, blockRate of how many
	// nanoseconds of waiting one is.
	mutexFraction, blockRate = 10, 10_000
)

// Recorded is the answer of "profile".
type Recorded struct {
	Kind  string `json:"kind"`
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	Next  string `json:"next"`
}

// kinds are what can be recorded; those that take time are recorded for a while.
func kinds() []string { return []string{"cpu", "heap", "mutex", "block", "goroutine", "trace"} }

// Command is "stoa profile". real is the clock that recording takes its time by: a world's
// own may stand still.
func Command(real clock.Clock) module.Command {
	r := &recorder{clock: real}
	return module.Command{
		Path:  "profile",
		Short: "record what the running server does, for go tool pprof and go tool trace",
		Long: "Kinds are cpu, heap, mutex, block, goroutine and trace. cpu, mutex, block and trace are recorded for the " +
			"time of --for; the others are of one moment, heap of the one after a collection. The file must not exist.",
		Args: []module.Arg{
			{Name: "kind", Help: "cpu, heap, mutex, block, goroutine or trace"},
			{Name: "file", Help: "where to write it", File: module.NewFile},
		},
		Flags: []module.Flag{{Name: "for", Kind: module.Duration, Default: "10s", Help: "how long, at most 10m"}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			return r.record(ctx, in.Text("kind"), in.Text("file"), in.Duration("for"))
		},
	}
}

// recorder records one profile at a time: the runtime has one of each.
type recorder struct {
	clock clock.Clock
	mu    sync.Mutex
}

func (r *recorder) record(ctx context.Context, kind, path string, d time.Duration) (out Recorded, err error) {
	if d <= 0 || d > maxTime {
		return out, module.Fail(module.Usage, "use a duration such as 30s, at most 10m", "--for is out of range")
	}
	write := r.writer(ctx, kind, d)
	if write == nil {
		return out, module.Fail(module.Usage, "kinds are "+strings.Join(kinds(), ", "), "there is no profile %q", kind)
	}
	if !r.mu.TryLock() {
		return out, module.Fail(module.Conflict, "wait until it has ended", "another profile is being recorded")
	}
	defer r.mu.Unlock()
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return out, module.Fail(module.Conflict, "name a new file", "%s exists", path)
	}
	if err != nil {
		return out, err
	}
	err = write(file)
	info, statErr := file.Stat()
	if err = errors.Join(err, statErr, file.Close()); err != nil {
		return out, errors.Join(err, os.Remove(path))
	}
	next := "go tool pprof -http : " + path
	if kind == "trace" {
		next = "go tool trace " + path
	}
	return Recorded{Kind: kind, File: path, Bytes: info.Size(), Next: next}, nil
}

// writer is what records a kind, nil for one that there is not.
func (r *recorder) writer(ctx context.Context, kind string, d time.Duration) func(io.Writer) error {
	wait := func() error { return clock.Sleep(ctx, r.clock, d) }
	switch kind {
	case "cpu":
		return func(w io.Writer) error {
			if err := pprof.StartCPUProfile(w); err != nil {
				return err
			}
			defer pprof.StopCPUProfile()
			return wait()
		}
	case "trace":
		return func(w io.Writer) error {
			if err := trace.Start(w); err != nil {
				return err
			}
			defer trace.Stop()
			return wait()
		}
	case "mutex":
		return func(w io.Writer) error {
			defer runtime.SetMutexProfileFraction(runtime.SetMutexProfileFraction(mutexFraction))
			return errors.Join(wait(), pprof.Lookup(kind).WriteTo(w, 0))
		}
	case "block":
		return func(w io.Writer) error {
			runtime.SetBlockProfileRate(blockRate)
			defer runtime.SetBlockProfileRate(0)
			return errors.Join(wait(), pprof.Lookup(kind).WriteTo(w, 0))
		}
	case "heap":
		return func(w io.Writer) error {
			// A second collection frees what the first only took out of pools.
			runtime.GC()
			runtime.GC()
			return pprof.Lookup(kind).WriteTo(w, 0)
		}
	case "goroutine":
		return func(w io.Writer) error { return pprof.Lookup(kind).WriteTo(w, 0) }
	}
	return nil
}
