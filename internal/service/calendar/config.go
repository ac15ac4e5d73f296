package calendar

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Config is the limits of the service.
type Config struct {
	// RequestsPerMinute is how many requests one caller may make in a minute.
	RequestsPerMinute int64 `yaml:"requests_per_minute"`
	// ChannelLifetime is how long a channel lives at most, and when nothing
	// else is asked for; 0 lets channels live for ever.
	ChannelLifetime time.Duration `yaml:"channel_lifetime"`
	// ChannelsPerResource is how many channels may watch one collection.
	ChannelsPerResource int64 `yaml:"channels_per_resource"`
	// SyncLifetime is how long a sync token can be used and how long what was
	// deleted is remembered.
	SyncLifetime time.Duration `yaml:"sync_lifetime"`
	// CalendarsPerUser is how many calendars one user may own.
	CalendarsPerUser int64 `yaml:"calendars_per_user"`
	// ExpandYears is how many years of an endless series a list shows that
	// names no end.
	ExpandYears int `yaml:"expand_years"`
	// ConferenceURL is the address of the meetings of a video-conference system, with {id}
	// where a meeting's id stands. Without one, requests for a conference fail.
	ConferenceURL string `yaml:"conference_url"`
}

// DefaultConfig has the numbers that clients of the public service know.
func DefaultConfig() Config {
	return Config{
		RequestsPerMinute:   6000,
		ChannelLifetime:     7 * 24 * time.Hour,
		ChannelsPerResource: 5000,
		SyncLifetime:        30 * 24 * time.Hour,
		CalendarsPerUser:    100,
		ExpandYears:         2,
	}
}

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	var bad []error
	for name, value := range map[string]int64{
		"requests_per_minute": c.RequestsPerMinute, "channels_per_resource": c.ChannelsPerResource,
		"sync_lifetime": int64(c.SyncLifetime), "calendars_per_user": c.CalendarsPerUser,
		"expand_years": int64(c.ExpandYears),
	} {
		if value <= 0 {
			bad = append(bad, fmt.Errorf("calendar.%s must be above 0, not %d", name, value))
		}
	}
	if c.ChannelLifetime < 0 {
		bad = append(bad, errors.New("calendar.channel_lifetime must not be negative"))
	}
	if c.ExpandYears > 10 {
		bad = append(bad, fmt.Errorf("calendar.expand_years must be 10 at most, not %d", c.ExpandYears))
	}
	if u, err := url.Parse(c.ConferenceURL); c.ConferenceURL != "" && (err != nil || u.Host == "" ||
		u.Scheme != "https" && u.Scheme != "http" || !strings.Contains(c.ConferenceURL, "{id}")) {
		bad = append(bad, errors.New("calendar.conference_url must be an http or https address with {id} in it"))
	}
	return errors.Join(bad...)
}
