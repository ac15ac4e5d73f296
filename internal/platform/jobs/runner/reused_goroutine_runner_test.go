package runner_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/platform/jobs/runner"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestStart: functions run in their order and are told of, also those that panic or end
// their goroutine, and those after them.
func TestStart(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	var r runner.Runner
	defer r.Close()
	for name, start := range map[string]func(func() error) <-chan error{"kept": r.Start, "own": runner.Start} {
		for range 3 {
			if err := <-start(func() error { return nil }); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if err := <-start(func() error { return failed }); !errors.Is(err, failed) {
				t.Errorf("%s: %v, want %v", name, err, failed)
			}
			if err := <-start(func() error { runtime.Goexit(); return nil }); !errors.Is(err, runner.ErrEnded) {
				t.Errorf("%s: %v, want %v", name, err, runner.ErrEnded)
			}
			var p *runner.Panic
			if err := <-start(func() error { panic("oh") }); !errors.As(err, &p) || p.Error() != "panic: oh" ||
				!strings.Contains(p.Stack, "TestStart") {
				t.Errorf("%s: %v, want a panic with its stack", name, err)
			}
		}
	}
}

// TestCloseUnused: a runner that was given nothing has nothing to end.
func TestCloseUnused(t *testing.T) {
	t.Parallel()
	var r runner.Runner
	r.Close()
}
