package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/app/cli/labclient"
	"stoa.dev/stoa/internal/lab/server"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database/folderlock"
)

// dialLab finds the lab by the environment, or by the file in its folder, and waits where it is still starting.
func (p *Program) dialLab(ctx context.Context) (*labclient.Client, error) {
	if c := p.namedLab(); c != nil {
		return c, nil
	}
	return labclient.Find(ctx, clock.Real(), p.labDir())
}

// knownLab is dialLab that does not wait, for what works without a lab too.
func (p *Program) knownLab() (*labclient.Client, error) {
	if c := p.namedLab(); c != nil {
		return c, nil
	}
	return labclient.FromFolder(p.labDir())
}

// namedLab is the lab that the environment names, nil when it names none.
func (p *Program) namedLab() *labclient.Client {
	c := &labclient.Client{URL: p.variable(labclient.URLVariable), Token: p.variable(labclient.TokenVariable)}
	if c.URL == "" {
		return nil
	}
	return c
}

// labDir is the folder of the lab.
func (p *Program) labDir() string {
	if p.data == "" {
		return defaultLabDir
	}
	return p.data
}

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
