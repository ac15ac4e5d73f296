package analytics

import (
	"errors"
	"fmt"
	"time"
)

// Config holds the lifetimes and limits of the contract.
type Config struct {
	// CodeTTL is how long a user has to decide about a device.
	CodeTTL time.Duration `yaml:"code_ttl"`
	// Interval is how long a device waits between polls.
	Interval time.Duration `yaml:"interval"`
	// AccessTTL and RefreshTTL are the lives of the tokens.
	AccessTTL  time.Duration `yaml:"access_ttl"`
	RefreshTTL time.Duration `yaml:"refresh_ttl"`
	// CodesPerMinute is how many device flows one address may start.
	CodesPerMinute int64 `yaml:"codes_per_minute"`
}

// DefaultConfig is what the contract prints.
func DefaultConfig() Config {
	return Config{
		CodeTTL: 5 * time.Minute, Interval: 5 * time.Second,
		AccessTTL: 604800 * time.Second, RefreshTTL: 30 * 24 * time.Hour, CodesPerMinute: 600,
	}
}

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	var bad []error
	for name, d := range map[string]time.Duration{
		"code_ttl": c.CodeTTL, "interval": c.Interval, "access_ttl": c.AccessTTL, "refresh_ttl": c.RefreshTTL,
	} {
		if d < time.Second {
			bad = append(bad, fmt.Errorf("analytics.%s must be at least 1s, not %s", name, d))
		}
	}
	if c.CodesPerMinute < 1 {
		bad = append(bad, fmt.Errorf("analytics.codes_per_minute must be above 0, not %d", c.CodesPerMinute))
	}
	return errors.Join(bad...)
}
