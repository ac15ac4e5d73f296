package calendar_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/calendar"
)

// TestRoles is the authorization matrix: what each role may do with another
// user's calendar. Where a role may not, what it may see decides between 404
// and 403.
func TestRoles(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		grace := of(ada.h, "grace")
		grace.do(t, 200, "GET", "/calendars/primary", nil)
		const none, no, ok = 404, 403, 200
		roles := []string{"none", "freeBusyReader", "reader", "writerWithoutPrivateAccess", "writer", "owner"}
		operations := []struct {
			name, method, path string
			body               object
			want               [6]int
		}{
			{"calendars.get", "GET", "", nil, [6]int{none, ok, ok, ok, ok, ok}},
			{"calendars.patch", "PATCH", "", object{"location": "x"}, [6]int{none, no, no, no, no, ok}},
			{"events.list", "GET", "/events", nil, [6]int{none, ok, ok, ok, ok, ok}},
			{"events.get", "GET", "/events/EVENT", nil, [6]int{none, ok, ok, ok, ok, ok}},
			{"events.instances", "GET", "/events/EVENT/instances", nil, [6]int{none, ok, ok, ok, ok, ok}},
			{"events.insert", "POST", "/events", event("x", "2026-03-10", 9), [6]int{none, no, no, ok, ok, ok}},
			{
				"events.import", "POST", "/events/import", event("x", "2026-03-10", 9, "iCalUID", "u@x"),
				[6]int{none, no, no, ok, ok, ok},
			},
			{"events.quickAdd", "POST", "/events/quickAdd?text=x", nil, [6]int{none, no, no, ok, ok, ok}},
			{"events.patch", "PATCH", "/events/EVENT", object{"location": "x"}, [6]int{none, no, no, ok, ok, ok}},
			{
				"events.patch of a private one", "PATCH", "/events/PRIVATE", object{"location": "x"},
				[6]int{none, no, no, no, ok, ok},
			},
			{"acl.list", "GET", "/acl", nil, [6]int{none, no, no, no, ok, ok}},
			{"acl.get", "GET", "/acl/user:grace@localhost", nil, [6]int{none, no, no, no, ok, ok}},
			{
				"acl.insert", "POST", "/acl",
				object{"role": "reader", "scope": object{"type": "user", "value": "new@example.com"}},
				[6]int{none, no, no, no, no, ok},
			},
			{
				"acl.patch", "PATCH", "/acl/user:new@example.com", object{"role": "reader"},
				[6]int{none, no, no, no, no, ok},
			},
			{"calendars.clear", "POST", "/clear", nil, [6]int{none, no, no, no, no, 204}},
		}
		for i, role := range roles {
			open := ada.insert(t, event("open", "2026-03-10", 9))["id"].(string)
			secret := ada.insert(t, event("secret", "2026-03-10", 9, "visibility", "private"))["id"].(string)
			ada.do(t, 200, "POST", "/calendars/primary/acl", object{
				"role": role, "scope": object{"type": "user", "value": grace.address},
			})
			for _, op := range operations {
				path := "/calendars/" + ada.address + op.path
				for word, id := range map[string]string{"EVENT": open, "PRIVATE": secret} {
					path = replaced(path, word, id)
				}
				w := grace.call(op.method, path, op.body)
				if w.Code != op.want[i] {
					t.Errorf("%s as %s: status %d, want %d: %s", op.name, role, w.Code, op.want[i], w.Body)
				}
			}
		}
	})
}

func replaced(path, word, id string) string {
	for i := 0; i+len(word) <= len(path); i++ {
		if path[i:i+len(word)] == word {
			return path[:i] + id + path[i+len(word):]
		}
	}
	return path
}

func TestWhatRolesSee(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		grace := of(ada.h, "grace")
		ada.insert(t, event("open", "2026-03-10", 9, "description", "d"))
		ada.insert(t, event("secret", "2026-03-10", 10, "visibility", "private"))
		for role, want := range map[string]string{
			"freeBusyReader": "<nil> <nil>", "reader": "open <nil>", "writerWithoutPrivateAccess": "open <nil>",
			"writer": "open secret", "owner": "open secret",
		} {
			ada.do(t, 200, "POST", "/calendars/primary/acl", object{
				"role": role, "scope": object{"type": "user", "value": grace.address},
			})
			items, _ := grace.list(t, "/calendars/"+ada.address+"/events", params())
			expect(t, role, texts(items, "summary"), want)
			for _, e := range items {
				if e["start"] == nil || e["end"] == nil {
					t.Errorf("%s: an event without its times: %v", role, e)
				}
			}
		}
	})
}

