package calendar_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/calendar"
)

const root = "/calendar/v3"

func build(w *world.World, identity *identity.Identity) module.Module {
	return configured(calendar.DefaultConfig())(w, identity)
}

func configured(c calendar.Config) identitytest.Build {
	return func(w *world.World, identity *identity.Identity) module.Module {
		return calendar.New(w, identity, c).Module()
	}
}

// on runs a test on each database, with ada's client.
func on(t *testing.T, fn func(t *testing.T, ada *client)) {
	t.Helper()
	t.Parallel()
	identitytest.Run(t, build, func(t *testing.T, h *identitytest.Server) { fn(t, of(h, "ada")) })
}

// client calls the service as a user.
type client struct {
	h     *identitytest.Server
	token string
	// address is the user's own calendar.
	address string
}

func of(h *identitytest.Server, user string, scopes ...string) *client {
	return &client{h: h, token: h.Token(user, scopes...), address: user + "@localhost"}
}

type object = map[string]any

func (c *client) call(method, path string, body any, headers ...string) *httptest.ResponseRecorder {
	text := ""
	if body != nil {
		raw, _ := json.Marshal(body)
		text = string(raw)
	}
	return c.h.Call(method, root+path, text,
		append(headers, "Authorization: Bearer "+c.token, "Content-Type: application/json")...)
}

// do is a call that must have the status; it gives the body.
func (c *client) do(t *testing.T, status int, method, path string, body any, headers ...string) object {
	t.Helper()
	w := c.call(method, path, body, headers...)
	if w.Code != status {
		t.Fatalf("%s %s %v: status %d, want %d: %s", method, path, body, w.Code, status, w.Body)
	}
	out := object{}
	if w.Body.Len() > 0 {
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
			t.Fatalf("%s %s: %v in %s", method, path, err, w.Body)
		}
	}
	return out
}

// refused is a call that must fail with status and reason.
func (c *client) refused(t *testing.T, status int, reason, method, path string, body any, headers ...string) {
	t.Helper()
	out := c.do(t, status, method, path, body, headers...)
	if got := reasonIn(out); got != reason {
		t.Errorf("%s %s: reason %q, want %q: %v", method, path, got, reason, out)
	}
}

func reasonIn(out object) string {
	e, _ := out["error"].(object)
	list, _ := e["errors"].([]any)
	if len(list) != 1 {
		return fmt.Sprintf("%d errors", len(list))
	}
	one, _ := list[0].(object)
	return fmt.Sprint(one["reason"])
}

func at(clock string) object { return object{"dateTime": clock, "timeZone": "UTC"} }

// event is an event of one hour.
func event(summary, day string, hour int, more ...any) object {
	e := object{
		"summary": summary, "start": at(fmt.Sprintf("%sT%02d:00:00Z", day, hour)),
		"end": at(fmt.Sprintf("%sT%02d:00:00Z", day, hour+1)),
	}
	for i := 0; i+1 < len(more); i += 2 {
		e[more[i].(string)] = more[i+1]
	}
	return e
}

func (c *client) insert(t *testing.T, e object) object {
	t.Helper()
	return c.do(t, 200, "POST", "/calendars/primary/events", e)
}

// list follows all pages and gives items and the sync token.
func (c *client) list(t *testing.T, path string, q url.Values) ([]object, string) {
	t.Helper()
	var all []object
	q = cloned(q)
	for range 1000 {
		out := c.do(t, 200, "GET", path+"?"+q.Encode(), nil)
		items, ok := out["items"].([]any)
		if !ok {
			t.Fatalf("%s: no items in %v", path, out)
		}
		for _, one := range items {
			all = append(all, one.(object))
		}
		next, _ := out["nextPageToken"].(string)
		sync, _ := out["nextSyncToken"].(string)
		if next != "" && sync != "" {
			t.Fatalf("%s: both tokens in one answer", path)
		}
		if next == "" {
			return all, sync
		}
		q.Set("pageToken", next)
	}
	t.Fatal("the list never ends")
	return nil, ""
}

func cloned(q url.Values) url.Values {
	out := url.Values{}
	for name, values := range q {
		out[name] = append([]string{}, values...)
	}
	return out
}

func (c *client) events(t *testing.T, pairs ...string) ([]object, string) {
	t.Helper()
	return c.list(t, "/calendars/primary/events", params(pairs...))
}

func params(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Add(pairs[i], pairs[i+1])
	}
	return q
}

// texts gives one member of each item.
func texts(items []object, member string) string {
	var out []string
	for _, one := range items {
		out = append(out, fmt.Sprint(one[member]))
	}
	return strings.Join(out, " ")
}

