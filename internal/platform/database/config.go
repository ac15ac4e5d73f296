package database

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
)

// Engine names the database product behind a DB.
type Engine string

// The engines.
const (
	SQLite   Engine = "sqlite"
	Postgres Engine = "postgres"
)

// Config is what an operator may set.
type Config struct {
	// URL picks the engine: empty for SQLite in the data folder, sqlite:PATH
	// for another file, postgres://… for PostgreSQL.
	URL string `yaml:"url"`
	// Connections bounds how many PostgreSQL connections each of the two pools
	// (writing, reading) opens; zero means 16.
	Connections int `yaml:"connections"`
	// Readers is how many reading SQLite connections are open at most; zero means 8.
	Readers int `yaml:"readers"`
	// Timeout is how long a call waits for a PostgreSQL that answers nothing; zero
	// means 5 seconds. A slow statement of one that answers is not given up.
	Timeout time.Duration `yaml:"timeout"`
}

// Validate refuses a URL that Open would refuse whatever runs there.
func (c Config) Validate() error {
	if c.Connections < 0 || c.Readers < 0 || c.Timeout < 0 {
		return errors.New("database.connections, database.readers and database.timeout must not be negative")
	}
	switch scheme := urlScheme(c.URL); scheme {
	case "", "sqlite":
		return nil
	case "postgres", "postgresql":
		return checkPostgres(c.URL)
	default:
		return fmt.Errorf("database.url: %q is neither postgres://… nor sqlite:PATH; "+
			"leave it empty for SQLite in the data folder", scheme)
	}
}

// Options is what Open needs. Only Dir or URL is required.
type Options struct {
	Dir         string        // data folder, for SQLite
	URL         string        // as in Config
	Connections int           // as in Config
	Readers     int           // as in Config
	Timeout     time.Duration // as in Config

	Clock clock.Clock // dates migrations; real time by default
	Log   *slog.Logger

	// Pace waits between retries; real time by default: a lab's frozen Clock must not stop it.
	Pace clock.Clock
	// IDs draws the jitter of retries.
	IDs *ids.Source

	// NoSync skips fsync on SQLite. An acknowledged write then survives the end
	// of the process and not a power loss: for tests and lab worlds.
	NoSync bool

	// Around, if set, runs every call of the database or fails it on purpose.
	Around func(ctx context.Context, call Call, run func() error) error
}

// FileName is the SQLite database inside the data folder.
const FileName = "stoa.db"

const defaultReaders, defaultConnections = 8, 16

func (o Options) withDefaults() Options {
	if o.Readers <= 0 {
		o.Readers = defaultReaders
	}
	if o.Connections <= 0 {
		o.Connections = defaultConnections
	}
	o.Clock, o.Pace = cmp.Or(o.Clock, clock.Real()), cmp.Or(o.Pace, clock.Real())
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.IDs == nil {
		o.IDs = ids.Random()
	}
	return o
}
