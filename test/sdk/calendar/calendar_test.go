package calendar_test

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"stoa.dev/stoa/test/sdk/world"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"
	"google.golang.org/api/calendar/v3"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
)

// receiver is where channels lead: it hands on the headers of every message.
type receiver struct {
	url, authority string
	messages       chan http.Header
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{messages: make(chan http.Header, 100)}
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		r.messages <- q.Header.Clone()
	}))
	t.Cleanup(server.Close)
	r.url, r.authority = server.URL, filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(r.authority, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return r
}

// next is the next message that comes in.
func (r *receiver) next(t *testing.T) http.Header {
	t.Helper()
	select {
	case h := <-r.messages:
		return h
	case <-time.After(20 * time.Second):
		t.Fatal("no message came")
		return nil
	}
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func client(t *testing.T, url, token string) *calendar.Service {
	t.Helper()
	source := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token})
	return must(calendar.NewService(context.Background(), option.WithEndpoint(url+"/calendar/v3/"),
		option.WithTokenSource(source)))(t)
}

func hour(day string, h string) *calendar.EventDateTime {
	return &calendar.EventDateTime{DateTime: day + "T" + h + ":00:00Z", TimeZone: "UTC"}
}

// TestOfficialGoClient drives every operation that the client has.
func TestOfficialGoClient(t *testing.T) {
	r := newReceiver(t)
	env := serve(t, r.authority).Env
	ada, grace := client(t, env["STOA_URL"], env["STOA_TOKEN"]), client(t, env["STOA_URL"], env["STOA_GUEST_TOKEN"])
	t.Run("calendars", func(t *testing.T) { calendars(t, ada, grace) })
	t.Run("acl and lists", func(t *testing.T) { lists(t, ada, grace) })
	t.Run("events", func(t *testing.T) { events(t, ada) })
	t.Run("sync", func(t *testing.T) { syncing(t, ada) })
	t.Run("errors", func(t *testing.T) { failures(t, ada) })
	t.Run("settings, colors and free times", func(t *testing.T) { rest(t, ada) })
	t.Run("channels", func(t *testing.T) { channels(t, ada, r) })
}

func calendars(t *testing.T, ada, grace *calendar.Service) {
	made := must(ada.Calendars.Insert(&calendar.Calendar{Summary: "Second", TimeZone: "Europe/Athens"}).Do())(t)
	if !strings.HasSuffix(made.Id, "@group.calendar.google.com") {
		t.Errorf("id %s", made.Id)
	}
	got := must(ada.Calendars.Get(made.Id).Do())(t)
	got.Location = "Porch"
	must(ada.Calendars.Update(made.Id, got).Do())(t)
	if p := must(ada.Calendars.Patch(made.Id, &calendar.Calendar{Summary: "Renamed"}).Do())(t); p.Location != "Porch" ||
		p.Summary != "Renamed" {
		t.Errorf("patched %+v", p)
	}
	guest := must(grace.Calendars.Get("primary").Do())(t)
	if err := ada.Calendars.TransferOwnership(made.Id, guest.Id, false).Do(); err != nil {
		t.Fatal(err)
	}
	if err := grace.Calendars.Delete(made.Id).Do(); err != nil {
		t.Fatal(err)
	}
	if err := grace.Calendars.Clear("primary").Do(); err != nil {
		t.Fatal(err)
	}
}

func lists(t *testing.T, ada, grace *calendar.Service) {
	me, guest := must(ada.Calendars.Get("primary").Do())(t), must(grace.Calendars.Get("primary").Do())(t)
	rule := &calendar.AclRule{Role: "reader", Scope: &calendar.AclRuleScope{Type: "user", Value: guest.Id}}
	made := must(ada.Acl.Insert("primary", rule).Do())(t)
	must(ada.Acl.Get("primary", made.Id).Do())(t)
	must(ada.Acl.Update("primary", made.Id, &calendar.AclRule{Role: "freeBusyReader"}).Do())(t)
	must(ada.Acl.Patch("primary", made.Id, &calendar.AclRule{Role: "reader"}).Do())(t)
	if l := must(ada.Acl.List("primary").Do())(t); len(l.Items) != 2 || l.NextSyncToken == "" {
		t.Errorf("rules %+v", l)
	}
	must(grace.CalendarList.Insert(&calendar.CalendarListEntry{Id: me.Id}).Do())(t)
	entry := must(grace.CalendarList.Get(me.Id).Do())(t)
	entry.SummaryOverride = "Ada"
	must(grace.CalendarList.Update(me.Id, entry).Do())(t)
	if p := must(grace.CalendarList.Patch(me.Id, &calendar.CalendarListEntry{
		ColorId: "9",
	}).Do())(t); p.SummaryOverride != "Ada" || p.ColorId != "9" {
		t.Errorf("entry %+v", p)
	}
	n := 0
	if err := grace.CalendarList.List().MaxResults(1).Pages(context.Background(),
		func(l *calendar.CalendarList) error { n += len(l.Items); return nil }); err != nil || n != 2 {
		t.Errorf("%d entries, %v", n, err)
	}
	if err := grace.CalendarList.Delete(me.Id).Do(); err != nil {
		t.Fatal(err)
	}
	if err := ada.Acl.Delete("primary", made.Id).Do(); err != nil {
		t.Fatal(err)
	}
}

