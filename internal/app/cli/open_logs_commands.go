package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/module"
)

// maxLines bounds how much of a log is printed before it is followed.
const maxLines = 100_000

func (p *Program) logs() *cobra.Command {
	var (
		follow bool
		lines  int
	)
	c := &cobra.Command{
		Use: "logs", Short: "Print the log of the server in the background",
		Long: "Print the last lines of server.log in the data folder, which stoa start writes; with --follow also what is\n" +
			"added, until interrupted. A server in the foreground writes its log to standard error.",
		Args: named(),
		RunE: func(c *cobra.Command, _ []string) error { return p.runLogs(c.Context(), lines, follow) },
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on until interrupted")
	c.Flags().IntVarP(&lines, "lines", "n", 50, "how many lines to begin with")
	return c
}

func (p *Program) runLogs(ctx context.Context, lines int, follow bool) error {
	if lines < 0 || lines > maxLines {
		return module.Fail(module.Usage, "see stoa logs --help", "--lines must be 0 to %d, not %d", maxLines, lines)
	}
	config, err := p.load()
	if err != nil {
		return err
	}
	name := filepath.Join(config.Data, logName)
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return module.Fail(module.NotFound, "stoa start writes it; a server in the foreground logs to standard error",
			"there is no %s", name)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := seekLines(f, lines); err != nil {
		return err
	}
	for {
		if _, err := io.Copy(p.Stdout, f); err != nil {
			return err
		}
		if !follow || clock.Sleep(ctx, clock.Real(), 10*lookEvery) != nil {
			return nil
		}
	}
}

// seekLines goes to where the last lines of a file begin.
func seekLines(f *os.File, lines int) error {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	const piece = 64 << 10
	buffer := make([]byte, piece)
	// The line break at the end of the file belongs to the last line.
	missing := lines + 1
	for at := end; at > 0; {
		size := min(piece, at)
		at -= size
		if _, err := f.ReadAt(buffer[:size], at); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		for part := buffer[:size]; ; missing-- {
			i := bytes.LastIndexByte(part, '\n')
			if i < 0 {
				break
			}
			if missing == 1 {
				_, err := f.Seek(at+int64(i)+1, io.SeekStart)
				return err
			}
			part = part[:i]
		}
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}

func (p *Program) open() *cobra.Command {
	var only bool
	c := &cobra.Command{
		Use: "open [PAGE]", Short: "Open the console of the running server in a browser",
		Long: "Open a page of the server of this data folder: console (unless told), docs, or any path. Without a\n" +
			"browser on this machine the address is printed.",
		Args: cobra.MaximumNArgs(1),
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
		text, err := json.Marshal(map[string]any{"url": address, "opened": opened})
		if err != nil {
			return err
		}
		return p.print(text)
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
	if err := command.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	timer := clock.Real().NewTimer(2 * time.Second)
	defer timer.Stop()
	go func() { ended <- command.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-timer.C:
		return nil
	}
}
