// Command stoa serves the API services and administers the server that does.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"stoa.dev/stoa/internal/app/cli"
)

// version is set by the linker.
var version = "development"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	program := cli.Program{
		Args:    os.Args[1:],
		Environ: os.Environ(),
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Version: version,
	}
	code := program.Main(ctx)
	stop()
	os.Exit(code)
}