func expect(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestEventLife(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		made := ada.insert(t, event("Lunch", "2026-03-10", 12, "attendees", []object{{"email": "Grace@example.com"}}))
		id, tag := made["id"].(string), made["etag"].(string)
		expect(t, "kind", made["kind"], "calendar#event")
		expect(t, "status", made["status"], "confirmed")
		expect(t, "iCalUID", made["iCalUID"], id+"@vendor")
		expect(t, "organizer", made["organizer"], object{"email": ada.address, "self": true})
		expect(t, "sequence", made["sequence"], 0)

		path := "/calendars/primary/events/" + id
		got := ada.do(t, 200, "GET", path, nil)
		expect(t, "the event that was read", got, made)
		if w := ada.call("GET", path, nil, "If-None-Match: "+tag); w.Code != 304 {
			t.Errorf("with its own tag: status %d, want 304", w.Code)
		}

		ada.refused(t, 412, "conditionNotMet", "PATCH", path, object{"summary": "x"}, "If-Match: W/"+tag)
		ada.refused(t, 412, "conditionNotMet", "DELETE", path, nil, "If-Match: W/"+tag)
		patched := ada.do(t, 200, "PATCH", path, object{"summary": "Late lunch", "attendees": nil, "location": "Porch"},
			"If-Match: "+tag)
		expect(t, "patched", []any{patched["summary"], patched["attendees"], patched["location"]}, []any{
			"Late lunch", nil, "Porch",
		})
		ada.refused(t, 412, "conditionNotMet", "PATCH", path, object{"summary": "x"}, "If-Match: "+tag)
		ada.refused(t, 412, "conditionNotMet", "DELETE", path, nil, "If-Match: "+tag)
		ada.refused(t, 412, "conditionNotMet", "DELETE", path, nil, "If-Match: ")

		updated := ada.do(t, 200, "PUT", path, event("Dinner", "2026-03-10", 19))
		expect(t, "replaced", []any{updated["summary"], updated["location"], updated["sequence"]},
			[]any{"Dinner", nil, 1})
		expect(t, "created", updated["created"], made["created"])

		ada.do(t, 204, "DELETE", path, nil)
		ada.refused(t, 410, "deleted", "DELETE", path, nil)
		expect(t, "status after deletion", ada.do(t, 200, "GET", path, nil)["status"], "cancelled")
		if items, _ := ada.events(t); len(items) != 0 {
			t.Errorf("a list shows what was deleted: %v", items)
		}
		items, _ := ada.events(t, "showDeleted", "true")
		expect(t, "deleted events", texts(items, "status"), "cancelled")
	})
}

