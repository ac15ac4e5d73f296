package calendar_test

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/service/calendar"
)

func TestMove(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		other := ada.do(t, 200, "POST", "/calendars", object{"summary": "Other"})["id"].(string)
		series := ada.insert(t, event("s", "2026-03-10", 9, "recurrence", []string{
			"RRULE:FREQ=DAILY;COUNT=3",
		}))["id"].(string)
		ada.do(t, 200, "PATCH", "/calendars/primary/events/"+series+"_20260311T090000Z", object{"summary": "differs"})
		ada.do(t, 200, "POST", "/calendars/"+other+"/events/watch", object{
			"id": "moves", "type": "web_hook", "address": "https://receiver.invalid/x",
		})
		_, sync := ada.events(t)
		moved := ada.do(t, 200, "POST", "/calendars/primary/events/"+series+"/move?destination="+other, nil)
		expect(t, "organizer", moved["organizer"].(object)["email"], other)
		items, _ := ada.list(t, "/calendars/"+other+"/events", params("singleEvents", "true"))
		expect(t, "at its new place", texts(items, "summary"), "s differs s")
		expect(t, "messages of one move", messages(t, ada, "moves"), "pending pending")
		single, _ := ada.events(t, "singleEvents", "true")
		expect(t, "at its old place", len(single), 0)
		gone, _ := ada.events(t, "syncToken", sync)
		expect(t, "what the old calendar tells", texts(gone, "id")+" "+texts(gone, "status"), series+" cancelled")
		ada.refused(t, 410, "deleted", "POST", "/calendars/primary/events/"+series+"/move?destination="+other, nil)
		ada.refused(t, 400, "invalid", "POST",
			"/calendars/"+other+"/events/"+series+"_20260311T090000Z/move?destination=primary", nil)
		ada.do(t, 200, "POST", "/calendars/"+other+"/events/"+series+"/move?destination=primary", nil)
		single, _ = ada.events(t, "singleEvents", "true")
		expect(t, "back again", texts(single, "summary"), "s differs s")
	})
}

// TestMoveOfATakenUID: a calendar has one living event with an iCalUID, however it came there.
func TestMoveOfATakenUID(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		there := "/calendars/" + newCalendar(t, ada)
		twin := func(path, operation string) string {
			e := event("twin", "2026-03-10", 9, "iCalUID", "u@example.com")
			return ada.do(t, 200, "POST", path+"/events"+operation, e)["id"].(string)
		}
		kept, moved := twin(there, "/import"), twin("/calendars/primary", "")
		move := "/calendars/primary/events/" + moved + "/move?destination=" + strings.TrimPrefix(there, "/calendars/")
		ada.refused(t, 409, "duplicate", "POST", move, nil)
		here, _ := ada.events(t)
		items, _ := ada.list(t, there+"/events", params())
		expect(t, "where they were", texts(here, "id")+" "+texts(items, "id"), moved+" "+kept)
		ada.do(t, 204, "DELETE", there+"/events/"+kept, nil)
		ada.do(t, 200, "POST", move, nil)
		items, _ = ada.list(t, there+"/events", params())
		expect(t, "after the other was deleted", texts(items, "id"), moved)
	})
}

// TestReturnOfATakenUID: an event that was deleted does not come back beside another with its iCalUID, and an id is not
// taken whose own iCalUID an event has.
func TestReturnOfATakenUID(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		e := event("first", "2026-03-10", 9, "iCalUID", "u@example.com")
		first := primary + ada.insert(t, e)["id"].(string)
		ada.do(t, 204, "DELETE", first, nil)
		second := primary + ada.insert(t, e)["id"].(string)
		ada.refused(t, 409, "duplicate", "PATCH", first, object{"status": "confirmed"})
		ada.do(t, 200, "PATCH", first, object{"location": "x", "status": "cancelled"})
		ada.do(t, 204, "DELETE", second, nil)
		ada.do(t, 200, "PATCH", first, object{"status": "confirmed"})

		_, host, _ := strings.Cut(ada.insert(t, event("x", "2026-03-10", 9))["iCalUID"].(string), "@")
		ada.insert(t, event("early", "2026-03-10", 9, "iCalUID", "chosen1@"+host))
		late := event("late", "2026-03-10", 9, "id", "chosen1")
		ada.refused(t, 409, "duplicate", "POST", strings.TrimSuffix(primary, "/"), late)
	})
}

