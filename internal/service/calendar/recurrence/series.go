package recurrence

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/wire"
)

// ErrRule is wrapped by every refusal of a line.
var ErrRule = errors.New("invalid recurrence")

// Bounds of what a series may say.
const (
	maxLines    = 50
	maxRules    = 5
	maxExRules  = 1
	maxDates    = 1000
	maxCount    = 10000
	maxInterval = 10000
	maxPerDay   = 24
	firstYear   = 1900
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

// Parse reads the lines. The first instance is always part of the series, as RFC 5545 has it.
func Parse(lines []string, start Start) (*Series, error) { return parse(lines, start, true) }

// Stored reads lines that Parse has accepted, without searching again whether the rules ever happen.
func Stored(lines []string, start Start) (*Series, error) { return parse(lines, start, false) }

// parse reads the lines; strict adds what Parse checks only once.
func parse(lines []string, start Start, strict bool) (*Series, error) {
	if len(lines) > maxLines {
		return nil, fmt.Errorf("%w: more than %d lines", ErrRule, maxLines)
	}
	if start.AllDay {
		start.Zone = time.UTC
	}
	s := &Series{start: start, wall: Wall(start.At, start.Zone).Truncate(time.Second), exdates: map[int64]bool{}}
	if s.wall.Year() < firstYear {
		return nil, fmt.Errorf("%w: a series starts in %d or later", ErrRule, firstYear)
	}
	for _, line := range lines {
		if err := s.add(line, strict); err != nil {
			return nil, err
		}
	}
	switch {
	case len(s.rules)+len(s.dates) == 0:
		return nil, fmt.Errorf("%w: neither RRULE nor RDATE", ErrRule)
	case strict && len(s.rules)+len(s.without) > maxRules:
		return nil, fmt.Errorf("%w: more than %d rules", ErrRule, maxRules)
	}
	return s, nil
}

func (s *Series) add(line string, strict bool) error {
	at := strings.IndexAny(line, ":;")
	if at < 0 {
		return fmt.Errorf("%w: %q has no value", ErrRule, clip(line))
	}
	name, rest := strings.ToUpper(line[:at]), line[at:]
	switch name {
	case "RRULE", "EXRULE":
		if strict && (len(s.rules) == maxRules || name == "EXRULE" && len(s.without) == maxExRules) {
			return fmt.Errorf("%w: more than %d rules or %d EXRULE", ErrRule, maxRules, maxExRules)
		}
		option, err := s.rule(strings.TrimPrefix(rest, ":"), strict)
		if err != nil {
			return err
		}
		if name == "RRULE" {
			s.rules = append(s.rules, option)
		} else {
			s.without = append(s.without, option)
		}
	case "RDATE", "EXDATE":
		dates, err := s.parseDates(rest)
		if err != nil {
			return err
		}
		for _, d := range dates {
			if name == "EXDATE" {
				s.exdates[d.Unix()] = true
			} else {
				s.dates = append(s.dates, d)
			}
		}
		if len(s.dates)+len(s.exdates) > maxDates {
			return fmt.Errorf("%w: more than %d dates", ErrRule, maxDates)
		}
	default:
		return fmt.Errorf("%w: %s is not RRULE, EXRULE, RDATE or EXDATE", ErrRule, clip(name))
	}
	return nil
}

// rule reads one rule; its UNTIL becomes a wall time like everything else.
func (s *Series) rule(text string, strict bool) (rrule.ROption, error) {
	option, err := rrule.StrToROptionInLocation(text, s.start.Zone)
	if err != nil {
		return rrule.ROption{}, fmt.Errorf("%w: %q: %s", ErrRule, clip(text), err.Error())
	}
	if !option.Until.IsZero() {
		option.Until = Wall(option.Until, s.start.Zone)
	}
	option.Dtstart = s.wall
	if _, err := rrule.NewRRule(*option); err != nil {
		return *option, fmt.Errorf("%w: %q: %s", ErrRule, clip(text), err.Error())
	}
	upper := strings.ToUpper(text)
	switch {
	case option.Freq == rrule.SECONDLY || option.Freq == rrule.MINUTELY:
		return *option, fmt.Errorf("%w: FREQ must be HOURLY or rarer", ErrRule)
	case strings.Contains(upper, "COUNT=") && strings.Contains(upper, "UNTIL="):
		return *option, fmt.Errorf("%w: COUNT and UNTIL exclude each other", ErrRule)
	case strict && (strings.Contains(upper, "COUNT=") && option.Count < 1 ||
		strings.Contains(upper, "INTERVAL=") && option.Interval < 1):
		return *option, fmt.Errorf("%w: COUNT and INTERVAL are 1 or more", ErrRule)
	case option.Count > maxCount:
		return *option, fmt.Errorf("%w: COUNT is at most %d", ErrRule, maxCount)
	case option.Interval > maxInterval:
		return *option, fmt.Errorf("%w: INTERVAL is at most %d", ErrRule, maxInterval)
	case perDay(*option) > maxPerDay:
		return *option, fmt.Errorf("%w: more than %d instances a day", ErrRule, maxPerDay)
	case s.start.AllDay && perDay(*option) > 1:
		return *option, fmt.Errorf("%w: whole days do not repeat by the hour", ErrRule)
	case strict && !happens(*option):
		return *option, fmt.Errorf("%w: %q never happens", ErrRule, clip(text))
	}
	return *option, nil
}

// place gives the instant of a wall time. The start's own is known: it may be the second of two that look alike.
func (s *Series) place(wall time.Time) time.Time {
	if wall.Equal(s.wall) {
		return s.start.At.In(s.start.Zone)
	}
	return Place(wall, s.start.Zone)
}

// parseDates reads ";TZID=Z;VALUE=DATE:20260102,20260103T040506Z" as instants.
func (s *Series) parseDates(text string) ([]time.Time, error) {
	params, list, found := strings.Cut(text, ":")
	if !found {
		return nil, fmt.Errorf("%w: %q has no dates", ErrRule, clip(text))
	}
	zone := s.start.Zone
	for param := range strings.SplitSeq(strings.TrimPrefix(params, ";"), ";") {
		if name, value, _ := strings.Cut(param, "="); strings.EqualFold(name, "TZID") {
			var err error
			if zone, err = Zone(value); err != nil {
				return nil, err
			}
		}
	}
	var dates []time.Time
	for one := range strings.SplitSeq(list, ",") {
		d, err := s.parseDate(strings.TrimSpace(one), zone)
		if err != nil {
			return nil, err
		}
		dates = append(dates, d)
	}
	return dates, nil
}

func (s *Series) parseDate(text string, zone *time.Location) (time.Time, error) {
	at, err := time.Parse("20060102T150405Z", text)
	if err != nil {
		var wall time.Time
		if wall, err = time.Parse("20060102T150405", text); err == nil {
			at = Place(wall, zone)
		}
	}
	if err == nil {
		if s.start.AllDay {
			return Wall(at, zone).Truncate(day), nil
		}
		return at, nil
	}
	date, err := time.Parse("20060102", text)
	if err != nil {
		return date, fmt.Errorf("%w: %q is not a date", ErrRule, clip(text))
	}
	// A date stands for the instance of that day.
	return s.place(date.Add(s.wall.Sub(s.wall.Truncate(day)))), nil
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

// clip keeps what an error repeats short.
func clip(text string) string { return wire.Clip(text, 60) }
