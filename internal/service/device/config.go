package device

import (
	"errors"
	"fmt"
	"time"
)

// maxURL is how many characters of the verification address devices can show.
const maxURL = 40

// Config holds the lifetimes and limits the contract leaves open.
type Config struct {
	// VerificationURL is the page users open; empty means /device below the
	// base URL. It may have at most 40 characters, which is what devices can show.
	VerificationURL string `yaml:"verification_url"`
	// CodeTTL is how long a user has to decide.
	CodeTTL time.Duration `yaml:"code_ttl"`
	// Interval is how long a device waits between polls.
	Interval time.Duration `yaml:"interval"`
	// AccessTTL is the life of an access token.
	AccessTTL time.Duration `yaml:"access_ttl"`
	// RefreshTTL is the life of a refresh token; zero means until revoked.
	RefreshTTL time.Duration `yaml:"refresh_ttl"`
	// CodesPerMinute is how many flows of one client one network may start in a
	// minute; all networks together may start a hundred times as many.
	CodesPerMinute int64 `yaml:"codes_per_minute"`
	// CodesPerNetwork is how many flows one network may start in a minute: a
	// request for a code carries no credential to count by.
	CodesPerNetwork int64 `yaml:"codes_per_network"`
	// RequestsPerMinute is how many requests one network may make in a minute to
	// each of the other operations.
	RequestsPerMinute int64 `yaml:"requests_per_minute"`
}

// DefaultConfig follows the public service where it is known.
func DefaultConfig() Config {
	return Config{
		CodeTTL: 30 * time.Minute, Interval: 5 * time.Second, AccessTTL: time.Hour,
		CodesPerMinute: 600, CodesPerNetwork: 300, RequestsPerMinute: 6000,
	}
}

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	var bad []error
	for name, d := range map[string]time.Duration{
		"code_ttl": c.CodeTTL, "interval": c.Interval, "access_ttl": c.AccessTTL,
	} {
		if d < time.Second {
			bad = append(bad, fmt.Errorf("device.%s must be at least 1s, not %s", name, d))
		}
	}
	if c.RefreshTTL < 0 {
		bad = append(bad, errors.New("device.refresh_ttl must not be negative"))
	}
	if c.Interval%time.Second != 0 {
		bad = append(bad, fmt.Errorf("device.interval must be whole seconds, as devices are told, not %s", c.Interval))
	}
	for name, n := range map[string]int64{
		"codes_per_minute":    c.CodesPerMinute,
		"codes_per_network":   c.CodesPerNetwork,
		"requests_per_minute": c.RequestsPerMinute,
	} {
		if n < 1 {
			bad = append(bad, fmt.Errorf("device.%s must be above 0, not %d", name, n))
		}
	}
	if len(c.VerificationURL) > maxURL {
		bad = append(bad, fmt.Errorf("device.verification_url has %d characters, devices show %d",
			len(c.VerificationURL), maxURL))
	}
	return errors.Join(bad...)
}
