package osprocess_test

import (
	"errors"
	"io"
	"os/exec"
	"testing"

	"stoa.dev/stoa/internal/app/cli/osprocess"
)

// TestStart: what ended says is how the command ended, and what cannot start is an error at once.
func TestStart(t *testing.T) {
	t.Parallel()
	ended, err := osprocess.Start(exec.CommandContext(t.Context(), "go", "no-such-command"))
	if err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := <-ended; !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Errorf("ended with %v, want code 2", err)
	}
	if _, err := osprocess.Start(exec.CommandContext(t.Context(), "no-such-program-of-any-system")); err == nil {
		t.Error("a program that is not there was started")
	}
}

// TestUntilInputEnds: the context lives as long as the input.
func TestUntilInputEnds(t *testing.T) {
	t.Parallel()
	read, write := io.Pipe()
	ctx, cancel := osprocess.UntilInputEnds(t.Context(), read)
	defer cancel()
	if _, err := write.Write([]byte("ignored")); err != nil || ctx.Err() != nil {
		t.Fatalf("while there is input: %v, %v", err, ctx.Err())
	}
	if err := write.Close(); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
}
