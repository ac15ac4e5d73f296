package calendar

import (
	"slices"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/service/calendar/recurrence"
)

// Role is what somebody may do with a calendar.
type Role string

// The roles, weakest first.
const (
	RoleNone           Role = "none"
	RoleFreeBusy       Role = "freeBusyReader"
	RoleReader         Role = "reader"
	RoleWriterNoSecret Role = "writerWithoutPrivateAccess"
	RoleWriter         Role = "writer"
	RoleOwner          Role = "owner"
)

func roles() []Role {
	return []Role{RoleNone, RoleFreeBusy, RoleReader, RoleWriterNoSecret, RoleWriter, RoleOwner}
}

// rank orders roles; an unknown word is below all.
func (r Role) rank() int { return slices.Index(roles(), r) }

// allows reports whether r includes what need allows.
func (r Role) allows(need Role) bool { return r.rank() >= need.rank() }

// atMost is the weaker of two roles.
func (r Role) atMost(most Role) Role {
	if most.rank() < r.rank() {
		return most
	}
	return r
}

// seesPrivate reports whether private events are shown in full.
func (r Role) seesPrivate() bool { return r.allows(RoleWriter) }

// ScopeType is who a rule is about.
type ScopeType string

// The scope types.
const (
	ScopeDefault ScopeType = "default"
	ScopeUser    ScopeType = "user"
	ScopeGroup   ScopeType = "group"
	ScopeDomain  ScopeType = "domain"
)

// person is who calls, as this service knows them.
type person struct {
	id      int64
	address string
	name    string
	listSeq int64 // counts the changes of the person's list of calendars
	client  string
	// has asks the credential's scopes; wide tells that one of them opens the
	// operation on every calendar and not on some only.
	has  func(scope string) bool
	wide bool
}

// owner is whose budget the person's requests spend.
func (p person) owner() budget.Owner { return budget.Caller(strconv.FormatInt(p.id, 10)) }

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

// ruleRow is a stored access rule.
type ruleRow struct {
	scope   ScopeType
	value   string
	role    Role
	seq     int64
	updated time.Time
}

// entryRow is a stored calendar of somebody's list.
type entryRow struct {
	userID   int64
	calendar string
	doc      entryJSON
	deleted  bool
	seq      int64
	updated  time.Time
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
	doc       eventJSON
}

// channelRow is a stored notification channel.
type channelRow struct {
	id       string
	resource string
	uri      string
	userID   int64
	clientID string
	sealed   []byte
	number   int64
	created  time.Time
	expires  time.Time // zero for never
}
