package events

import (
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// Config holds the rules the contract leaves open and every limit.
type Config struct {
	// Latency is how long an event waits before feeds show it.
	Latency time.Duration `yaml:"latency"`
	// PollInterval is how long clients wait between polls at up to EasyRate.
	PollInterval time.Duration `yaml:"poll_interval"`
	// EasyRate is how many feed requests a second do not raise the interval;
	// above it the interval grows with the rate, up to ten times.
	EasyRate int64 `yaml:"easy_rate"`
	// CacheBytes bounds the memory for encoded feeds, in bytes.
	CacheBytes int64 `yaml:"cache_bytes"`
	// Meter is the clock that the cost of requests is measured with; nil is real time.
	Meter  clock.Clock `yaml:"-"`
	Limits Limits      `yaml:"limits"`
}

// Limits are the request budgets. Primary ones are per hour.
type Limits struct {
	Anonymous          int64 `yaml:"anonymous"`            // Requests an hour of an address without a credential.
	User               int64 `yaml:"user"`                 // Requests an hour of a user with a token.
	EnterpriseUser     int64 `yaml:"enterprise_user"`      // Requests an hour of a user of an enterprise.
	Installation       int64 `yaml:"installation"`         // Requests an hour of an installation, before it grows.
	InstallationPerOne int64 `yaml:"installation_per_one"` // Requests an hour that each further repository or user adds.
	// InstallationFree is how many repositories and users do not add to them.
	InstallationFree       int64 `yaml:"installation_free"`
	InstallationMax        int64 `yaml:"installation_max"`        // Requests an hour of an installation at most.
	EnterpriseInstallation int64 `yaml:"enterprise_installation"` // Requests an hour of one in an enterprise.
	App                    int64 `yaml:"app"`                     // Requests an hour of an app with its id and secret.
	EnterpriseApp          int64 `yaml:"enterprise_app"`          // Requests an hour of an app of an enterprise.
	Workflow               int64 `yaml:"workflow"`                // Requests an hour of workflows, per repository.
	EnterpriseWorkflow     int64 `yaml:"enterprise_workflow"`     // Requests an hour of workflows in an enterprise.

	// Concurrent is how many requests of one caller are served at once.
	Concurrent int64 `yaml:"concurrent"`
	// Points is how many points a caller may use in a minute, per endpoint.
	Points int64 `yaml:"points"`
	// CPU is the time of the server that a caller may use in a minute.
	CPU         time.Duration `yaml:"cpu"`
	QueryPoints int64         `yaml:"query_points"` // How many points GraphQL may use in a minute.
	QueryCPU    time.Duration `yaml:"query_cpu"`    // The part of cpu that GraphQL may use in a minute.
	// ContentMinute is how many requests of a caller may create content in a minute.
	ContentMinute int64 `yaml:"content_minute"`
	ContentHour   int64 `yaml:"content_hour"` // ContentHour is the same in an hour.
	// BanAfter is how many refusals in a row start a ban of BanBase, which doubles
	// each time up to BanMax. Zero means no bans.
	BanAfter int64         `yaml:"ban_after"`
	BanBase  time.Duration `yaml:"ban_base"` // BanBase is how long the first ban lasts.
	BanMax   time.Duration `yaml:"ban_max"`  // BanMax is how long the longest ban lasts.
}

// DefaultConfig is the contract's own numbers.
func DefaultConfig() Config {
	return Config{
		PollInterval: time.Minute, EasyRate: 2000, CacheBytes: 64 << 20,
		Limits: Limits{
			Anonymous: 60, User: 5000, EnterpriseUser: 15_000,
			Installation: 5000, InstallationPerOne: 50, InstallationFree: 20, InstallationMax: 12_500,
			EnterpriseInstallation: 15_000,
			App:                    5000, EnterpriseApp: 15_000, Workflow: 1000, EnterpriseWorkflow: 15_000,
			Concurrent: 100, Points: 900, CPU: 90 * time.Second, QueryPoints: 2000, QueryCPU: time.Minute,
			ContentMinute: 80, ContentHour: 500,
			BanAfter: 300, BanBase: time.Minute, BanMax: 24 * time.Hour,
		},
	}
}

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	var bad []error
	if c.Latency < 0 || c.Latency > 24*time.Hour {
		bad = append(bad, fmt.Errorf("events.latency must be 0 to 24h, not %s", c.Latency))
	}
	if c.PollInterval < time.Second {
		bad = append(bad, fmt.Errorf("events.poll_interval must be at least 1s, not %s", c.PollInterval))
	}
	l := c.Limits
	for name, value := range map[string]int64{
		"easy_rate": c.EasyRate, "cache_bytes": c.CacheBytes,
		"limits.anonymous": l.Anonymous, "limits.user": l.User, "limits.enterprise_user": l.EnterpriseUser,
		"limits.installation": l.Installation, "limits.installation_max": l.InstallationMax,
		"limits.enterprise_installation": l.EnterpriseInstallation,
		"limits.app":                     l.App, "limits.enterprise_app": l.EnterpriseApp,
		"limits.workflow": l.Workflow, "limits.enterprise_workflow": l.EnterpriseWorkflow,
		"limits.concurrent": l.Concurrent, "limits.points": l.Points, "limits.cpu": int64(l.CPU),
		"limits.query_points": l.QueryPoints, "limits.query_cpu": int64(l.QueryCPU),
		"limits.content_minute": l.ContentMinute, "limits.content_hour": l.ContentHour,
	} {
		if value < 1 {
			bad = append(bad, fmt.Errorf("events.%s must be above 0, not %d", name, value))
		}
	}
	if l.BanAfter > 0 && l.BanBase < time.Second {
		bad = append(bad, fmt.Errorf("events.limits.ban_base must be at least 1s, not %s", l.BanBase))
	}
	return errors.Join(bad...)
}
