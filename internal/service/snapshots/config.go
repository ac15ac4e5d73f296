package snapshots

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/platform/smallbuild"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Config holds the rules the contract leaves open.
type Config struct {
	// SnapshotsPerHour is how many pictures one owner may ask for in an hour.
	SnapshotsPerHour int64 `yaml:"snapshots_per_hour"`
	// QueriesPerHour is how many queries one owner may make in an hour.
	QueriesPerHour int64 `yaml:"queries_per_hour"`
	// Width is the original width of a picture in pixels: what is drawn when
	// the caller names none.
	Width  int `yaml:"width"`
	Height int `yaml:"height"` // Height is the original height, in pixels.
	// MinSide is the smallest width or height, in pixels.
	MinSide int `yaml:"min_side"`
	MaxSide int `yaml:"max_side"` // MaxSide is the largest width or height, in pixels.
	// Keep is how long a picture can be fetched; zero is forever.
	Keep time.Duration `yaml:"keep"`
	// Retention is how long points and events are kept.
	Retention time.Duration `yaml:"retention"`
	// PointsPast and PointsFuture bound the times of submitted points. Prometheus
	// and OpenTelemetry may send points as old as Retention.
	PointsPast   time.Duration `yaml:"points_past"`
	PointsFuture time.Duration `yaml:"points_future"` // PointsFuture is how far ahead of now a submitted point may be.
	// MaxSeries is how many stored series one query may read.
	MaxSeries int `yaml:"max_series"`
	// MaxActiveSeries is how many series one owner may have that got points in the
	// last hours: those that the embedded store keeps in memory.
	MaxActiveSeries int `yaml:"max_active_series"`
	// MaxEvents is how many events of one owner are kept: beyond it the oldest go.
	MaxEvents int `yaml:"max_events"`
	// RequestsPerMinute is how many requests beside snapshots and queries one
	// owner may make in a minute, and one network without a key.
	RequestsPerMinute int64 `yaml:"requests_per_minute"`
	// PointsPerMinute is how many points one owner may submit in a minute.
	PointsPerMinute int64 `yaml:"points_per_minute"`
	// Renderers is how many pictures are drawn at once; one owner has all but one
	// of them.
	Renderers int `yaml:"renderers"`
	// Bases are the regional base addresses; a request that arrives at one of
	// them gets picture addresses of the same region.
	Bases []string `yaml:"bases"`
	// Backend is the address of a Prometheus-compatible store that is used
	// instead of the embedded one.
	Backend string `yaml:"backend"`
	// OwnMetrics is how often the server records its own metrics; zero never.
	OwnMetrics time.Duration `yaml:"own_metrics"`
}

// DefaultConfig follows the public service where it is known.
func DefaultConfig() Config {
	const day = 24 * time.Hour
	return Config{
		SnapshotsPerHour: 600, QueriesPerHour: 6000,
		Width: 600, Height: 400, MinSide: 100, MaxSide: 10_000,
		Keep: 90 * day, Retention: 90 * day,
		PointsPast: time.Hour, PointsFuture: 10 * time.Minute,
		MaxSeries: query.DefaultLimits().Series, Renderers: 3,
		MaxActiveSeries: 100_000, MaxEvents: 100_000, RequestsPerMinute: 6_000, PointsPerMinute: 6_000_000,
		OwnMetrics: 15 * time.Second,
	}
}

// CheckOffline refuses a store that a server that is offline cannot reach.
func (c Config) CheckOffline() error {
	if c.Backend == "" {
		return nil
	}
	return outbound.CheckURL("snapshots.backend", c.Backend)
}

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	var bad []error
	refuse := func(wrong bool, format string, args ...any) {
		if wrong {
			bad = append(bad, fmt.Errorf("snapshots."+format, args...))
		}
	}
	refuse(c.SnapshotsPerHour < 1, "snapshots_per_hour must be above 0, not %d", c.SnapshotsPerHour)
	refuse(c.QueriesPerHour < 1, "queries_per_hour must be above 0, not %d", c.QueriesPerHour)
	refuse(c.MinSide < 1 || c.MaxSide < c.MinSide || c.MaxSide > 10_000,
		"min_side and max_side must be 1 to 10000 in order, not %d and %d", c.MinSide, c.MaxSide)
	for name, side := range map[string]int{"width": c.Width, "height": c.Height} {
		refuse(side < c.MinSide || side > c.MaxSide, "%s must lie between min_side and max_side, not %d", name, side)
	}
	refuse(c.Keep < 0, "keep must not be negative, not %s", c.Keep)
	refuse(c.Retention < time.Hour, "retention must be at least an hour, not %s", c.Retention)
	refuse(c.PointsPast < 0 || c.PointsFuture < 0, "points_past and points_future must not be negative")
	refuse(c.PointsPast > c.Retention, "points_past must not be longer than retention, not %s", c.PointsPast)
	refuse(c.MaxSeries < 1, "max_series must be above 0, not %d", c.MaxSeries)
	refuse(c.MaxActiveSeries < 1, "max_active_series must be above 0, not %d", c.MaxActiveSeries)
	refuse(c.MaxEvents < 1, "max_events must be above 0, not %d", c.MaxEvents)
	refuse(c.RequestsPerMinute < 1, "requests_per_minute must be above 0, not %d", c.RequestsPerMinute)
	refuse(c.PointsPerMinute < 1, "points_per_minute must be above 0, not %d", c.PointsPerMinute)
	refuse(c.Renderers < 1 || c.Renderers > 256, "renderers must be 1 to 256, not %d", c.Renderers)
	refuse(c.OwnMetrics < 0 || c.OwnMetrics > 0 && c.OwnMetrics < time.Second,
		"own_metrics must be 0 or at least a second, not %s", c.OwnMetrics)
	for _, base := range append([]string{}, c.Bases...) {
		refuse(!isBase(base), "bases: %q is not an http or https address without a path", base)
	}
	bad = append(bad, smallbuild.Refuse("snapshots.backend", c.Backend != "", smallbuild.MetricsEngine))
	if c.Backend != "" {
		u, err := url.Parse(c.Backend)
		refuse(err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https",
			"backend: %q is not an http or https address", c.Backend)
	}
	return errors.Join(bad...)
}

// isBase accepts http://host[:port] without anything behind it.
func isBase(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") && u.Path == "" && u.RawQuery == ""
}
