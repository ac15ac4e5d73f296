package permission

import (
	"slices"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
)

// Scopes are all the API family has for calendars.
func Scopes() []module.Scope {
	words := [][2]string{
		{"calendar", "see, edit, share and delete all the calendars you can access"},
		{"calendar.readonly", "see any calendar you can access"},
		{"calendar.acls", "see and change who may see the calendars you own"},
		{"calendar.acls.readonly", "see who may see the calendars you own"},
		{"calendar.app.created", "make calendars, and see, change and delete events on them"},
		{"calendar.calendarlist", "see, add and remove calendars on your list"},
		{"calendar.calendarlist.readonly", "see the calendars on your list"},
		{"calendar.calendars", "see and change the properties of calendars, and make calendars"},
		{"calendar.calendars.readonly", "see the properties of calendars you can access"},
		{"calendar.events", "see and edit events on all your calendars"},
		{"calendar.events.freebusy", "see when you are free or busy"},
		{"calendar.events.owned", "see, make, change and delete events on calendars you own"},
		{"calendar.events.owned.readonly", "see the events on calendars you own"},
		{"calendar.events.public.readonly", "see the events on public calendars"},
		{"calendar.events.readonly", "see events on all your calendars"},
		{"calendar.freebusy", "see when you and others are free or busy"},
		{"calendar.settings", "see and change your calendar settings"},
		{"calendar.settings.readonly", "see your calendar settings"},
	}
	all := make([]module.Scope, len(words))
	for i, w := range words {
		all[i] = module.Scope{Name: w[0], Based: true, Description: w[1]}
	}
	return all
}

// Restricted are the scopes that open an operation on some calendars only.
func Restricted() []string {
	return []string{
		"calendar.app.created", "calendar.events.owned", "calendar.events.owned.readonly",
		"calendar.events.public.readonly",
		"calendar.events.freebusy",
	}
}

// IsUnrestricted reports whether one of the caller's scopes opens the operation on
// every calendar.
func IsUnrestricted(c route.Caller, scopes []string) bool {
	return slices.ContainsFunc(scopes, func(scope string) bool {
		return !slices.Contains(Restricted(), scope) && c.HasScope(scope)
	})
}
