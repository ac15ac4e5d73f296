package calendar

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/calendar/event"
	"stoa.dev/stoa/internal/service/calendar/listentry"
	"stoa.dev/stoa/internal/service/calendar/permission"
	"stoa.dev/stoa/internal/service/calendar/queryparams"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

func (s *Service) handleListCalendarList(r *route.Request, u user) (any, error) {
	q := queryparams.New(r)
	l := q.Page(queryparams.DefaultPageSize, queryparams.MaxPageSize)
	f := entryFilter{deleted: q.Flag("showDeleted"), hidden: q.Flag("showHidden"), role: RoleFreeBusy}
	if role := q.Text("minAccessRole"); role != "" {
		f.role = Role(role)
		if !slices.Contains(permission.Roles()[1:], f.role) {
			q.Fail("minAccessRole", "%s is not a role", refusal.Clip(role))
		}
	}
	if l.SyncToken != "" {
		for _, name := range []string{"minAccessRole", "showOwnOrganizationOnly"} {
			if q.Has(name) {
				q.Fail(name, "%s cannot be combined with syncToken", name)
			}
		}
		for _, name := range []string{"showDeleted", "showHidden"} {
			if q.Has(name) && !q.Flag(name) {
				q.Fail(name, "%s must not be false with syncToken", name)
			}
		}
	}
	if q.Err() != nil {
		return nil, q.Err()
	}
	return answer(s.ListCalendarList(r.Context(), u, l, f))
}

func (s *Service) handleGetCalendarList(r *route.Request, u user) (any, error) {
	return answer(s.GetCalendarList(r.Context(), u, r.PathValue("calendarId")))
}

func (s *Service) handleInsertCalendarList(r *route.Request, u user) (any, error) {
	q := queryparams.New(r)
	rgb := q.Flag("colorRgbFormat")
	var doc entryJSON
	if err := cmp.Or(q.Err(), readDocument(r, &doc)); err != nil {
		return nil, err
	}
	return answer(s.InsertCalendarList(r.Context(), u, doc, rgb))
}

func (s *Service) handleUpdateCalendarList(r *route.Request, u user) (any, error) {
	q := queryparams.New(r)
	rgb := q.Flag("colorRgbFormat")
	ch, err := readChange(r)
	if err := cmp.Or(q.Err(), err); err != nil {
		return nil, err
	}
	return answer(s.ChangeCalendarList(r.Context(), u, r.PathValue("calendarId"), ch, rgb))
}

func (s *Service) handleDeleteCalendarList(r *route.Request, u user) (any, error) {
	return nil, s.DeleteCalendarList(r.Context(), u, r.PathValue("calendarId"), ifMatch(r))
}

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
