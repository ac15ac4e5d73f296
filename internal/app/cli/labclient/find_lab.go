package labclient

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"stoa.dev/stoa/internal/app/cli/osprocess"
	"stoa.dev/stoa/internal/app/envfile"
	"stoa.dev/stoa/internal/lab/server"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database/folderlock"
	"stoa.dev/stoa/internal/platform/module"
)

// What a command finds a lab by.
const (
	URLVariable   = "STOA_LAB_URL"
	TokenVariable = "STOA_LAB_TOKEN"
)

// FromFolder finds a lab by the file that it leaves for its clients.
func FromFolder(dir string) (*Client, error) {
	env, err := envfile.Read(filepath.Join(dir, server.EnvFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return &Client{}, module.Fail(module.Failed,
			"run the command as the user of the lab, or set "+URLVariable+" and "+TokenVariable, "%w", err)
	}
	if err != nil {
		return &Client{}, module.Fail(module.NotFound, "start one with stoa lab, name its folder with --data, or set "+
			URLVariable+" and "+TokenVariable, "no lab was found in %s", dir)
	}
	return &Client{URL: env[URLVariable], Token: env[TokenVariable]}, nil
}

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
