package calendar

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/service/calendar/acl"
	"stoa.dev/stoa/internal/service/calendar/channel"
	"stoa.dev/stoa/internal/service/calendar/event"
	"stoa.dev/stoa/internal/service/calendar/freebusy"
	"stoa.dev/stoa/internal/service/calendar/listentry"
	"stoa.dev/stoa/internal/service/calendar/listing"
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

// aclJSON is Acl of the contract.
type aclJSON struct {
	Kind          string      `json:"kind"`
	ETag          string      `json:"etag"`
	NextPageToken string      `json:"nextPageToken,omitempty"`
	NextSyncToken string      `json:"nextSyncToken,omitempty"`
	Items         []*ruleJSON `json:"items"`
}

func (a *aclJSON) Tag() string { return a.ETag }

// ruleJSON is AclRule of the contract.
type ruleJSON = acl.RuleJSON

// entryJSON is CalendarListEntry of the contract.
type entryJSON = listentry.Entry

// calendarListJSON is CalendarList of the contract.
type calendarListJSON struct {
	Kind          string       `json:"kind"`
	ETag          string       `json:"etag"`
	NextPageToken string       `json:"nextPageToken,omitempty"`
	NextSyncToken string       `json:"nextSyncToken,omitempty"`
	Items         []*entryJSON `json:"items"`
}

func (l *calendarListJSON) Tag() string { return l.ETag }

func (s *Service) entryToWire(e listentry.Row, c calendarRow, role Role) *entryJSON {
	out := e.Doc
	out.Kind, out.ETag, out.ID = "calendar#calendarListEntry", entryTag(e, c, role), e.Calendar
	if out.DefaultReminders == nil {
		out.DefaultReminders = []event.Reminder{}
	}
	if e.Deleted || role == RoleNone {
		out.Deleted = true
		return &out
	}
	out.Summary, out.Description = c.doc.Summary, c.doc.Description
	out.Location, out.TimeZone = c.doc.Location, c.doc.TimeZone
	out.AccessRole, out.Primary = string(role), c.primary && c.ownerID == e.UserID
	out.ConferenceProperties = s.conferenceKinds
	out.AutoAcceptInvitations = c.doc.AutoAcceptInvitations
	return &out
}

// entryTag changes with the entry and with what it shows of its calendar.
func entryTag(e listentry.Row, c calendarRow, role Role) string {
	return fmt.Sprintf(`"%d.%d.%d.%d"`, e.Updated.UnixMilli(), e.Seq, c.version, role.Rank())
}

// listTag changes when the list does or one of the entries on the page.
func listTag(seq int64, entries []*entryJSON) string {
	h := sha256.New()
	for _, e := range entries {
		h.Write([]byte(e.ETag))
	}
	return fmt.Sprintf(`"p%d.%s"`, seq, base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:9]))
}

// calendarJSON is Calendar of the contract, and the document that is stored.
type calendarJSON struct {
	Kind                  string          `json:"kind,omitempty"`
	ETag                  string          `json:"etag,omitempty"`
	ID                    string          `json:"id,omitempty"`
	Summary               string          `json:"summary"`
	Description           string          `json:"description,omitempty"`
	Location              string          `json:"location,omitempty"`
	TimeZone              string          `json:"timeZone,omitempty"`
	ConferenceProperties  json.RawMessage `json:"conferenceProperties,omitempty"`
	LabelProperties       json.RawMessage `json:"labelProperties,omitempty"`
	DataOwner             string          `json:"dataOwner,omitempty"`
	AutoAcceptInvitations bool            `json:"autoAcceptInvitations,omitempty"`
}

func (c *calendarJSON) Tag() string { return c.ETag }

func (s *Service) calendarToWire(c calendarRow, owner string) *calendarJSON {
	out := c.doc
	out.Kind, out.ID, out.ETag = "calendar#calendar", c.id, listing.ETag(c.updated, c.version)
	if !c.primary {
		out.DataOwner = owner
	}
	if len(out.ConferenceProperties) == 0 {
		out.ConferenceProperties = s.conferenceKinds
	}
	return &out
}

// formatTime is how times of changes are written.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
