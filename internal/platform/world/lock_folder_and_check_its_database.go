package world

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/folderlock"
)

// blobFolder holds the blobs of a world that keeps them in files.
const blobFolder = "blobs"

const (
	// commandTime is how long a server waits for a command that has its folder.
	commandTime  = 10 * time.Second
	commandPause = 50 * time.Millisecond
)

// ErrOtherDatabase means that a folder belongs to a node on PostgreSQL, and no database
// was named: a new one in the folder would hold nothing of what is meant.
var ErrOtherDatabase = errors.New("the servers of this data folder have their database elsewhere")

// ErrNoDatabase means that a folder holds what belongs to a database, and the database is
// gone: a new one would hide the loss.
var ErrNoDatabase = errors.New("the database of this data folder is missing")

// lockFolder makes this process the owner of the folder. A server waits for a command,
// which ends soon, and not for another server.
func lockFolder(ctx context.Context, o Options) (*folderlock.Lock, error) {
	if err := checkFolder(o); err != nil {
		return nil, err
	}
	if o.Command {
		return folderlock.OpenForCommand(o.Dir)
	}
	real := clock.Real()
	for until := real.Now().Add(commandTime); ; {
		lock, err := folderlock.Open(o.Dir)
		var owned *folderlock.OwnedError
		// A lock without an owner is about to be released, or was taken just now: the next look tells.
		if !errors.As(err, &owned) || !owned.Command && owned.PID != 0 || !real.Now().Before(until) {
			return lock, err
		}
		if err := clock.Sleep(ctx, real, commandPause); err != nil {
			return nil, errors.Join(owned, err)
		}
	}
}

// checkFolder refuses to make a SQLite file in the folder of a node on PostgreSQL, or in
// one that has lost its own.
func checkFolder(o Options) error {
	if o.Database.URL != "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(o.Dir, database.FileName)); !errors.Is(err, fs.ErrNotExist) {
		return nil // or what is wrong will show
	}
	if _, err := os.Stat(filepath.Join(o.Dir, nodeFile)); err == nil {
		return fmt.Errorf("%w: %s has served PostgreSQL and has no %s", ErrOtherDatabase, o.Dir, database.FileName)
	}
	// It is made after the database was opened for the first time.
	if _, err := os.Stat(filepath.Join(o.Dir, blobFolder)); err == nil {
		return fmt.Errorf("%w: %s has %s and no %s", ErrNoDatabase, o.Dir, blobFolder, database.FileName)
	}
	return nil
}