func TestImport(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		e := event("first", "2026-03-10", 9, "iCalUID", "abc@example.com", "organizer",
			object{"email": "boss@example.com"}, "sequence", 4)
		first := ada.do(t, 200, "POST", "/calendars/primary/events/import", e)
		expect(t, "what an import keeps", []any{first["iCalUID"], first["organizer"], first["sequence"]},
			[]any{"abc@example.com", object{"email": "boss@example.com"}, 4})
		e["summary"] = "second"
		second := ada.do(t, 200, "POST", "/calendars/primary/events/import", e)
		expect(t, "id of a repeated import", second["id"], first["id"])
		items, _ := ada.events(t)
		expect(t, "events", texts(items, "summary"), "second")
		ada.refused(t, 400, "required", "POST", "/calendars/primary/events/import", event("x", "2026-03-10", 9))
	})
}

func TestQuickAdd(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		// It is Wednesday, 4 March 2026, 05:06 in UTC.
		for text, want := range map[string]string{
			"Lunch with Grace tomorrow 12pm-1pm": "Lunch with Grace 2026-03-05T12:00:00Z 2026-03-05T13:00:00Z",
			"Talk on 2026-04-01 at 15:30":        "Talk 2026-04-01T15:30:00Z 2026-04-01T16:30:00Z",
			"Stand-up friday 9am for 15 minutes": "Stand-up 2026-03-06T09:00:00Z 2026-03-06T09:15:00Z",
			"Party saturday 10pm-2am":            "Party 2026-03-07T22:00:00Z 2026-03-08T02:00:00Z",
			"Holiday on 2026-05-01":              "Holiday 2026-05-01 2026-05-02",
			"Brunch tomorrow 11-1pm":             "Brunch 2026-03-05T11:00:00Z 2026-03-05T13:00:00Z",
			"Nap tomorrow 12-1pm":                "Nap 2026-03-05T12:00:00Z 2026-03-05T13:00:00Z",
			"Think":                              "Think 2026-03-04T06:00:00Z 2026-03-04T07:00:00Z",
			"Read 3 books today":                 "Read 3 books 2026-03-04 2026-03-05",
		} {
			e := ada.do(t, 200, "POST", "/calendars/primary/events/quickAdd?"+params("text", text).Encode(), nil)
			side := func(name string) string {
				o := e[name].(object)
				return strings.TrimSpace(fmt.Sprint(o["dateTime"], o["date"]))
			}
			got := strings.ReplaceAll(fmt.Sprint(e["summary"], " ", side("start"), " ", side("end")), "<nil>", "")
			expect(t, text, strings.Join(strings.Fields(got), " "), want)
		}
		ada.refused(t, 400, "required", "POST", "/calendars/primary/events/quickAdd", nil)
		// At 02:00 the clocks of New York go forward by an hour: there is no half past two, which becomes half past one.
		ada.do(t, 200, "PATCH", "/calendars/primary", object{"timeZone": "America/New_York"})
		out := ada.do(t, 400, "POST", "/calendars/primary/events/quickAdd?"+
			params("text", "Nap on 2026-03-08 1:45am-2:30am").Encode(), nil)
		if got := fmt.Sprint(out); !strings.Contains(got, "location:text") || !strings.Contains(got, "before its start") {
			t.Errorf("got %s, want the parameter text refused", got)
		}
	})
}

func TestFreeBusy(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		ada.insert(t, event("a", "2026-03-10", 9, "recurrence", []string{"RRULE:FREQ=DAILY;COUNT=2"}))
		ada.insert(t, event("joins", "2026-03-10", 10))
		ada.insert(t, event("free", "2026-03-10", 15, "transparency", "transparent"))
		grace := of(ada.h, "grace")
		question := object{
			"timeMin": "2026-03-10T09:30:00Z", "timeMax": "2026-03-12T00:00:00Z",
			"items": []object{{"id": ada.address}, {"id": "unknown@example.com"}},
		}
		out := ada.do(t, 200, "POST", "/freeBusy", question)
		calendars := out["calendars"].(object)
		expect(t, "busy", calendars[ada.address].(object)["busy"],
			"[map[end:2026-03-10T11:00:00Z start:2026-03-10T09:30:00Z] map[end:2026-03-11T10:00:00Z "+
				"start:2026-03-11T09:00:00Z]]")
		expect(t, "unknown", calendars["unknown@example.com"].(object)["errors"], "[map[domain:global reason:notFound]]")
		out = grace.do(t, 200, "POST", "/freeBusy", question)
		expect(t, "what another user sees", out["calendars"].(object)[ada.address].(object)["errors"],
			"[map[domain:global reason:notFound]]")
		ada.insert(t, event("often", "2026-03-12", 9, "end", at("2026-03-12T09:30:00Z"), "recurrence",
			[]string{"RRULE:FREQ=HOURLY;COUNT=6000"}))
		question["timeMin"], question["timeMax"] = "2026-03-12T00:00:00Z", "2027-03-12T00:00:00Z"
		busy := ada.do(t, 200, "POST", "/freeBusy",
			question)["calendars"].(object)[ada.address].(object)["busy"].([]any)
		expect(t, "periods of a series with many", len(busy), 6000)
		question["timeMax"] = question["timeMin"]
		ada.refused(t, 400, "timeRangeEmpty", "POST", "/freeBusy", question)
	})
}

