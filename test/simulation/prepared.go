package simulation

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// Prepared is a folder with all tables that runs on SQLite begin with a copy of: making
// the tables takes most of the time of a run.
type Prepared struct{ folder string }

// Prepare makes the folder below dir.
func Prepare(ctx context.Context, dir string) (Prepared, error) {
	p := Prepared{filepath.Join(dir, "prepared")}
	s := &simulated{clock: clock.NewVirtual(beginning())}
	s.store = newFaultyStore(Options{}, s.clock)
	if err := s.open(ctx, p.folder); err != nil {
		return p, err
	}
	return p, s.app.Close()
}

// Run is Run of a world that is prepared.
func (p Prepared) Run(ctx context.Context, dir string, o Options) (Result, error) {
	if o.Database != "" {
		return Result{}, errors.New("simulation: a database server has no prepared folder")
	}
	if err := copyFiles(filepath.Join(dir, "0"), p.folder); err != nil {
		return Result{}, err
	}
	return Run(ctx, dir, o)
}

// beginning is when every run begins.
func beginning() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
