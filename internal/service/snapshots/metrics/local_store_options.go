package metrics

import (
	"log/slog"
	"time"
)

// Options of a local store.
type Options struct {
	Dir string
	// Retention is how far behind the newest point older ones are taken and kept.
	Retention time.Duration
	// MaxSeries is how many series a PromQL query may read; 0 is the default of
	// the other language.
	MaxSeries int
	// MaxActive is how many series an organization may have in the head of the
	// store, where new points go; 0 is any number.
	MaxActive int
	Log       *slog.Logger
	// Opened is called once, after the engine was opened, before its first use.
	Opened func(*Local)
}

// pointsDir is the engine's folder within that of the store.
const pointsDir = "points"

// Folder is the name of the store's folder. Blocks is the pattern of the files in it that
// never change: those of blocks, whose names are ULIDs of this millennium. The engine
// replaces them whole.
const (
	Folder = "metrics"
	Blocks = Folder + "/" + pointsDir + "/0*/**"
)
