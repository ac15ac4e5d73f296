package program

import (
	"context"
	_ "embed" // for watched.txt
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// Root is the folder of the module this process was started in.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod above the working folder")
		}
		dir = parent
	}
}

// RaceEnabled reports whether this process was built with the race detector.
func RaceEnabled() bool { return raceEnabled }

// RaceFlags are those of make test, with which its packages are compiled already;
// empty without the race detector.
func RaceFlags() []string {
	if !raceEnabled {
		return nil
	}
	return raceFlags()
}

//go:embed watched.txt
var watched string

// raceFlags watch the packages of watched.txt, which says why. Trimmed paths
// let every checkout share what was compiled once.
func raceFlags() []string {
	flags := []string{"-race", "-trimpath"}
	for line := range strings.Lines(watched) {
		sign, pattern, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch sign {
		case "+":
			flags = append(flags, "-gcflags="+pattern+"=-race=true -dwarf=false")
		case "-":
			flags = append(flags, "-gcflags="+pattern+"=-race=false -d=checkptr=0 -dwarf=false")
		}
	}
	return flags
}

// GoFlags is GOFLAGS for a go command that a test runs, with more: that of make test, by which
// everything is compiled already. Vetting would read every library once more; make check vets.
func GoFlags(more ...string) string {
	flags := strings.Fields(os.Getenv("GOFLAGS"))
	if len(flags) == 0 {
		flags = []string{"-buildvcs=false", "-trimpath"}
	}
	return "GOFLAGS=" + strings.Join(append(append(flags, "-vet=off"), more...), " ")
}

// builtEnv names the binary that make test built once for all its packages.
const builtEnv = "STOA_TEST_BINARY"

// Build compiles cmd/stoa and returns the path of the binary, which make test has built already. All
// callers of one checkout share the file; the go command does nothing when it is current.
// With the race detector on, the child is built with it too: the packages are
// compiled already, and a race in the child is then found as well.
func Build(ctx context.Context) (string, error) { return own.build(ctx, raceEnabled) }

// BuildRelease compiles without the race detector, as `make build` does.
func BuildRelease(ctx context.Context) (string, error) { return release.build(ctx, false) }

// Each kind is compiled once in a process: that the file is current takes the go
// command seconds to see, and the sources of a test are those it began with.
var own, release kept

// kept is the path of a binary that this process has compiled.
type kept struct {
	mu     sync.Mutex
	binary string
}

func (k *kept) build(ctx context.Context, race bool) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.binary != "" {
		return k.binary, nil
	}
	if built := os.Getenv(builtEnv); built != "" && race == raceEnabled {
		// The go command repeats a test whose files changed: it sees that this one is looked at.
		if _, err := os.Stat(built); err != nil {
			return "", fmt.Errorf("%s: %w", builtEnv, err)
		}
		k.binary = built
		return built, nil
	}
	// A failure is not kept: it may be the context of one test.
	binary, err := build(ctx, race)
	if err == nil {
		k.binary = binary
	}
	return binary, err
}

func build(ctx context.Context, race bool) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	kind := "release"
	if race {
		kind = "race"
	}
	dir := filepath.Join(root, ".cache", "test", kind)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(dir, "build.lock"))
	if err != nil {
		return "", err
	}
	defer unlock()

	binary := filepath.Join(dir, "stoa")
	args, cgo := []string{"build", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w", "-o", binary}, "0"
	if race {
		args, cgo = append(args, raceFlags()...), "1"
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./cmd/stoa")...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED="+cgo)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./cmd/stoa: %w\n%s", err, out)
	}
	return binary, nil
}

// lock keeps two test processes from linking into one file at once.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil
}
