package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/datafolder"
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
		Args: arguments.Words(),
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
		if err := datafolder.RefuseLog(config.Data); err != nil {
			return err
		}
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
