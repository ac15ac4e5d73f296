package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/app/cli/labclient"
	"stoa.dev/stoa/internal/lab/server"
	"stoa.dev/stoa/internal/platform/database/folderlock"
)

// runningLab is the lab that owns a folder, without a number when there is none. A lab
// has no socket for the operator; its lock and the file for its clients say the same.
func runningLab(dir string) (admin.Status, error) {
	_, err := os.Stat(filepath.Join(dir, server.EnvFile))
	if errors.Is(err, fs.ErrNotExist) {
		return admin.Status{}, nil
	}
	if err != nil {
		return admin.Status{}, err
	}
	lock, err := folderlock.OpenForCommand(dir)
	if err == nil {
		return admin.Status{}, lock.Unlock()
	}
	var owned *folderlock.OwnedError
	if !errors.As(err, &owned) || owned.Command {
		return admin.Status{}, err
	}
	c, err := labclient.FromFolder(dir)
	return admin.Status{PID: owned.PID, URL: c.URL}, err
}