func TestEventRefusals(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		ada.insert(t, event("taken", "2026-03-10", 12, "id", "taken1"))
		for _, row := range []struct {
			name   string
			status int
			reason string
			change object
		}{
			{"no start", 400, "required", object{"start": nil}},
			{"no end", 400, "required", object{"end": nil}},
			{"a date and a time", 400, "invalid", object{"end": object{"date": "2026-03-11"}}},
			{
				"both in one", 400, "invalid",
				object{"start": object{"date": "2026-03-10", "dateTime": "2026-03-10T12:00:00Z"}},
			},
			{"end before start", 400, "timeRangeEmpty", object{"end": at("2026-03-10T11:00:00Z")}},
			{"no offset and no zone", 400, "invalid", object{"start": object{"dateTime": "2026-03-10T12:00:00"}}},
			{
				"a zone of the machine", 400, "invalid",
				object{"start": object{"dateTime": "2026-03-10T12:00:00", "timeZone": "right/UTC"}},
			},
			{
				"unknown zone", 400, "invalid",
				object{"start": object{"dateTime": "2026-03-10T12:00:00", "timeZone": "Mars/Olympus"}},
			},
			{"not a time", 400, "invalid", object{"start": object{"dateTime": "noon"}}},
			{
				"not a day", 400, "invalid",
				object{"start": object{"date": "2026-02-30"}, "end": object{"date": "2026-03-03"}},
			},
			{
				"after the year 9999 in UTC", 400, "invalid",
				object{"start": at("9999-12-31T23:00:00-05:00"), "end": at("9999-12-31T23:30:00-05:00")},
			},
			{
				"a day whose end cannot be written", 400, "invalid",
				object{"start": object{"date": "9999-12-31"}, "end": object{"date": "9999-12-31"}},
			},
			{
				"a rule that never ends", 400, "invalid",
				object{"recurrence": []string{"RRULE:FREQ=HOURLY;INTERVAL=24;BYHOUR=1"}},
			},
			{"taken iCalUID", 409, "duplicate", object{"iCalUID": "taken1@vendor"}},
			{"short id", 400, "invalid", object{"id": "abcd"}},
			{"id outside the alphabet", 400, "invalid", object{"id": "wxyz1"}},
			{"taken id", 409, "duplicate", object{"id": "taken1"}},
			{"unknown status", 400, "invalid", object{"status": "maybe"}},
			{"unknown type", 400, "invalid", object{"eventType": "party"}},
			{"unknown color", 400, "invalid", object{"colorId": "12"}},
			{"bad attendee", 400, "invalid", object{"attendees": []object{{"email": "unknown"}}}},
			{
				"both kinds of reminders", 400, "invalid",
				object{
					"reminders": object{"useDefault": true, "overrides": []object{{"method": "popup", "minutes": 5}}},
				},
			},
			{
				"reminder too early", 400, "invalid",
				object{"reminders": object{"overrides": []object{{"method": "popup", "minutes": 40321}}}},
			},
			{"bad recurrence", 400, "invalid", object{"recurrence": []string{"RRULE:FREQ=SECONDLY"}}},
			{"start in the recurrence", 400, "invalid", object{"recurrence": []string{"DTSTART:20260310T120000Z"}}},
			{"long description", 400, "invalid", object{"description": strings.Repeat("x", 8193)}},
			{"wrong type", 400, "parseError", object{"summary": 7}},
		} {
			e := event("x", "2026-03-10", 12)
			for name, value := range row.change {
				e[name] = value
			}
			out := ada.do(t, row.status, "POST", "/calendars/primary/events", e)
			if got := reasonIn(out); got != row.reason {
				t.Errorf("%s: reason %q, want %q: %v", row.name, got, row.reason, out)
			}
		}
		ada.refused(t, 400, "invalid", "PATCH", "/calendars/primary/events/taken1", object{"eventType": "outOfOffice"})
		ada.refused(t, 404, "notFound", "GET", "/calendars/primary/events/nothing", nil)
		ada.refused(t, 404, "notFound", "GET", "/calendars/unknown@example.com/events", nil)
		ada.refused(t, 404, "notFound", "GET", "/nothing", nil)
	})
}

func TestListRefusals(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		_, sync := ada.events(t)
		for query, reason := range map[string]string{
			"timeMin=2026-03-10": "invalid",
			"timeMin=2026-03-10T00:00:00Z&timeMax=2026-03-10T00:00:00Z": "timeRangeEmpty",
			"orderBy=startTime": "invalid", "orderBy=name": "invalid", "maxResults=0": "invalid",
			"maxResults=x":         "invalid",
			"singleEvents=perhaps": "invalid", "timeZone=Mars/Olympus": "invalid", "pageToken=junk": "invalid",
			"privateExtendedProperty=x": "invalid", "q=x&syncToken=" + sync: "invalid",
			"showDeleted=false&syncToken=" + sync:            "invalid",
			"timeMin=2026-03-10T00:00:00Z&syncToken=" + sync: "invalid",
		} {
			ada.refused(t, 400, reason, "GET", "/calendars/primary/events?"+query, nil)
		}
		ada.refused(t, 410, "fullSyncRequired", "GET", "/calendars/primary/events?syncToken=junk", nil)
		ada.refused(t, 410, "updatedMinTooLongAgo", "GET", "/calendars/primary/events?updatedMin=2025-01-01T00:00:00Z",
			nil)
		grace := of(ada.h, "grace")
		grace.refused(t, 410, "fullSyncRequired", "GET", "/calendars/primary/events?syncToken="+sync, nil)
	})
}

func TestEverythingNeedsAToken(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build)
	for _, r := range h.Module.Routes {
		path := strings.NewReplacer("{calendarId}", "primary", "{eventId}", "x", "{ruleId}", "x", "{setting}",
			"x").Replace(r.Pattern)
		w := h.Call(r.Method, path, "{}", "Content-Type: application/json")
		if w.Code != http.StatusUnauthorized || !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Bearer") {
			t.Errorf("%s %s: status %d, want 401", r.Method, path, w.Code)
		}
		none := h.Issue(identity.IssueOptions{
			Kind: identity.KindPersonal, Services: []string{calendar.Name}, UserID: h.User("ada").ID,
		})
		w = h.Call(r.Method, path, "{}", "Content-Type: application/json", "Authorization: Bearer "+none)
		if w.Code != http.StatusForbidden {
			t.Errorf("%s %s without a scope: status %d, want 403", r.Method, path, w.Code)
		}
	}
}

