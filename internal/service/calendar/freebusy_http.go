package calendar

import (
	"time"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/calendar/reason"
	"stoa.dev/stoa/internal/service/calendar/recurrence"
	"stoa.dev/stoa/internal/service/calendar/timespan"
)

func (s *Service) handleQueryFreeBusy(r *route.Request, u user) (any, error) {
	var in freeBusyRequest
	if err := readDocument(r, &in); err != nil {
		return nil, err
	}
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	return answer(s.QueryFreeBusy(r.Context(), u, q))
}

func (in freeBusyRequest) query() (freeBusyQuery, error) {
	q := freeBusyQuery{zone: time.UTC, groups: maxGroupMembers, expanded: maxBusyCalendars}
	var err error
	for _, side := range []struct {
		name, text string
		into       *time.Time
	}{{"timeMin", in.TimeMin, &q.window.From}, {"timeMax", in.TimeMax, &q.window.To}} {
		if side.text == "" {
			return q, reason.Required(side.name)
		}
		if *side.into, err = time.Parse(time.RFC3339, side.text); err != nil {
			return q, errInvalidField(side.name, "%s must be an RFC 3339 time with an offset", side.name)
		}
		*side.into = timespan.Earlier(side.into.UTC().Truncate(time.Second), timespan.Max())
	}
	if !q.window.From.Before(q.window.To) {
		return q, reason.TimeRange("timeMax")
	}
	if q.window.To.Sub(q.window.From) > 10*366*24*time.Hour {
		return q, errInvalidField("timeMax", "the requested time range is too long: ten years at most")
	}
	if in.TimeZone != "" {
		if q.zone, err = recurrence.Zone(in.TimeZone); err != nil {
			return q, errInvalidField("timeZone", "%s is not a known time zone", reason.Clip(in.TimeZone))
		}
	}
	for _, bound := range []struct {
		name  string
		asked *int
		into  *int
	}{
		{"groupExpansionMax", in.GroupExpansionMax, &q.groups},
		{"calendarExpansionMax", in.CalendarExpansionMax, &q.expanded},
	} {
		if bound.asked == nil || *bound.asked == 0 {
			continue
		}
		if *bound.asked < 0 || *bound.asked > *bound.into {
			return q, errInvalidField(bound.name, "%s must be 1 to %d", bound.name, *bound.into)
		}
		*bound.into = *bound.asked
	}
	for _, item := range in.Items {
		q.ids = append(q.ids, item.ID)
	}
	return q, nil
}

// freeBusyRequest is the body of the question.
type freeBusyRequest struct {
	TimeMin              string `json:"timeMin"`
	TimeMax              string `json:"timeMax"`
	TimeZone             string `json:"timeZone"`
	GroupExpansionMax    *int   `json:"groupExpansionMax"`
	CalendarExpansionMax *int   `json:"calendarExpansionMax"`
	Items                []struct {
		ID string `json:"id"`
	} `json:"items"`
}

// freeBusyJSON is FreeBusyResponse of the contract.
type freeBusyJSON struct {
	Kind      string                `json:"kind"`
	TimeMin   string                `json:"timeMin"`
	TimeMax   string                `json:"timeMax"`
	Groups    map[string]*groupJSON `json:"groups,omitempty"`
	Calendars map[string]*busyJSON  `json:"calendars"`
}

type groupJSON struct {
	Errors    []busyErrorJSON `json:"errors,omitempty"`
	Calendars []string        `json:"calendars,omitempty"`
}

type busyJSON struct {
	Errors []busyErrorJSON `json:"errors,omitempty"`
	Busy   []periodJSON    `json:"busy"`
}

type periodJSON struct {
	Start string `json:"start"`
	End   string `json:"end"`
}

type busyErrorJSON struct {
	Domain string `json:"domain"`
	Reason string `json:"reason"`
}

func busyError(reason string) []busyErrorJSON {
	return []busyErrorJSON{{Domain: "global", Reason: reason}}
}
