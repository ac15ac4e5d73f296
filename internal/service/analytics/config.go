package analytics

import (
	"errors"
	"fmt"
	"time"
)

// maxBulk is what fits in one request body.
const maxBulk = 10_000

// Config is the lifetimes and limits of the contract.
type Config struct {
	// CodeTTL is how long a user has to decide about a device.
	CodeTTL time.Duration `yaml:"code_ttl"`
	// Interval is how long a device waits between polls.
	Interval time.Duration `yaml:"interval"`
	// AccessTTL and RefreshTTL are the lives of the tokens.
	AccessTTL  time.Duration `yaml:"access_ttl"`
	RefreshTTL time.Duration `yaml:"refresh_ttl"` // RefreshTTL is the life of a refresh token.
	// RefreshGrace is how long a used refresh token gives the same pair again, for
	// clients whose answer got lost; zero means not at all.
	RefreshGrace time.Duration `yaml:"refresh_grace"`
	// CodesPerMinute is how many device flows one address may start in a minute.
	CodesPerMinute int64 `yaml:"codes_per_minute"`
	// OAuthPerMinute is how many requests one network may make in a minute to
	// each of the other operations of the token flows.
	OAuthPerMinute int64 `yaml:"oauth_per_minute"`

	// RequestsPerSecond is how many requests a second one token may make to
	// projects and campaigns, and for reading listings.
	RequestsPerSecond int64 `yaml:"requests_per_second"`
	// UpdatesPerSecond is how many single locations one token may update in a
	// second.
	UpdatesPerSecond int64 `yaml:"updates_per_second"`
	// BulksPerMinute is how many lists of locations one token may update in
	// a minute, one list at a time.
	BulksPerMinute int64 `yaml:"bulks_per_minute"`
	// MaxBulk is how many locations one list may name.
	MaxBulk      int   `yaml:"max_bulk"`
	MaxProjects  int64 `yaml:"max_projects"`  // MaxProjects is how many projects one user may have.
	MaxCampaigns int64 `yaml:"max_campaigns"` // MaxCampaigns is how many campaigns one user may have.
	// CreditsPerMonth is how many keyword and point pairs one user may have
	// ranked in a calendar month.
	CreditsPerMonth int64 `yaml:"credits_per_month"`
	// Timeout bounds one data request.
	Timeout time.Duration `yaml:"timeout"`
	// MaxInFlight is how many data requests are served at once; the next one is
	// told that the service is overloaded.
	MaxInFlight int64 `yaml:"max_in_flight"`
	// Maintenance turns every data request away.
	Maintenance bool `yaml:"maintenance"`
}

// DefaultConfig is what the contract prints.
func DefaultConfig() Config {
	return Config{
		CodeTTL: 5 * time.Minute, Interval: 5 * time.Second,
		AccessTTL: 604800 * time.Second, RefreshTTL: 30 * 24 * time.Hour, RefreshGrace: time.Minute,
		CodesPerMinute: 600, OAuthPerMinute: 6000,
		RequestsPerSecond: 10, UpdatesPerSecond: 5, BulksPerMinute: 5, MaxBulk: 50,
		MaxProjects: 1000, MaxCampaigns: 100, CreditsPerMonth: 100_000,
		Timeout: 30 * time.Second, MaxInFlight: 1000,
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
	if c.RefreshGrace < 0 || c.RefreshGrace > time.Hour {
		bad = append(bad, fmt.Errorf("analytics.refresh_grace must be 0 to 1h, not %s", c.RefreshGrace))
	}
	if c.Interval%time.Second != 0 {
		bad = append(bad, fmt.Errorf(
			"analytics.interval must be whole seconds, as devices are told, not %s", c.Interval,
		))
	}
	for name, n := range map[string]int64{
		"codes_per_minute": c.CodesPerMinute, "oauth_per_minute": c.OAuthPerMinute,
		"requests_per_second": c.RequestsPerSecond, "updates_per_second": c.UpdatesPerSecond,
		"bulks_per_minute": c.BulksPerMinute, "max_bulk": int64(c.MaxBulk), "max_projects": c.MaxProjects,
		"max_campaigns": c.MaxCampaigns, "credits_per_month": c.CreditsPerMonth, "max_in_flight": c.MaxInFlight,
		"timeout": int64(c.Timeout),
	} {
		if n < 1 {
			bad = append(bad, fmt.Errorf("analytics.%s must be above 0, not %d", name, n))
		}
	}
	if c.MaxBulk > maxBulk {
		bad = append(bad, fmt.Errorf("analytics.max_bulk must be at most %d, not %d", maxBulk, c.MaxBulk))
	}
	return errors.Join(bad...)
}