// TestMaskIsReadFirst: a request whose mask cannot be read changes nothing.
func TestMaskIsReadFirst(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		ada.refused(t, 400, "invalidParameter", "POST", "/calendars/primary/events?fields=id(", event("x", "2026-03-10", 9))
		items, _ := ada.events(t)
		expect(t, "events after a refusal", len(items), 0)
		made := ada.do(t, 200, "POST", "/calendars/primary/events?fields=summary", event("x", "2026-03-10", 9))
		expect(t, "with a good mask", made, object{"summary": "x"})
	})
}

// TestWhatInsertTakes: the identifier for other calendars is the client's to
// choose, the organizer is not.
func TestWhatInsertTakes(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		made := ada.insert(t, event("x", "2026-03-10", 9, "iCalUID", "u@example.com", "organizer", object{
			"email": "boss@example.com",
		}))
		expect(t, "iCalUID", made["iCalUID"], "u@example.com")
		expect(t, "organizer", made["organizer"], object{"email": ada.address, "self": true})
		ada.do(t, 204, "DELETE", "/calendars/primary/events/"+made["id"].(string), nil)
		again := ada.insert(t, event("x", "2026-03-10", 9, "iCalUID", "u@example.com"))
		imported := ada.do(t, 200, "POST", "/calendars/primary/events/import", event("y", "2026-03-10", 9, "iCalUID",
			"u@example.com"))
		expect(t, "an import finds the one that lives", imported["id"], again["id"])
	})
}

// TestNotModifiedHidesNothing: after a change that shows in an answer its old
// tag is no longer good.
func TestNotModifiedHidesNothing(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		grace := of(ada.h, "grace")
		ada.insert(t, event("secret", "2026-03-10", 9, "visibility", "private"))
		share := func(role string) {
			ada.do(t, 200, "POST", "/calendars/primary/acl", object{
				"role": role, "scope": object{"type": "user", "value": grace.address},
			})
		}
		share("writerWithoutPrivateAccess")
		grace.do(t, 200, "POST", "/users/me/calendarList", object{"id": ada.address})
		for _, change := range []struct {
			name string
			do   func()
		}{
			{"title", func() { ada.do(t, 200, "PATCH", "/calendars/primary", object{"summary": "Hers"}) }},
			{"role", func() { share("writer") }},
			{"reminders", func() {
				grace.do(t, 200, "PATCH", "/users/me/calendarList/"+ada.address, object{
					"defaultReminders": []object{{"method": "email", "minutes": 5}},
				})
			}},
		} {
			paths := []string{
				"/calendars/" + ada.address + "/events", "/users/me/calendarList",
				"/users/me/calendarList/" + ada.address,
			}
			var tags []string
			for _, path := range paths {
				tags = append(tags, grace.do(t, 200, "GET", path, nil)["etag"].(string))
				expect(t, "before the "+change.name,
					grace.call("GET", path, nil, "If-None-Match: "+tags[len(tags)-1]).Code, 304)
			}
			change.do()
			for i, path := range paths {
				expect(t, path+" after the "+change.name, grace.call("GET", path, nil, "If-None-Match: "+tags[i]).Code,
					200)
			}
		}
		entry := "/users/me/calendarList/" + ada.address
		tag := grace.do(t, 200, "GET", entry, nil)["etag"].(string)
		grace.do(t, 200, "PATCH", entry, object{"hidden": true}, "If-Match: "+tag)
		grace.refused(t, 412, "conditionNotMet", "PATCH", entry, object{"hidden": false}, "If-Match: "+tag)
	})
}

// TestPatchKeepsNumbers: what a client keeps in conferenceData comes back digit by digit after a patch of
// something else.
func TestPatchKeepsNumbers(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		w := ada.call("POST", "/calendars/primary/events", object{
			"start": at("2026-03-10T09:00:00Z"), "end": at("2026-03-10T10:00:00Z"),
			"conferenceData": object{"parameters": object{"n": json.Number("9007199254740993")}},
		})
		var made struct{ ID string }
		if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || made.ID == "" {
			t.Fatal(err, w.Body)
		}
		w = ada.call("PATCH", "/calendars/primary/events/"+made.ID, object{"summary": "x"})
		if w.Code != 200 || !strings.Contains(w.Body.String(), "9007199254740993") {
			t.Errorf("after a patch: %d %s", w.Code, w.Body)
		}
	})
}