func TestScopesOfRules(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		grace := of(ada.h, "grace")
		path := "/calendars/" + ada.address
		team, err := ada.h.Identity.AddTeam(t.Context(), identity.NewTeam{
			Name: "lyceum", OwnerID: ada.h.User("ada").ID,
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, scope := range []object{
			{"type": "default"}, {"type": "domain", "value": "localhost"},
			{"type": "group", "value": "lyceum@groups.localhost"},
		} {
			grace.do(t, 404, "GET", path, nil)
			rule := ada.do(t, 200, "POST", "/calendars/primary/acl", object{"role": "freeBusyReader", "scope": scope})
			if scope["type"] == "group" {
				grace.do(t, 404, "GET", path, nil)
				if err := ada.h.Identity.SetTeamMember(
					t.Context(), team.ID, ada.h.User("grace").ID, identity.TeamMember,
				); err != nil {
					t.Fatal(err)
				}
			}
			grace.do(t, 200, "GET", path, nil)
			grace.do(t, 200, "POST", "/users/me/calendarList", object{"id": ada.address})
			_, sync := grace.list(t, "/users/me/calendarList", params())
			ada.do(t, 204, "DELETE", "/calendars/primary/acl/"+rule["id"].(string), nil)
			lost, _ := grace.list(t, "/users/me/calendarList", params("syncToken", sync))
			expect(t, "what the list loses with the rule", texts(lost, "id")+" "+texts(lost, "deleted"),
				ada.address+" true")
		}
		grace.do(t, 404, "GET", path, nil)
	})
}

func TestNarrowScopes(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		ada.insert(t, event("mine", "2026-03-10", 9))
		grace := of(ada.h, "grace")
		ada.do(t, 200, "POST", "/calendars/primary/acl", object{
			"role": "writer", "scope": object{"type": "user", "value": grace.address},
		})
		path := "/calendars/" + ada.address + "/events"
		of(ada.h, "grace", "calendar.events.owned").do(t, 404, "GET", path, nil)
		of(ada.h, "grace", "calendar.events.public.readonly").do(t, 404, "GET", path, nil)
		of(ada.h, "grace", "calendar.app.created").do(t, 404, "GET", path, nil)
		of(ada.h, "ada", "calendar.events.owned").do(t, 200, "GET", path, nil)
		busy, _ := of(ada.h, "grace", "calendar.events.freebusy").list(t, path, params())
		expect(t, "with the scope for free and busy", texts(busy, "summary"), "<nil>")
		of(ada.h, "ada", "calendar.events.readonly").do(t, 403, "POST", path, event("x", "2026-03-10", 9))
	})
}

