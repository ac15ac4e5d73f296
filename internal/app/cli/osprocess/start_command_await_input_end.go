package osprocess

import (
	"context"
	"io"
	"os/exec"
)

// Start starts a command and tells on ended how it ended, once.
func Start(command *exec.Cmd) (ended <-chan error, err error) {
	if err := command.Start(); err != nil {
		return nil, err
	}
	result := make(chan error, 1)
	go func() { result <- command.Wait() }()
	return result, nil
}

// UntilInputEnds returns a context that ends with the input, whatever ends it: what is read says nothing.
func UntilInputEnds(ctx context.Context, input io.Reader) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, input) // an error ends it too, and is no one's to mend
		cancel()
	}()
	return ctx, cancel
}