func events(t *testing.T, ada *calendar.Service) {
	made := must(ada.Events.Insert("primary", &calendar.Event{
		Summary: "Series", Start: hour("2030-03-10", "09"), End: hour("2030-03-10", "10"),
		Recurrence: []string{"RRULE:FREQ=DAILY;COUNT=3"},
		Attendees:  []*calendar.EventAttendee{{Email: "grace@example.com"}},
		Reminders:  &calendar.EventReminders{UseDefault: false, ForceSendFields: []string{"UseDefault"}},
	}).SendUpdates("none").Do())(t)
	must(ada.Events.Get("primary", made.Id).Do())(t)
	if l := must(ada.Events.Instances("primary", made.Id).Do())(t); len(l.Items) != 3 ||
		l.Items[1].RecurringEventId != made.Id {
		t.Errorf("instances %+v", l.Items)
	} else if one := must(ada.Events.Patch("primary", l.Items[1].Id, &calendar.Event{
		Summary: "Other",
	}).Do())(t); one.OriginalStartTime == nil {
		t.Errorf("instance %+v", one)
	}
	made.Location = "Agora"
	must(ada.Events.Update("primary", made.Id, made).Do())(t)
	list := must(
		ada.Events.List("primary").SingleEvents(true).OrderBy("startTime").TimeMin("2030-03-10T00:00:00Z").TimeMax(
			"2030-04-01T00:00:00Z",
		).Do(),
	)(t)
	var summaries []string
	for _, e := range list.Items { // The demo world has a series of its own.
		if e.RecurringEventId == made.Id {
			summaries = append(summaries, e.Summary)
		}
	}
	if got := strings.Join(summaries, " "); got != "Series Other Series" {
		t.Errorf("list %s", got)
	}
	second := must(ada.Calendars.Insert(&calendar.Calendar{Summary: "Target"}).Do())(t)
	if moved := must(ada.Events.Move("primary", made.Id, second.Id).Do())(t); moved.Organizer.Email != second.Id {
		t.Errorf("organizer %+v", moved.Organizer)
	}
	must(ada.Events.Import("primary", &calendar.Event{
		Summary: "Import", ICalUID: "x@example.com", Start: hour("2030-03-10", "12"), End: hour("2030-03-10", "13"),
	}).Do())(t)
	quick := must(ada.Events.QuickAdd("primary", "Lunch tomorrow 12pm-1pm").Do())(t)
	if quick.Summary != "Lunch" || !strings.HasSuffix(quick.ICalUID, "@google.com") {
		t.Errorf("quickly added: %s %s", quick.Summary, quick.ICalUID)
	}
	if err := ada.Events.Delete("primary", quick.Id).Do(); err != nil {
		t.Fatal(err)
	}
}

func syncing(t *testing.T, ada *calendar.Service) {
	var token string
	next := func(l *calendar.Events) error { token = l.NextSyncToken; return nil }
	if err := ada.Events.List("primary").MaxResults(2).Pages(context.Background(), next); err != nil || token == "" {
		t.Fatalf("token %q, %v", token, err)
	}
	made := must(ada.Events.Insert("primary", &calendar.Event{
		Summary: "New", Start: &calendar.EventDateTime{Date: "2030-05-01"}, End: &calendar.EventDateTime{Date: "2030-05-02"},
	}).Do())(t)
	changed := must(ada.Events.List("primary").SyncToken(token).Do())(t)
	if len(changed.Items) != 1 || changed.Items[0].Id != made.Id {
		t.Errorf("changed %+v", changed.Items)
	}
	_, err := ada.Events.Get("primary", made.Id).IfNoneMatch(made.Etag).Do()
	if !googleapi.IsNotModified(err) {
		t.Errorf("with its own tag: %v", err)
	}
	brief := must(ada.Events.Get("primary", made.Id).Fields("id", "start/date").Do())(t)
	if brief.Id != made.Id || brief.Start.Date != "2030-05-01" || brief.Summary != "" || brief.Etag != "" {
		t.Errorf("some members only: %+v", brief)
	}
}