func TestACL(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		path := "/calendars/primary/acl"
		items, sync := ada.list(t, path, params())
		expect(t, "rules of a new calendar", texts(items, "id")+" "+texts(items, "role"), "user:ada@localhost owner")
		made := ada.do(t, 200, "POST", path, object{
			"role": "reader", "scope": object{"type": "user", "value": "Grace@Example.com"},
		})
		expect(t, "rule", []any{made["id"], made["kind"]}, []any{"user:grace@example.com", "calendar#aclRule"})
		ada.do(t, 200, "PUT", path+"/user:grace@example.com", object{"role": "writer"},
			"If-Match: "+made["etag"].(string))
		ada.refused(t, 412, "conditionNotMet", "DELETE", path+"/user:grace@example.com", nil,
			"If-Match: "+made["etag"].(string))
		made["role"] = "writer"
		ada.do(t, 200, "PUT", path+"/user:grace@example.com", made)
		for _, other := range []object{
			{"role": "reader", "scope": object{"type": "group"}}, {"role": "reader", "id": "user:x@example.com"},
			{"role": "reader", "scope": object{"type": "user", "value": "x@example.com"}},
		} {
			ada.refused(t, 400, "invalid", "PATCH", path+"/user:grace@example.com", other)
		}
		ada.do(t, 204, "DELETE", path+"/user:grace@example.com", nil)
		ada.refused(t, 404, "notFound", "DELETE", path+"/user:grace@example.com", nil)
		items, _ = ada.list(t, path, params("syncToken", sync))
		expect(t, "what changed", texts(items, "role"), "none")
		for _, bad := range []object{
			{"role": "reader"},
			{"scope": object{"type": "user", "value": "x@y"}},
			{"role": "king", "scope": object{"type": "default"}},
			{"role": "reader", "scope": object{"type": "user", "value": "unknown"}},
			{"role": "reader", "scope": object{"type": "planet", "value": "x"}},
			{"role": "reader", "scope": object{"type": "domain", "value": "x.example"}, "id": "domain:y.example"},
		} {
			if w := ada.call("POST", path, bad); w.Code != 400 {
				t.Errorf("%v: status %d, want 400", bad, w.Code)
			}
		}
		ada.refused(t, 403, "cannotChangeOwnAcl", "DELETE", path+"/user:ada@localhost", nil)
	})
}

func TestCalendarList(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		path := "/users/me/calendarList"
		items, sync := ada.list(t, path, params())
		expect(t, "a new list", texts(items, "id")+" "+texts(items, "primary")+" "+texts(items, "accessRole"),
			"ada@localhost true owner")
		made := ada.do(t, 200, "POST", "/calendars", object{"summary": "Second", "timeZone": "Europe/Athens"})
		id := made["id"].(string)
		items, sync = ada.list(t, path, params("syncToken", sync))
		expect(t, "what changed", texts(items, "summary")+" "+texts(items, "timeZone"), "Second Europe/Athens")
		changed := ada.do(t, 200, "PATCH", path+"/"+id, object{
			"summaryOverride": "Mine", "colorId": "3", "hidden": true,
		})
		expect(t, "color", changed["backgroundColor"], "#f83a22")
		ada.refused(t, 400, "invalid", "PATCH", path+"/"+id, object{"colorId": "25"})
		for _, method := range []string{"PATCH", "PUT"} {
			for _, none := range []any{[]string{}, "text"} {
				out := ada.do(t, 400, method, path+"/"+id, none)
				if got := fmt.Sprint(out); !strings.Contains(got, "must be a JSON object") {
					t.Errorf("%s of %v: %s, want it to ask for an object", method, none, got)
				}
			}
		}
		rgb := ada.do(t, 200, "PATCH", path+"/"+id+"?colorRgbFormat=true", object{
			"backgroundColor": "#123456", "foregroundColor": "#ffffff",
		})
		expect(t, "color of one's own", rgb["backgroundColor"], "#123456")
		kept := ada.do(t, 200, "PATCH", path+"/"+strings.ToUpper(id), object{"summaryOverride": "Still mine"})
		expect(t, "color after another change", kept["backgroundColor"], "#123456")
		items, _ = ada.list(t, path, params())
		expect(t, "hidden entries", len(items), 1)
		items, _ = ada.list(t, path, params("showHidden", "true"))
		expect(t, "hidden entries when asked for", len(items), 2)

		grace := of(ada.h, "grace")
		grace.refused(t, 404, "notFound", "POST", path, object{"id": id})
		ada.do(t, 200, "POST", "/calendars/"+id+"/acl", object{
			"role": "reader", "scope": object{"type": "user", "value": grace.address},
		})
		grace.do(t, 200, "POST", path, object{"id": id})
		expect(t, "role", grace.do(t, 200, "GET", path+"/"+id, nil)["accessRole"], "reader")
		_, hers := grace.list(t, path, params())
		ada.do(t, 204, "DELETE", "/calendars/"+id, nil)
		items, _ = grace.list(t, path, params("syncToken", hers))
		expect(t, "after the calendar is gone", texts(items, "deleted"), "true")
		items, _ = ada.list(t, path, params("syncToken", sync))
		expect(t, "for its owner too", texts(items, "deleted"), "true")
		ada.refused(t, 403, "forbidden", "DELETE", path+"/primary", nil)
		ada.refused(t, 403, "cannotDeletePrimaryCalendar", "DELETE", "/calendars/primary", nil)
	})
}