func TestSettingsAndColors(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		items, sync := ada.list(t, "/users/me/settings", params("maxResults", "5"))
		expect(t, "settings", len(items), 12)
		locale := ada.do(t, 200, "GET", "/users/me/settings/locale", nil)
		expect(t, "locale", []any{locale["id"], locale["value"]}, []any{"locale", "en"})
		ada.refused(t, 404, "notFound", "GET", "/users/me/settings/nothing", nil)
		again, _ := ada.list(t, "/users/me/settings", params("syncToken", sync))
		expect(t, "nothing changed", len(again), 0)
		colors := ada.do(t, 200, "GET", "/colors", nil)
		expect(t, "colors", []any{len(colors["calendar"].(object)), len(colors["event"].(object))}, []any{24, 11})
	})
}

// TestConcurrentChanges: of two changes with the same tag one wins, and every
// acknowledged change is in the next sync.
func TestConcurrentChanges(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		made := ada.insert(t, event("x", "2026-03-10", 9))
		path, tag := "/calendars/primary/events/"+made["id"].(string), made["etag"].(string)
		_, token := ada.events(t)
		var wg sync.WaitGroup
		won := make(chan string, 16)
		for i := range 8 {
			wg.Go(func() {
				if ada.call("PATCH", path, object{"summary": fmt.Sprint("winner", i)}, "If-Match: "+tag).Code == 200 {
					won <- fmt.Sprint("winner", i)
				}
				ada.call("POST", "/calendars/primary/events", event(fmt.Sprint("n", i), "2026-03-10", 9))
			})
		}
		wg.Wait()
		close(won)
		expect(t, "winners", len(won), 1)
		items, _ := ada.events(t, "syncToken", token)
		expect(t, "changes", len(items), 9)
		expect(t, "summary", ada.do(t, 200, "GET", path, nil)["summary"], <-won)
	})
}

// TestChannelsFollowAccess: a user who loses access is sent nothing more, and what
// a receiver is told is sealed at rest.
func TestChannelsFollowAccess(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		grace := of(ada.h, "grace")
		rule := object{"role": "reader", "scope": object{"type": "user", "value": grace.address}}
		ada.do(t, 200, "POST", "/calendars/primary/acl", rule)
		channel := object{"id": "c1", "type": "web_hook", "address": "https://receiver.invalid/x", "token": "hush"}
		grace.do(t, 200, "POST", "/calendars/"+ada.address+"/events/watch", channel)
		ada.insert(t, event("x", "2026-03-10", 9))
		expect(t, "messages while reading", messages(t, ada, "c1"), "pending pending")
		rule["role"] = "none"
		ada.do(t, 200, "POST", "/calendars/primary/acl", rule)
		ada.insert(t, event("y", "2026-03-10", 9))
		expect(t, "messages after", messages(t, ada, "c1"), "canceled canceled")
	})
}

