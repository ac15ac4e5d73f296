package freebusy

import (
	"time"

	"stoa.dev/stoa/internal/service/calendar/recurrence"
	"stoa.dev/stoa/internal/service/calendar/refusal"
	"stoa.dev/stoa/internal/service/calendar/timespan"
)

// Limits of one question.
const (
	MaxGroupMembers = 100
	// MaxGroups is how many groups are looked up: a name is written in many cases, and each is all its members.
	MaxGroups    = 50
	MaxCalendars = 50
)

// Query asks when calendars are busy.
type Query struct {
	Window timespan.Span
	Zone   *time.Location
	// Groups is how many members a group may have, Expanded how many calendars are answered.
	Groups, Expanded int
	IDs              []string
}

// Query reads the question.
func (in Request) Query() (Query, error) {
	q := Query{Zone: time.UTC, Groups: MaxGroupMembers, Expanded: MaxCalendars}
	var err error
	for _, side := range []struct {
		name, text string
		into       *time.Time
	}{{"timeMin", in.TimeMin, &q.Window.From}, {"timeMax", in.TimeMax, &q.Window.To}} {
		if side.text == "" {
			return q, refusal.Required(side.name)
		}
		if *side.into, err = time.Parse(time.RFC3339, side.text); err != nil {
			return q, refusal.Invalid(side.name, "%s must be an RFC 3339 time with an offset", side.name)
		}
		*side.into = timespan.Earlier(side.into.UTC().Truncate(time.Second), timespan.Max())
	}
	if !q.Window.From.Before(q.Window.To) {
		return q, refusal.TimeRange("timeMax")
	}
	if q.Window.To.Sub(q.Window.From) > 10*366*24*time.Hour {
		return q, refusal.Invalid("timeMax", "the requested time range is too long: ten years at most")
	}
	if in.TimeZone != "" {
		if q.Zone, err = recurrence.Zone(in.TimeZone); err != nil {
			return q, refusal.Invalid("timeZone", "%s is not a known time zone", refusal.Clip(in.TimeZone))
		}
	}
	for _, bound := range []struct {
		name  string
		asked *int
		into  *int
	}{
		{"groupExpansionMax", in.GroupExpansionMax, &q.Groups},
		{"calendarExpansionMax", in.CalendarExpansionMax, &q.Expanded},
	} {
		if bound.asked == nil || *bound.asked == 0 {
			continue
		}
		if *bound.asked < 0 || *bound.asked > *bound.into {
			return q, refusal.Invalid(bound.name, "%s must be 1 to %d", bound.name, *bound.into)
		}
		*bound.into = *bound.asked
	}
	for _, item := range in.Items {
		q.IDs = append(q.IDs, item.ID)
	}
	return q, nil
}

// Request is the body of the question.
type Request struct {
	TimeMin              string `json:"timeMin"`
	TimeMax              string `json:"timeMax"`
	TimeZone             string `json:"timeZone"`
	GroupExpansionMax    *int   `json:"groupExpansionMax"`
	CalendarExpansionMax *int   `json:"calendarExpansionMax"`
	Items                []struct {
		ID string `json:"id"`
	} `json:"items"`
}

// Response is FreeBusyResponse of the contract.
type Response struct {
	Kind      string               `json:"kind"`
	TimeMin   string               `json:"timeMin"`
	TimeMax   string               `json:"timeMax"`
	Groups    map[string]*Group    `json:"groups,omitempty"`
	Calendars map[string]*Calendar `json:"calendars"`
}

// Group is who is in a group.
type Group struct {
	Errors    []Problem `json:"errors,omitempty"`
	Calendars []string  `json:"calendars,omitempty"`
}

// Calendar is when a calendar is busy.
type Calendar struct {
	Errors []Problem `json:"errors,omitempty"`
	Busy   []Period  `json:"busy"`
}

// Period is a time that is taken.
type Period struct {
	Start string `json:"start"`
	End   string `json:"end"`
}

// Problem is why there is no answer.
type Problem struct {
	Domain string `json:"domain"`
	Reason string `json:"reason"`
}

// NewProblem says why a calendar or a group has no answer.
func NewProblem(reason string) []Problem {
	return []Problem{{Domain: "global", Reason: reason}}
}