func TestCalendarsOfOneUser(t *testing.T) {
	t.Parallel()
	c := calendar.DefaultConfig()
	c.CalendarsPerUser = 3
	identitytest.Run(t, configured(c), func(t *testing.T, h *identitytest.Server) {
		ada, grace := of(h, "ada"), of(h, "grace")
		id := ada.do(t, 200, "POST", "/calendars", object{"summary": "Given away"})["id"].(string)
		ada.refused(t, 400, "required", "POST", "/calendars", object{})
		ada.refused(t, 400, "invalid", "POST", "/calendars", object{"summary": "x", "timeZone": "Mars/Olympus"})
		ada.refused(t, 403, "onlyPrimaryCalendarCanBeCleared", "POST", "/calendars/"+id+"/clear", nil)
		grace.do(t, 200, "GET", "/calendars/primary", nil)
		ada.do(t, 204, "POST", "/calendars/"+id+"/transferOwnership?newDataOwner="+grace.address, nil)
		expect(t, "owner", ada.do(t, 200, "GET", "/calendars/"+id, nil)["dataOwner"], grace.address)
		ada.refused(t, 403, "forbidden", "POST", "/calendars/"+id+"/transferOwnership?newDataOwner="+ada.address, nil)

		// grace owns two, her primary and the one given away, and may have one more.
		grace.do(t, 200, "POST", "/calendars", object{"summary": "Her own"})
		grace.refused(t, 403, "quotaExceeded", "POST", "/calendars", object{"summary": "One too many"})
		second := ada.do(t, 200, "POST", "/calendars", object{"summary": "Not to be given away"})["id"].(string)
		ada.refused(t, 403, "quotaExceeded", "POST",
			"/calendars/"+second+"/transferOwnership?newDataOwner="+grace.address, nil)
	})
}

// TestHiddenTextsAreNotFound: words and properties of an event that are not
// shown to a user do not find it for them either.
func TestHiddenTextsAreNotFound(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		grace := of(ada.h, "grace")
		properties := object{"private": object{"k": "v"}, "shared": object{"k": "v"}}
		ada.insert(t, event("merger", "2026-03-10", 9, "extendedProperties", properties))
		ada.insert(t, event("merger", "2026-03-11", 9, "extendedProperties", properties, "visibility", "private"))
		path := "/calendars/" + ada.address + "/events"
		for role, want := range map[string]int{
			"freeBusyReader": 0, "reader": 1, "writerWithoutPrivateAccess": 1, "writer": 2,
		} {
			ada.do(t, 200, "POST", "/calendars/primary/acl", object{
				"role": role, "scope": object{"type": "user", "value": grace.address},
			})
			for name, value := range map[string]string{
				"q": "merger", "privateExtendedProperty": "k=v", "sharedExtendedProperty": "k=v",
			} {
				for _, single := range []string{"true", "false"} {
					found, _ := grace.list(t, path, params(name, value, "singleEvents", single))
					expect(t, role+" finds by "+name, len(found), want)
				}
			}
		}
	})
}

// TestImportOverAPrivateEvent needs the role that changes private events.
func TestImportOverAPrivateEvent(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		grace := of(ada.h, "grace")
		secret := event("secret", "2026-03-10", 9, "iCalUID", "u@example.com", "visibility", "private")
		ada.do(t, 200, "POST", "/calendars/primary/events/import", secret)
		path := "/calendars/" + ada.address + "/events/import"
		mine := event("mine", "2026-03-10", 9, "iCalUID", "u@example.com")
		for role, want := range map[string]int{"writerWithoutPrivateAccess": 403, "writer": 200} {
			ada.do(t, 200, "POST", "/calendars/primary/acl", object{
				"role": role, "scope": object{"type": "user", "value": grace.address},
			})
			if w := grace.call("POST", path, mine); w.Code != want {
				t.Errorf("%s: status %d, want %d", role, w.Code, want)
			}
			ada.do(t, 200, "POST", "/calendars/primary/events/import", secret)
		}
	})
}

