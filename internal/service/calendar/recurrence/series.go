package recurrence

import (
	"maps"
	"slices"
	"time"

	"github.com/teambition/rrule-go"

	"stoa.dev/stoa/internal/platform/budget"
)

const (
	// Years after its start in which a series is looked at: every step from the
	// start has to be taken, so that many instances a day leave fewer years.
	maxYears = 100
	minYears = 5
)

// Start is where a series begins.
type Start struct {
	// At is the first instance; for AllDay midnight UTC of its date.
	At time.Time
	// Zone is where the rules are counted; UTC for AllDay.
	Zone   *time.Location
	AllDay bool
}

// Series is a parsed set of recurrence lines.
type Series struct {
	start   Start
	wall    time.Time // the start's wall time
	rules   []rrule.ROption
	without []rrule.ROption
	dates   []time.Time
	exdates map[int64]bool // instants, in seconds
}

// place gives the instant of a wall time. The start's own is known: it may be the second of two that look alike.
func (s *Series) place(wall time.Time) time.Time {
	if wall.Equal(s.wall) {
		return s.start.At.In(s.start.Zone)
	}
	return Place(wall, s.start.Zone)
}

// Between gives the instances that start at or after from and before to, at most so many, in order. It spends a step
// for every period of a rule that it looks at and for every instance.
func (s *Series) Between(steps *budget.Steps, from, to time.Time, limit int) ([]time.Time, error) {
	if !from.Before(to) || limit <= 0 {
		return nil, nil
	}
	// A clock change moves wall times by hours at most; what lies outside is dropped after placing.
	low, high := Wall(from, s.start.Zone).Add(-day), Wall(to, s.start.Zone).Add(day)
	drop, err := s.excluded(steps, low, high)
	if err != nil {
		return nil, err
	}
	var found []time.Time
	keep := func(at time.Time) (kept bool) {
		kept = !drop[at.Unix()] && !at.Before(from) && at.Before(to)
		if kept {
			found = append(found, at.In(s.start.Zone))
		}
		return kept
	}
	keep(s.start.At)
	for _, at := range s.dates {
		keep(at)
	}
	for _, option := range s.rules {
		n := 0
		err := s.walk(steps, option, low, high, func(at time.Time) bool {
			if keep(at) {
				n++
			}
			// A few more than asked for, because what coincides is one.
			return n < limit+3
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found, time.Time.Compare)
	found = slices.CompactFunc(found, time.Time.Equal)
	return found[:min(len(found), limit)], nil
}

// excluded are the instants of a window that the series leaves out. What looks alike before and after a clock change
// is told apart, as are the instants that clients name in UTC.
func (s *Series) excluded(steps *budget.Steps, low, high time.Time) (map[int64]bool, error) {
	if len(s.without) == 0 {
		return s.exdates, nil
	}
	drop := maps.Clone(s.exdates)
	for _, option := range s.without {
		err := s.walk(steps, option, low, high, func(at time.Time) bool {
			drop[at.Unix()] = true
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	return drop, nil
}

// walk calls each for the rule's instants whose wall times lie between low and high, until each has enough. It begins
// near the window where the rule lets it.
func (s *Series) walk(steps *budget.Steps, option rrule.ROption, low, high time.Time, each func(time.Time) bool) error {
	if end := s.wall.AddDate(max(minYears, maxYears/perDay(option)), 0, 0); end.Before(high) {
		high = end
	}
	// The library would look for the instance after UNTIL without telling how far it got.
	until := option.Until
	option.Until = time.Time{}
	if !low.Before(high) || (!until.IsZero() && until.Before(low)) {
		return nil
	}
	option = advance(option, low)
	rule, err := rrule.NewRRule(option)
	if err != nil {
		return nil // Parse has tried it.
	}
	next, at := rule.Iterator(), option.Dtstart
	for {
		wall, ok := next()
		if !ok {
			return steps.Take(1)
		}
		if err := steps.Take(1 + periods(option, wall.Sub(at))); err != nil {
			return err
		}
		if at = wall; !wall.Before(high) || (!until.IsZero() && wall.After(until)) {
			return nil
		}
		if !wall.Before(low) && !each(s.place(wall)) {
			return nil
		}
	}
}

// Has reports whether an instance starts at the instant.
func (s *Series) Has(steps *budget.Steps, at time.Time) (bool, error) {
	found, err := s.Between(steps, at, at.Add(time.Second), 1)
	return len(found) == 1 && found[0].Equal(at), err
}

// Last is the start of the last instance, or false when the series is endless or too long to tell.
func (s *Series) Last(steps *budget.Steps) (latest time.Time, ok bool, err error) {
	latest = s.start.At
	for _, at := range s.dates {
		if at.After(latest) {
			latest = at
		}
	}
	for _, option := range s.rules {
		switch {
		case !option.Until.IsZero():
			if at := Place(option.Until, s.start.Zone); at.After(latest) {
				latest = at
			}
		case option.Count > 0:
			end := s.wall.AddDate(50, 0, 0)
			n := 0
			err := s.walk(steps, option, s.wall, end, func(at time.Time) bool {
				n++
				if at.After(latest) {
					latest = at
				}
				return true
			})
			if err != nil || n < option.Count {
				return time.Time{}, false, err
			}
		default:
			return time.Time{}, false, nil
		}
	}
	return latest, true, nil
}