func failures(t *testing.T, ada *calendar.Service) {
	for _, row := range []struct {
		code   int
		reason string
		call   func() error
	}{
		{404, "notFound", func() error { _, err := ada.Events.Get("primary", "nothing").Do(); return err }},
		{410, "fullSyncRequired", func() error { _, err := ada.Events.List("primary").SyncToken("junk").Do(); return err }},
		{400, "timeRangeEmpty", func() error {
			_, err := ada.Events.List("primary").TimeMin("2030-01-01T00:00:00Z").TimeMax("2029-01-01T00:00:00Z").Do()
			return err
		}},
		{400, "push.webhookUrlNotHttps", func() error {
			_, err := ada.Events.Watch("primary", &calendar.Channel{
				Id: "plain", Type: "web_hook", Address: "http://example.com",
			}).Do()
			return err
		}},
		{412, "conditionNotMet", func() error {
			call := ada.Calendars.Patch("primary", &calendar.Calendar{Location: "x"})
			call.Header().Set("If-Match", `"0"`)
			_, err := call.Do()
			return err
		}},
	} {
		var e *googleapi.Error
		if err := row.call(); !errors.As(err, &e) || e.Code != row.code || len(e.Errors) != 1 ||
			e.Errors[0].Reason != row.reason {
			t.Errorf("got %v, want %d %s", err, row.code, row.reason)
		}
	}
}

func rest(t *testing.T, ada *calendar.Service) {
	if l := must(ada.Settings.List().Do())(t); len(l.Items) != 12 {
		t.Errorf("%d settings", len(l.Items))
	}
	if s := must(ada.Settings.Get("autoAddHangouts").Do())(t); s.Value != "true" {
		t.Errorf("setting %+v", s)
	}
	if c := must(ada.Colors.Get().Do())(t); c.Event["11"].Background != "#dc2127" {
		t.Errorf("colors %+v", c.Event)
	}
	busy := must(ada.Freebusy.Query(&calendar.FreeBusyRequest{
		TimeMin: "2030-03-10T00:00:00Z", TimeMax: "2030-03-11T00:00:00Z",
		Items: []*calendar.FreeBusyRequestItem{{Id: "primary"}},
	}).Do())(t)
	if len(busy.Calendars["primary"].Busy) != 1 {
		t.Errorf("busy %+v", busy.Calendars)
	}
}

func channels(t *testing.T, ada *calendar.Service, r *receiver) {
	for name, watch := range map[string]func(*calendar.Channel) (*calendar.Channel, error){
		"events":       func(c *calendar.Channel) (*calendar.Channel, error) { return ada.Events.Watch("primary", c).Do() },
		"acl":          func(c *calendar.Channel) (*calendar.Channel, error) { return ada.Acl.Watch("primary", c).Do() },
		"calendarList": func(c *calendar.Channel) (*calendar.Channel, error) { return ada.CalendarList.Watch(c).Do() },
		"settings":     func(c *calendar.Channel) (*calendar.Channel, error) { return ada.Settings.Watch(c).Do() },
	} {
		end := time.Now().Add(time.Hour).UnixMilli()
		made := must(watch(&calendar.Channel{
			Id: "go-" + name, Type: "web_hook", Address: r.url, Token: "t", Expiration: end,
		}))(t)
		if made.Kind != "api#channel" || made.Expiration != end || made.Token != "t" {
			t.Errorf("%s: %+v", name, made)
		}
		h := r.next(t)
		if h.Get("X-Goog-Channel-ID") != made.Id || h.Get("X-Goog-Resource-State") != "sync" ||
			h.Get("X-Goog-Message-Number") != "1" || h.Get("X-Goog-Resource-ID") != made.ResourceId {
			t.Errorf("%s: message %v", name, h)
		}
		if name == "events" {
			must(ada.Events.QuickAdd("primary", "Something").Do())(t)
			if h := r.next(t); h.Get("X-Goog-Resource-State") != "exists" || h.Get("X-Goog-Channel-Token") != "t" ||
				h.Get("X-Goog-Resource-URI") != made.ResourceUri {
				t.Errorf("message %v", h)
			}
		}
		if err := ada.Channels.Stop(&calendar.Channel{Id: made.Id, ResourceId: made.ResourceId}).Do(); err != nil {
			t.Error(err)
		}
	}
}

// TestOfficialNPMClient runs npm/calendar.mjs.
func TestOfficialNPMClient(t *testing.T) {
	r := newReceiver(t)
	serve(t, r.authority).Node(t, "npm", "calendar.mjs", "RECEIVER="+r.url)
	if h := r.next(t); h.Get("X-Goog-Resource-State") != "sync" {
		t.Errorf("message %v", h)
	}
}

// TestPython drives the server with clients that are made from a description.
func TestPython(t *testing.T) { world.PythonClients(t, world.Options{}) }
