package cli

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/osprocess"
	"stoa.dev/stoa/internal/platform/clock"
)

func (p *Program) open() *cobra.Command {
	var only bool
	c := &cobra.Command{
		Use: "open [PAGE]", Short: "Open the console of the running server in a browser",
		Long: "Open a page of the server of this data folder: console (unless told), docs, or any path. Without a\n" +
			"browser on this machine the address is printed.",
		Args: arguments.Optional("PAGE"),
		RunE: func(c *cobra.Command, args []string) error { return p.runOpen(c.Context(), args, only) },
	}
	c.Flags().BoolVar(&only, "print", false, "print the address and open nothing")
	return c
}

func (p *Program) runOpen(ctx context.Context, args []string, only bool) error {
	status, err := p.running(ctx)
	if err != nil {
		return err
	}
	page := "console"
	if len(args) == 1 {
		page = args[0]
	}
	for len(page) > 0 && page[0] == '/' {
		page = page[1:]
	}
	address := status.URL + "/" + page
	opened := false
	if !only {
		opened = p.openBrowser(ctx, address) == nil
	}
	if p.json {
		return p.printValue(map[string]any{"url": address, "opened": opened})
	}
	_, err = fmt.Fprintln(p.Stdout, address)
	return err
}

// openBrowser asks the desktop to show an address. A browser that stays in the
// foreground is left to itself after a moment.
func (p *Program) openBrowser(ctx context.Context, address string) error {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return err
	}
	command := exec.CommandContext(context.WithoutCancel(ctx), path, args...)
	command.Env = p.Environ
	ended, err := osprocess.Start(command)
	if err != nil {
		return err
	}
	timer := clock.Real().NewTimer(2 * time.Second)
	defer timer.Stop()
	select {
	case err := <-ended:
		return err
	case <-timer.C:
		return nil
	}
}
