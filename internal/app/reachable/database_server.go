package reachable

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"stoa.dev/stoa/internal/platform/database"
)

// Database opens and closes the database of a server, if there is one and the data folder
// is not there yet.
func Database(ctx context.Context, data string, c database.Config) error {
	if c.URL == "" {
		return nil
	}
	if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, err := database.Open(ctx, database.Options{URL: c.URL, Timeout: c.Timeout})
	if err != nil {
		return err
	}
	return db.Close()
}