// TestChannelsFollowConsent: a client whose user has taken the consent back is told nothing more; one whose token only
// ran out is.
func TestChannelsFollowConsent(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		app, _, err := ada.h.Identity.AddClient(t.Context(), identity.NewClient{Name: "tv", Type: identity.ClientDevice})
		if err != nil {
			t.Fatal(err)
		}
		issue := func(kind identity.Kind, family string, life time.Duration) *client {
			return &client{h: ada.h, address: ada.address, token: ada.h.Issue(identity.IssueOptions{
				Kind: kind, Services: []string{"calendar"}, Scopes: []string{"calendar"}, UserID: ada.h.User("ada").ID,
				ClientID: app.ID, Family: family, TTL: life,
			})}
		}
		channel := func(id string) object {
			return object{"id": id, "type": "web_hook", "address": "https://receiver.invalid/x"}
		}
		issue(identity.KindAccess, "", time.Hour).do(t, 200, "POST", "/calendars/primary/events/watch", channel("c1"))
		ada.h.Clock.Advance(2 * time.Hour)
		ada.insert(t, event("x", "2026-03-10", 9))
		expect(t, "messages of one that ran out", messages(t, ada, "c1"), "pending pending")
		issue(identity.KindAccess, "f", time.Hour).do(t, 200, "POST", "/calendars/primary/events/watch", channel("c2"))
		issue(identity.KindRefresh, "f", 24*time.Hour)
		ada.h.Clock.Advance(2 * time.Hour)
		ada.insert(t, event("y", "2026-03-10", 9))
		expect(t, "messages while there is consent", messages(t, ada, "c2"), "pending pending")
		if err := ada.h.World.DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			return ada.h.Identity.RevokeFamilyIn(ctx, tx, "f")
		}); err != nil {
			t.Fatal(err)
		}
		ada.insert(t, event("z", "2026-03-10", 9))
		expect(t, "messages after", messages(t, ada, "c2"), "canceled canceled")
	})
}

// TestChannelsOfRevokedTokens: a channel ends with the token made by hand that watches, and with no other.
func TestChannelsOfRevokedTokens(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		leaked := &client{h: ada.h, address: ada.address, token: ada.h.Token("ada")}
		for id, by := range map[string]*client{"c1": leaked, "c2": ada} {
			by.do(t, 200, "POST", "/calendars/primary/events/watch",
				object{"id": id, "type": "web_hook", "address": "https://receiver.invalid/x"})
		}
		ada.insert(t, event("x", "2026-03-10", 9))
		if err := ada.h.Identity.RevokeSecret(t.Context(), "calendar", leaked.token); err != nil {
			t.Fatal(err)
		}
		expect(t, "messages before the next change", messages(t, ada, "c1"), "pending pending")
		ada.insert(t, event("y", "2026-03-10", 9))
		expect(t, "messages of a revoked token", messages(t, ada, "c1"), "canceled canceled")
		expect(t, "messages of another", messages(t, ada, "c2"), "pending pending pending")
	})
}

// TestChannelsOfDisabledUsers: a channel is told nothing while its user is disabled, and of what changed afterwards.
func TestChannelsOfDisabledUsers(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		grace := of(ada.h, "grace")
		ada.do(t, 200, "POST", "/calendars/primary/acl",
			object{"role": "writer", "scope": object{"type": "user", "value": grace.address}})
		ada.do(t, 200, "POST", "/calendars/primary/events/watch",
			object{"id": "c1", "type": "web_hook", "address": "https://receiver.invalid/x"})
		change := func(id string, disabled bool, want string) {
			t.Helper()
			if err := ada.h.Identity.DisableUser(t.Context(), ada.h.User("ada").ID, disabled); err != nil {
				t.Fatal(err)
			}
			grace.do(t, 200, "POST", "/calendars/"+ada.address+"/events", event(id, "2026-03-10", 9))
			expect(t, "messages of "+id, messages(t, ada, "c1"), want)
		}
		change("x", false, "pending pending")
		change("y", true, "pending pending")
		change("z", false, "pending pending pending")
	})
}

func messages(t *testing.T, c *client, channel string) string {
	t.Helper()
	list, err := c.h.World.Deliver.List(t.Context(), deliver.Filter{Channel: "calendar/" + channel})
	if err != nil {
		t.Fatal(err)
	}
	var states []string
	for _, d := range list {
		states = append(states, string(d.State))
	}
	return strings.Join(states, " ")
}

// TestReminderOnlyChange does not count as an update, but has a new tag.
func TestReminderOnlyChange(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		made := ada.insert(t, event("x", "2026-03-10", 9))
		ada.h.Clock.Advance(time.Minute)
		changed := ada.do(t, 200, "PATCH", "/calendars/primary/events/"+made["id"].(string),
			object{"reminders": object{"useDefault": false, "overrides": []object{{"method": "popup", "minutes": 5}}}})
		expect(t, "updated", changed["updated"], made["updated"])
		if changed["etag"] == made["etag"] {
			t.Error("the tag did not change")
		}
	})
}

