package audit

import (
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// Config says how long entries are kept.
type Config struct {
	// Keep is how long an entry is kept; older ones are deleted every day.
	Keep time.Duration `yaml:"keep"`
}

// DefaultConfig keeps entries for 400 days: a year and some to look back from.
func DefaultConfig() Config { return Config{Keep: 400 * 24 * time.Hour} }

const minKeep = time.Hour

// Validate refuses a time that is too short to look back.
func (c Config) Validate() error {
	if c.Keep < minKeep {
		return fmt.Errorf("audit.keep must be at least %s, not %s", clock.FormatDuration(minKeep),
			clock.FormatDuration(c.Keep))
	}
	return nil
}
