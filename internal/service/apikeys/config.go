package apikeys

import (
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/identity"
)

// Config holds the rules the contract leaves open.
type Config struct {
	// RequestsPerMinute is how many requests one key may make.
	RequestsPerMinute int64 `yaml:"requests_per_minute"`
	// DefaultDays is the validity of a new key when the caller names none.
	DefaultDays int `yaml:"default_days"`
	// MaxDays is the longest validity a caller may ask for.
	MaxDays int `yaml:"max_days"`
}

// DefaultConfig follows the public service where it is known.
func DefaultConfig() Config {
	return Config{RequestsPerMinute: 120, DefaultDays: 30, MaxDays: 36_500}
}

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	var bad []error
	if c.RequestsPerMinute < 1 {
		bad = append(bad, fmt.Errorf("apikeys.requests_per_minute must be above 0, not %d", c.RequestsPerMinute))
	}
	if c.MaxDays < 1 || c.MaxDays > identity.MaxDays {
		bad = append(bad, fmt.Errorf("apikeys.max_days must be 1 to %d, not %d", identity.MaxDays, c.MaxDays))
	}
	if c.DefaultDays < 1 || c.DefaultDays > c.MaxDays {
		bad = append(bad, fmt.Errorf("apikeys.default_days must be 1 to max_days, not %d", c.DefaultDays))
	}
	return errors.Join(bad...)
}