// TestWatchLooksAgain: access that is lost while the receiver is asked for its
// certificate gives no channel.
func TestWatchLooksAgain(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		client, err := deliver.NewClient(deliver.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
			nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		w := ada.h.World
		w.Deliver = deliver.New(deliver.Options{
			DB: w.DB, Jobs: w.Jobs, Clock: w.Clock, IDs: w.IDs, Seal: w.Seal, Client: client,
		})
		grace := of(ada.h, "grace")
		rule := object{"role": "reader", "scope": object{"type": "user", "value": grace.address}}
		ada.do(t, 200, "POST", "/calendars/primary/acl", rule)
		receiver, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer receiver.Close()
		go func() {
			conn, err := receiver.Accept()
			if err != nil {
				return
			}
			rule["role"] = "none"
			ada.call("POST", "/calendars/primary/acl", rule)
			_ = conn.Close()
		}()
		channel := object{"id": "late", "type": "web_hook", "address": "https://" + receiver.Addr().String()}
		grace.refused(t, 404, "notFound", "POST", "/calendars/"+ada.address+"/events/watch", channel)
		ada.insert(t, event("x", "2026-03-10", 9))
		expect(t, "messages", messages(t, ada, "late"), "")
	})
}

// TestChannelsForEver: where channels need not end, one that asks for an end
// beyond all time lives on.
func TestChannelsForEver(t *testing.T) {
	t.Parallel()
	c := calendar.DefaultConfig()
	c.ChannelLifetime = 0
	identitytest.Run(t, configured(c), func(t *testing.T, h *identitytest.Server) {
		ada := of(h, "ada")
		channel := object{
			"id": "c", "type": "web_hook", "address": "https://receiver.invalid/x", "expiration": "9223372036854775807",
		}
		ada.do(t, 200, "POST", "/calendars/primary/events/watch", channel)
		ada.insert(t, event("x", "2026-03-10", 9))
		expect(t, "messages", messages(t, ada, "c"), "pending pending")
	})
}

// TestListChannels: a user finds what is watched, by pages, and nothing of others; an application finds its own.
func TestListChannels(t *testing.T) {
	c := calendar.DefaultConfig()
	t.Parallel()
	identitytest.Run(t, configured(c), func(t *testing.T, h *identitytest.Server) {
		ada, grace := of(h, "ada"), of(h, "grace")
		watch := func(by *client, id, path string) object {
			return by.do(t, 200, "POST", path+"/watch", object{
				"id": id, "type": "web_hook", "address": "https://receiver.invalid/" + id, "token": "secret of " + id,
			})
		}
		made := watch(ada, "a", "/calendars/primary/events")
		watch(ada, "b", "/users/me/settings")
		watch(grace, "c", "/users/me/settings")
		ids := func(by *client, query string) (all []string, page object) {
			page = by.do(t, 200, "GET", "/users/me/channels"+query, nil)
			for _, one := range page["items"].([]any) {
				all = append(all, one.(object)["id"].(string))
			}
			return all, page
		}
		all, page := ids(ada, "")
		first := page["items"].([]any)[0].(object)
		if !slices.Equal(all, []string{"a", "b"}) || first["resourceId"] != made["resourceId"] || first["token"] != nil ||
			first["address"] != "https://receiver.invalid/a" || first["expiration"] != made["expiration"] {
			t.Errorf("channels %v: %v", all, first)
		}
		one, page := ids(ada, "?maxResults=1")
		two, last := ids(ada, "?maxResults=1&pageToken="+fmt.Sprint(page["nextPageToken"]))
		if !slices.Equal(append(one, two...), []string{"a", "b"}) || last["nextPageToken"] != nil {
			t.Errorf("by pages: %v, %v, %v", one, two, last)
		}
		ada.do(t, 204, "POST", "/channels/stop", object{"id": "a", "resourceId": made["resourceId"]})
		h.Clock.Advance(c.ChannelLifetime - time.Second)
		if all, _ := ids(ada, ""); !slices.Equal(all, []string{"b"}) {
			t.Errorf("after one was stopped: %v", all)
		}
		h.Clock.Advance(time.Second)
		if all, _ := ids(of(h, "ada"), ""); all != nil {
			t.Errorf("after the other expired: %v", all)
		}
		of(h, "ada").refused(t, 400, "invalid", "GET", "/users/me/channels?maxResults=0", nil)
	})
}
