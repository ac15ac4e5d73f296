package calendar

import (
	"time"

	"stoa.dev/stoa/internal/service/calendar/event"
	"stoa.dev/stoa/internal/service/calendar/permission"
	"stoa.dev/stoa/internal/service/calendar/recurrence"
)

// Role is what a user may do with a calendar.
type Role = permission.Role

// The roles, weakest first.
const (
	RoleNone           = permission.RoleNone
	RoleFreeBusy       = permission.RoleFreeBusy
	RoleReader         = permission.RoleReader
	RoleWriterNoSecret = permission.RoleWriterNoSecret
	RoleWriter         = permission.RoleWriter
	RoleOwner          = permission.RoleOwner
)

// ScopeType is who a rule is about.
type ScopeType = permission.ScopeType

// The types of scopes.
const (
	ScopeDefault = permission.ScopeDefault
	ScopeUser    = permission.ScopeUser
	ScopeGroup   = permission.ScopeGroup
	ScopeDomain  = permission.ScopeDomain
)

// calendarRow is a stored calendar.
type calendarRow struct {
	id        string
	ownerID   int64
	clientID  string
	primary   bool
	doc       calendarJSON
	version   int64
	updated   time.Time
	eventsSeq int64
	rulesSeq  int64
	purgedSeq int64
	aclSeq    int64
}

// zone is where the calendar's days begin; the name was checked when stored.
func (c calendarRow) zone() *time.Location {
	zone, err := recurrence.Zone(c.doc.TimeZone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// eventRow is a stored event, series or differing instance.
type eventRow struct {
	calendar  string
	id        string
	series    string
	uid       string
	cancelled bool
	recurring bool
	starts    time.Time
	ends      time.Time // zero for an endless series
	seq       int64
	updated   time.Time
	doc       event.Event
	size      int64 // of doc, as it is stored
	// origin is the organizer's calendar if this is a guest's copy, empty otherwise.
	origin string
}
