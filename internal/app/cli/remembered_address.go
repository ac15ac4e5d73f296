package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/listen"
)

// addressFile is where a data folder keeps the address that --listen once chose: the
// address that was taken, and what was asked for.
const addressFile = "listen.address"

// recallAddress makes the server listen where --listen put it the last time, unless
// the operator says otherwise now. A port that was picked because none was asked for
// is picked anew when another program has it.
func recallAddress(ctx context.Context, c *app.Config) error {
	if c.Listen.HTTP != listen.DefaultConfig().HTTP {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(c.Data, addressFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	taken, asked, ok := strings.Cut(strings.TrimSpace(string(text)), " ")
	if !ok {
		return fmt.Errorf("%s in %s is damaged; remove it or name an address with --listen", addressFile, c.Data)
	}
	c.Listen.HTTP = taken
	if _, port, err := net.SplitHostPort(asked); err == nil && port == "0" {
		if (listen.Config{HTTP: taken}).Free(ctx) != nil {
			c.Listen.HTTP = asked
		}
	}
	return nil
}

// rememberAddress keeps what --listen chose with the folder.
func rememberAddress(data, asked, taken string) error {
	if asked == "" || taken == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(data, addressFile), []byte(taken+" "+asked+"\n"), 0o600)
}
