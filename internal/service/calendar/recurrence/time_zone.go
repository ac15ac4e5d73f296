package recurrence

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // Zones are known also where the system has none.
)

// day is far enough from a clock change that the offset there is the one before or after it.
const day = 24 * time.Hour

// Place gives the instant at which the clocks of zone show the wall time, which is written in UTC.
func Place(wall time.Time, zone *time.Location) time.Time {
	before := wall.Add(-offset(wall.Add(-day), zone))
	after := wall.Add(-offset(wall.Add(day), zone))
	switch {
	case shows(before, wall, zone):
		return before.In(zone)
	case shows(after, wall, zone):
		return after.In(zone)
	}
	// The wall time is skipped by a clock change (RFC 5545, section 3.3.5).
	return before.In(zone)
}

// Wall is what the clocks of zone show at an instant, written in UTC.
func Wall(at time.Time, zone *time.Location) time.Time {
	return at.Add(offset(at, zone)).UTC()
}

func offset(at time.Time, zone *time.Location) time.Duration {
	_, seconds := at.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}

func shows(at, wall time.Time, zone *time.Location) bool { return Wall(at, zone).Equal(wall) }

// Zone finds a time zone by its IANA name. What else stands in a system's folder of zones is none: other names of the
// machine's own, and clocks that count leap seconds.
func Zone(name string) (*time.Location, error) {
	top, _, nested := strings.Cut(name, "/")
	switch strings.ToLower(top) {
	case "", "local", "localtime", "posixrules":
		return nil, fmt.Errorf("%w: unknown time zone %q", ErrRule, clip(name))
	case "right", "posix":
		if nested {
			return nil, fmt.Errorf("%w: unknown time zone %q", ErrRule, clip(name))
		}
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("%w: unknown time zone %q", ErrRule, clip(name))
	}
	return zone, nil
}
