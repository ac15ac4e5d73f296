package calendar

import (
	"stoa.dev/stoa/internal/service/calendar/channel"
	"stoa.dev/stoa/internal/service/calendar/event"
	"stoa.dev/stoa/internal/service/calendar/freebusy"
	"stoa.dev/stoa/internal/service/calendar/palette"
	"stoa.dev/stoa/internal/service/calendar/settings"
)

// answers are what the operations answer with.
func answers() map[string]any {
	out := map[string]any{
		"calendar.acl.list": aclJSON{}, "calendar.calendarList.list": calendarListJSON{},
		"calendar.settings.list": settings.Settings{}, "calendar.settings.get": settings.Setting{},
		"calendar.colors.get": palette.Colors{}, "calendar.freebusy.query": freebusy.Response{},
		"calendar.events.list": eventsJSON{}, "calendar.events.instances": eventsJSON{},
	}
	for _, one := range []struct {
		noun   string
		verbs  []string
		answer any
	}{
		{"acl", []string{"insert", "get", "update", "patch"}, ruleJSON{}},
		{"calendarList", []string{"insert", "get", "update", "patch"}, entryJSON{}},
		{"calendars", []string{"insert", "get", "update", "patch"}, calendarJSON{}},
		{"events", []string{"insert", "get", "update", "patch", "import", "quickAdd", "move"}, event.Event{}},
	} {
		for _, verb := range one.verbs {
			out["calendar."+one.noun+"."+verb] = one.answer
		}
	}
	for _, noun := range []string{"acl", "calendarList", "events", "settings"} {
		out["calendar."+noun+".watch"] = channel.Channel{}
	}
	return out
}