// TestGroupsAreKnownToTheirMembers: only members learn who is in a team.
func TestGroupsAreKnownToTheirMembers(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		if _, err := ada.h.Identity.AddTeam(t.Context(), identity.NewTeam{
			Name: "lyceum", OwnerID: ada.h.User("ada").ID,
		}); err != nil {
			t.Fatal(err)
		}
		question := object{
			"timeMin": "2026-03-10T00:00:00Z", "timeMax": "2026-03-11T00:00:00Z",
			"items": []object{{"id": "lyceum@groups.localhost"}},
		}
		expect(t, "a member sees", ada.do(t, 200, "POST", "/freeBusy", question)["groups"],
			object{"lyceum@groups.localhost": object{"calendars": []any{ada.address}}})
		strange := of(ada.h, "grace").do(t, 200, "POST", "/freeBusy", question)
		expect(t, "another user sees", strange["groups"], nil)
		expect(t, "as if there were none", strange["calendars"].(object)["lyceum@groups.localhost"].(object)["errors"],
			"[map[domain:global reason:notFound]]")
	})
}

// TestAddressesOfCalendars: a mail address that is the id of a calendar
// gives no user that calendar.
func TestAddressesOfCalendars(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		id := ada.do(t, 200, "POST", "/calendars", object{"summary": "Hers"})["id"].(string)
		if _, err := ada.h.Identity.AddUser(t.Context(), identity.NewUser{Name: "mallory", Email: id}); err != nil {
			t.Fatal(err)
		}
		mallory := of(ada.h, "mallory")
		expect(t, "mallory's calendar", mallory.do(t, 200, "GET", "/calendars/primary", nil)["id"], "mallory@localhost")
		mallory.refused(t, 404, "notFound", "GET", "/calendars/"+id, nil)
		expect(t, "the owner", ada.do(t, 200, "GET", "/calendars/"+id, nil)["dataOwner"], ada.address)
	})
}

// numbered begins a statement with a row for each i from 0 below its first argument:
// thousands of rows one by one take seconds.
const numbered = `WITH RECURSIVE numbers (i) AS (
	SELECT 0 WHERE 0 < CAST($1 AS BIGINT) UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < CAST($1 AS BIGINT))`

// TestEntriesOfOneUser: the list of a user is bounded with what was taken from it,
// until no sync token can ask for that.
func TestEntriesOfOneUser(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		h := ada.h
		ada.do(t, 200, "GET", "/calendars/primary", nil)
		user, err := h.Identity.UserByName(t.Context(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		fill := func() {
			t.Helper()
			err := h.World.DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
				if _, err := tx.Exec(t.Context(), `UPDATE calendar_people SET entry_count = entry_count + 4999
					WHERE user_id = $1`, user.ID); err != nil {
					return err
				}
				_, err := tx.Exec(t.Context(), numbered+`
					INSERT INTO calendar_entries (user_id, calendar_id, doc, deleted, seq, updated)
						SELECT $2, 'c' || CAST(i AS TEXT), '{}', $3, i + 10, $4 FROM numbers`,
					4_999, user.ID, true, database.Time(h.Clock.Now()))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		fill()
		ada.refused(t, 403, "quotaExceeded", "POST", "/calendars", object{"summary": "One too many"})
		ada.do(t, 200, "PATCH", "/users/me/calendarList/primary", object{"summaryOverride": "x"})
		ada.do(t, 200, "POST", "/users/me/calendarList", object{"id": ada.address})
		h.Clock.Advance(32 * 24 * time.Hour)
		if err := h.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		ada.do(t, 200, "POST", "/calendars", object{"summary": "One more"})
	})
}

// TestChannelsOfOneUser: channels that have expired are not live, and do not pile up.
func TestChannelsOfOneUser(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		h := ada.h
		ada.do(t, 200, "GET", "/calendars/primary", nil)
		user, err := h.Identity.UserByName(t.Context(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		fill := func(word string) {
			t.Helper()
			err := h.World.DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
				if _, err := tx.Exec(t.Context(), `UPDATE calendar_people SET channel_count = channel_count + 10000,
					unended_count = unended_count + 10000 WHERE user_id = $1`, user.ID); err != nil {
					return err
				}
				_, err := tx.Exec(t.Context(), numbered+`
					INSERT INTO calendar_channels
						(id, resource, resource_uri, user_id, client_id, sealed, number, created, expires, ended)
						SELECT CAST($2 AS TEXT) || CAST(i AS TEXT), 'x', 'x', $3, '', '', 1, $4, $5, NULL FROM numbers`,
					10_000, word, user.ID, database.Time(h.Clock.Now()), database.Time(h.Clock.Now().Add(time.Hour)))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		watch := func(id string) object {
			return object{"id": id, "type": "web_hook", "address": "https://receiver.invalid/x"}
		}
		const path = "/calendars/primary/events/watch"
		fill("first")
		ada.refused(t, 403, "push.tooManyChannels", "POST", path, watch("a"))
		h.Clock.Advance(2 * time.Hour)
		ada.do(t, 200, "POST", path, watch("b"))
		fill("second")
		h.Clock.Advance(2 * time.Hour)
		ada.refused(t, 403, "push.tooManyChannels", "POST", path, watch("c"))
		h.Clock.Advance(32 * 24 * time.Hour)
		if err := h.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		ada.do(t, 200, "POST", path, watch("d"))
	})
}

// TestConditionalDelete: a condition holds for whatever is deleted.
func TestConditionalDelete(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		id := newCalendar(t, ada)
		for _, path := range []string{"/users/me/calendarList/" + id, "/calendars/" + id} {
			tag := ada.do(t, 200, "GET", path, nil)["etag"].(string)
			ada.refused(t, 412, "conditionNotMet", "DELETE", path, nil, `If-Match: "other"`)
			ada.do(t, 204, "DELETE", path, nil, "If-Match: "+tag)
		}
	})
}

