package apikeys

import (
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/identity"
)

// maxIdempotencyTTL is the longest that a new key is kept to be told again.
const maxIdempotencyTTL = 7 * 24 * time.Hour

// Config holds the rules the contract leaves open.
type Config struct {
	// RequestsPerMinute is how many requests one key may make in a minute.
	RequestsPerMinute int64 `yaml:"requests_per_minute"`
	// DefaultDays is for how many days a new key is valid when the caller names none.
	DefaultDays int `yaml:"default_days"`
	// MaxDays is the longest validity a caller may ask for, in days.
	MaxDays int `yaml:"max_days"`
	// RefreshGrace is how long a refreshed key gives the same new key again to the
	// same request; zero means not at all.
	RefreshGrace time.Duration `yaml:"refresh_grace"`
	// IdempotencyTTL is how long a request with an Idempotency-Key, which only the
	// first caller knows, gives the same new key again.
	IdempotencyTTL time.Duration `yaml:"idempotency_ttl"`
}

// DefaultConfig follows the public service where it is known.
func DefaultConfig() Config {
	return Config{
		RequestsPerMinute: 120, DefaultDays: 30, MaxDays: 36_500, RefreshGrace: time.Minute, IdempotencyTTL: 24 * time.Hour,
	}
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
	if c.RefreshGrace < 0 || c.RefreshGrace > time.Hour {
		bad = append(bad, fmt.Errorf("apikeys.refresh_grace must be 0 to 1h, not %s", c.RefreshGrace))
	}
	if c.IdempotencyTTL < 0 || c.IdempotencyTTL > maxIdempotencyTTL {
		bad = append(bad, fmt.Errorf("apikeys.idempotency_ttl must be 0 to %s, not %s",
			maxIdempotencyTTL, c.IdempotencyTTL))
	}
	return errors.Join(bad...)
}
