package labclient

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"stoa.dev/stoa/internal/app/cli/osprocess"
	"stoa.dev/stoa/internal/lab/server"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database/folderlock"
	"stoa.dev/stoa/internal/platform/module"
)

// How long a command waits for a lab that was started a moment ago: appearWait until there is anything of it, startWait
// until one that has its folder can be reached. It looks every pollEvery.
const (
	appearWait = time.Second
	startWait  = 15 * time.Second
	pollEvery  = 50 * time.Millisecond
)

// Find is FromFolder that waits for a lab that is still starting.
func Find(ctx context.Context, c clock.Clock, dir string) (*Client, error) {
	for begun := c.Now(); ; {
		pid, starting := startingLab(dir)
		client, err := FromFolder(dir)
		var failed *module.CommandError
		missing := errors.As(err, &failed) && failed.Failure == module.NotFound
		switch waited := c.Now().Sub(begun); {
		case starting && waited >= startWait:
			return nil, module.Fail(module.Failed, "wait for its line \"ready\" and run the command again",
				"the lab in %s (process %d) is still starting", dir, pid)
		case starting:
		case !missing || waited >= appearWait:
			return client, err
		}
		if err := clock.Sleep(ctx, c, pollEvery); err != nil {
			return nil, err
		}
	}
}

// startingLab reports whether a lab has the folder and has not yet said how to reach it: the file that says so is that
// of an earlier process, or there is none.
func startingLab(dir string) (pid int, starting bool) {
	pid, since := folderlock.LabOwner(dir)
	if pid == 0 || !osprocess.Alive(pid) {
		return 0, false
	}
	info, err := os.Stat(filepath.Join(dir, server.EnvFile))
	return pid, err != nil || info.ModTime().Before(since)
}