// TestUnknownRoleOfARule: a role that there is not is wrong, the rule is not missing.
func TestUnknownRoleOfARule(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		rule := "/calendars/primary/acl/user:" + ada.address
		for _, method := range []string{"PUT", "PATCH"} {
			ada.refused(t, 400, "invalid", method, rule, object{"role": "emperor"})
		}
		ada.refused(t, 404, "notFound", "PUT", "/calendars/primary/acl/planet:mars", object{"role": "reader"})
	})
}

// TestDataOwnerOnTheList: a list says whose a secondary calendar is.
func TestDataOwnerOnTheList(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		grace := of(ada.h, "grace")
		grace.do(t, 200, "GET", "/calendars/primary", nil)
		id := newCalendar(t, ada)
		expect(t, "one's own", ada.do(t, 200, "GET", "/users/me/calendarList/"+id, nil)["dataOwner"], ada.address)
		expect(t, "the primary", ada.do(t, 200, "GET", "/users/me/calendarList/primary", nil)["dataOwner"], nil)
		ada.do(t, 204, "POST", "/calendars/"+id+"/transferOwnership?newDataOwner="+grace.address, nil)
		expect(t, "transferred", ada.do(t, 200, "GET", "/users/me/calendarList/"+id, nil)["dataOwner"], grace.address)
	})
}

// TestGroupNamedAgainAndAgain: a question that names one team many times asks once who is in it.
func TestGroupNamedAgainAndAgain(t *testing.T) {
	t.Parallel()
	var s *calendar.Service
	h := identitytest.SQLite(t, func(w *world.World, i *identity.Identity) module.Module {
		s = calendar.New(w, i, calendar.DefaultConfig())
		return s.Module()
	})
	ada := of(h, "ada")
	if _, err := h.Identity.AddTeam(t.Context(), identity.NewTeam{
		Name: "lyceum", OwnerID: h.User("ada").ID,
	}); err != nil {
		t.Fatal(err)
	}
	items := make([]object, 1000)
	for i := range items {
		items[i] = object{"id": "lyceum@groups.localhost"}
	}
	ada.do(t, 200, "GET", "/calendars/primary", nil)
	before := s.UserLookups()
	ada.do(t, 200, "POST", "/freeBusy", object{
		"timeMin": "2026-03-10T00:00:00Z", "timeMax": "2026-03-11T00:00:00Z", "items": items,
	})
	if n := s.UserLookups() - before; n > 10 {
		t.Errorf("%d lookups of users for one team", n)
	}
}
