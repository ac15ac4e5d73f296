package recurrence

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

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
)

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

// clip keeps what an error repeats short.
func clip(text string) string { return wire.Clip(text, 60) }
