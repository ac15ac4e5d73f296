package calendar_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/calendar"
)

// settle runs the jobs that are due.
func (c *client) settle(t *testing.T) {
	t.Helper()
	if err := c.h.World.Jobs.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func guests(addresses ...string) []object {
	var all []object
	for _, a := range addresses {
		all = append(all, object{"email": a})
	}
	return all
}

// answersOf writes who said what.
func answersOf(e object) string {
	var all []string
	list, _ := e["attendees"].([]any)
	for _, one := range list {
		a := one.(object)
		name, _, _ := strings.Cut(a["email"].(string), "@")
		all = append(all, name+":"+a["responseStatus"].(string))
	}
	return strings.Join(all, " ")
}

const primary = "/calendars/primary/events/"

// TestInvitation follows an event over the calendars of its guests.
func TestInvitation(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		grace, edsger := of(ada.h, "grace"), of(ada.h, "edsger")
		e := ada.insert(t, event("plan", "2026-03-10", 9,
			"attendees", guests(grace.address, edsger.address, "unknown@elsewhere.example"), "colorId", "3",
			"extendedProperties", object{"private": object{"mine": "1"}, "shared": object{"ours": "2"}}))
		id := e["id"].(string)
		ada.settle(t)
		own := grace.do(t, 200, "GET", primary+id, nil)
		expect(t, "the copy", own["summary"], "plan")
		expect(t, "organizer", own["organizer"].(object)["email"], ada.address)
		expect(t, "color is the organizer's own", own["colorId"], nil)
		if p := own["extendedProperties"].(object); p["private"] != nil || p["shared"].(object)["ours"] != "2" {
			t.Errorf("properties of the copy: %v", p)
		}

		// An answer reaches the organizer at once, and the other guest.
		grace.do(t, 200, "PATCH", primary+id, object{
			"attendees": []object{{"email": grace.address, "responseStatus": "accepted"}}, "colorId": "5",
		})
		const after = "grace:accepted edsger:needsAction unknown:needsAction"
		expect(t, "the organizer's", answersOf(ada.do(t, 200, "GET", primary+id, nil)), after)
		ada.settle(t)
		expect(t, "edsger's copy", answersOf(edsger.do(t, 200, "GET", primary+id, nil)), after)

		// What everybody sees is the organizer's; a change of it leaves what is the guest's.
		grace.refused(t, 403, "forbiddenForNonOrganizer", "PATCH", primary+id, object{"summary": "mine"})
		grace.refused(t, 403, "forbiddenForNonOrganizer", "POST", primary+id+"/move?destination="+newCalendar(t, grace), nil)
		ada.do(t, 200, "PATCH", primary+id, object{"summary": "new plan"})
		ada.settle(t)
		own = grace.do(t, 200, "GET", primary+id, nil)
		expect(t, "the changed copy", own["summary"].(string)+" "+own["colorId"].(string), "new plan 5")

		// Deleting the copy declines; the copy does not come back by itself.
		edsger.do(t, 204, "DELETE", primary+id, nil)
		ada.settle(t)
		expect(t, "declined", answersOf(ada.do(t, 200, "GET", primary+id, nil)),
			"grace:accepted edsger:declined unknown:needsAction")
		ada.do(t, 200, "PATCH", primary+id, object{"location": "here"})
		ada.settle(t)
		expect(t, "deleted copy", edsger.do(t, 200, "GET", primary+id, nil)["status"], "cancelled")

		// Who is not invited any more, and the end of the event.
		ada.do(t, 200, "PATCH", primary+id, object{"attendees": guests(edsger.address)})
		ada.settle(t)
		expect(t, "uninvited", grace.do(t, 200, "GET", primary+id, nil)["status"], "cancelled")
		expect(t, "invited again", edsger.do(t, 200, "GET", primary+id, nil)["status"], "confirmed")
		ada.do(t, 204, "DELETE", primary+id, nil)
		ada.settle(t)
		expect(t, "cancelled", edsger.do(t, 200, "GET", primary+id, nil)["status"], "cancelled")
	})
}

func newCalendar(t *testing.T, c *client) string {
	t.Helper()
	return c.do(t, 200, "POST", "/calendars", object{"summary": "x"})["id"].(string)
}

// TestInvitationToSeries: one instance is answered for itself, and one that differs is copied.
func TestInvitationToSeries(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		grace := of(ada.h, "grace")
		series := ada.insert(t, event("daily", "2026-03-10", 9, "recurrence", []string{"RRULE:FREQ=DAILY;COUNT=3"}))
		id := series["id"].(string)
		other := object{"summary": "other", "attendees": guests(grace.address)}
		ada.do(t, 200, "PATCH", primary+id+"_20260311T090000Z", other)
		ada.do(t, 200, "PATCH", primary+id, object{"attendees": guests(grace.address)})
		ada.settle(t)
		items, _ := grace.events(t, "singleEvents", "true")
		expect(t, "instances", texts(items, "summary"), "daily other daily")
		grace.do(t, 200, "PATCH", primary+id+"_20260312T090000Z", object{
			"attendees": []object{{"email": grace.address, "responseStatus": "declined"}},
		})
		expect(t, "one answer", answersOf(ada.do(t, 200, "GET", primary+id+"_20260312T090000Z", nil)), "grace:declined")
		expect(t, "not the others'", answersOf(ada.do(t, 200, "GET", primary+id, nil)), "grace:needsAction")
		busy := ada.do(t, 200, "POST", "/freeBusy", object{
			"timeMin": "2026-03-12T00:00:00Z", "timeMax": "2026-03-13T00:00:00Z", "items": []object{{"id": ada.address}},
		})
		expect(t, "ada is busy", len(busy["calendars"].(object)[ada.address].(object)["busy"].([]any)), 1)
		busy = grace.do(t, 200, "POST", "/freeBusy", object{
			"timeMin": "2026-03-12T00:00:00Z", "timeMax": "2026-03-13T00:00:00Z", "items": []object{{"id": grace.address}},
		})
		expect(t, "grace is free", len(busy["calendars"].(object)[grace.address].(object)["busy"].([]any)), 0)
		ada.do(t, 200, "PATCH", primary+id, object{"recurrence": []string{"RRULE:FREQ=DAILY;COUNT=1"}})
		ada.settle(t)
		items, _ = grace.events(t, "singleEvents", "true")
		expect(t, "instances that are left", texts(items, "summary"), "daily")
	})
}

// TestInstanceLeavesACopy: an instance that the organizer deletes, or that one guest is not invited to, leaves
// that guest's series too, whether it did so before the invitation or after.
func TestInstanceLeavesACopy(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		grace, edsger := of(ada.h, "grace"), of(ada.h, "edsger")
		series := ada.insert(t, event("daily", "2026-03-10", 9, "recurrence", []string{"RRULE:FREQ=DAILY;COUNT=4"}))
		id := series["id"].(string)
		ada.do(t, 204, "DELETE", primary+id+"_20260310T090000Z", nil)
		ada.do(t, 200, "PATCH", primary+id, object{"attendees": guests(grace.address, edsger.address)})
		ada.settle(t)
		starts := func(c *client) string {
			items, _ := c.events(t, "singleEvents", "true")
			var all []string
			for _, one := range items {
				all = append(all, one["start"].(object)["dateTime"].(string)[8:10])
			}
			return strings.Join(all, " ")
		}
		expect(t, "deleted before the invitation", starts(grace), "11 12 13")
		ada.do(t, 204, "DELETE", primary+id+"_20260311T090000Z", nil)
		ada.do(t, 200, "PATCH", primary+id+"_20260312T090000Z", object{"attendees": guests(edsger.address)})
		ada.settle(t)
		expect(t, "deleted and uninvited", starts(grace), "13")
		expect(t, "the other guest", starts(edsger), "12 13")
		expect(t, "the organizer", starts(ada), "12 13")
		gone := grace.do(t, 200, "GET", primary+id+"_20260312T090000Z", nil)
		expect(t, "the instance", gone["status"], "cancelled")
		ada.do(t, 200, "PATCH", primary+id+"_20260312T090000Z",
			object{"attendees": guests(edsger.address, grace.address)})
		ada.settle(t)
		expect(t, "invited again", starts(grace), "12 13")
	})
}

// TestInvitationTakesNoForeignID: a chosen id does not reach another user's event.
func TestInvitationTakesNoForeignID(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		grace := of(ada.h, "grace")
		grace.insert(t, event("mine", "2026-03-10", 9, "id", "chosen00"))
		ada.insert(t, event("yours", "2026-03-10", 9, "id", "chosen00", "attendees", guests(grace.address)))
		ada.settle(t)
		expect(t, "grace's own", grace.do(t, 200, "GET", primary+"chosen00", nil)["summary"], "mine")
		ada.do(t, 204, "DELETE", primary+"chosen00", nil)
		ada.settle(t)
		expect(t, "still there", grace.do(t, 200, "GET", primary+"chosen00", nil)["status"], "confirmed")
	})
}

// TestUnchanged: a change to the same is none, of whatever it is.
func TestUnchanged(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		e := ada.insert(t, event("same", "2026-03-10", 9, "attendees", guests(ada.address, "grace@localhost")))
		path := primary + e["id"].(string)
		other := newCalendar(t, ada)
		ada.do(t, 200, "POST", "/calendars/primary/acl", object{
			"role": "reader", "scope": object{"type": "user", "value": "grace@localhost"},
		})
		_, sync := ada.events(t)
		ada.h.Clock.Advance(1e9)
		for name, c := range map[string]struct {
			path string
			body object
		}{
			"event":    {path, object{"summary": "same"}},
			"calendar": {"/calendars/" + other, object{"summary": "x"}},
			"entry":    {"/users/me/calendarList/" + other, object{"selected": true}},
			"rule":     {"/calendars/primary/acl/user:grace@localhost", object{"role": "reader"}},
		} {
			before := ada.do(t, 200, "GET", c.path, nil)
			for _, method := range []string{"PATCH", "PUT"} {
				body := c.body
				if method == "PUT" {
					body = before
				}
				got := ada.do(t, 200, method, c.path, body)
				if got["etag"] != before["etag"] || got["updated"] != before["updated"] {
					t.Errorf("%s by %s: %v, was %v", name, method, got, before)
				}
			}
		}
		items, _ := ada.events(t, "syncToken", sync)
		expect(t, "changes", len(items), 0)
	})
}

// TestOmittedAttendees: who sends back an event of which some attendees were left out changes those that are named.
func TestOmittedAttendees(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		e := ada.insert(t, event("plan", "2026-03-10", 9, "attendees", guests(ada.address, "grace@x", "edsger@x")))
		path := primary + e["id"].(string)
		short := ada.do(t, 200, "GET", path+"?maxAttendees=1", nil)
		expect(t, "shown", answersOf(short), "ada:needsAction")
		short["attendees"].([]any)[0].(object)["responseStatus"] = "accepted"
		ada.do(t, 200, "PUT", path, short)
		const after = "ada:accepted grace:needsAction edsger:needsAction"
		expect(t, "after an update", answersOf(ada.do(t, 200, "GET", path, nil)), after)
		ada.do(t, 200, "PATCH", path, object{"attendeesOmitted": true, "attendees": guests("alan@x")})
		expect(t, "after a patch", answersOf(ada.do(t, 200, "GET", path, nil)), after+" alan:needsAction")
		whole := ada.do(t, 200, "GET", path, nil)
		whole["attendees"] = guests("grace@x")
		ada.do(t, 200, "PUT", path, whole)
		expect(t, "after a whole one", answersOf(ada.do(t, 200, "GET", path, nil)), "grace:needsAction")
	})
}

// TestConference: a request for a conference gets a status, and an address where there is a system of meetings.
func TestConference(t *testing.T) {
	t.Parallel()
	c := calendar.DefaultConfig()
	c.ConferenceURL = "https://meet.example.org/{id}"
	for address, want := range map[string]string{"": "failure", c.ConferenceURL: "success"} {
		c.ConferenceURL = address
		ada := of(identitytest.SQLite(t, configured(c)), "ada")
		ask := object{"createRequest": object{"requestId": "r1"}}
		e := ada.insert(t, event("call", "2026-03-10", 9, "conferenceData", ask))
		data := e["conferenceData"].(object)
		expect(t, address, data["createRequest"].(object)["status"].(object)["statusCode"], want)
		if want == "success" {
			uri := data["entryPoints"].([]any)[0].(object)["uri"].(string)
			expect(t, "address", uri, "https://meet.example.org/"+data["conferenceId"].(string))
		}
		again := ada.do(t, 200, "PATCH", primary+e["id"].(string), object{"conferenceData": ask})
		expect(t, "the same request", again["etag"], e["etag"])
	}
}

// TestEventPage: the htmlLink leads to a page for who may see the event.
func TestEventPage(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build)
	var viewer *identity.User
	h.Identity.ProvidePages(identity.Pages{
		Page: func(p identity.PageFunc) route.Handler {
			return func(w http.ResponseWriter, r *route.Request) error {
				page, err := p(r, viewer)
				if err == nil {
					_, err = w.Write([]byte(page.HTML))
				}
				return err
			}
		},
		Message: func(m identity.Message) route.Handler {
			return func(w http.ResponseWriter, _ *route.Request) error {
				w.WriteHeader(m.Status)
				return nil
			}
		},
	})
	ada := of(h, "ada")
	e := ada.insert(t, event("<b>plan</b>", "2026-03-10", 9, "attendees", guests("grace@localhost"),
		"visibility", "private"))
	link, ok := strings.CutPrefix(e["htmlLink"].(string), "http://stoa.test")
	if !ok {
		t.Fatalf("htmlLink %v", e["htmlLink"])
	}
	get := func(path string) *httptest.ResponseRecorder { return h.Call("GET", path, "") }
	owner, other := h.User("ada"), h.User("edsger")
	viewer = &owner
	if w := get(link); w.Code != 200 || !strings.Contains(w.Body.String(), "&lt;b&gt;plan&lt;/b&gt;") ||
		!strings.Contains(w.Body.String(), "grace@localhost") {
		t.Errorf("the page: %d %s", w.Code, w.Body)
	}
	viewer = &other
	for _, path := range []string{link, "/calendar/event?eid=AAAA", "/calendar/event"} {
		if w := get(path); w.Code != 404 {
			t.Errorf("%s for a other: %d %s", path, w.Code, w.Body)
		}
	}
}

// TestChangedImport: an event that another organizer's calendar has is not this calendar's to invite to, also when it
// is changed here: guests would be told that the organizer invites them.
func TestChangedImport(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		grace := of(ada.h, "grace")
		grace.do(t, 200, "GET", "/calendars/primary", nil)
		e := event("from elsewhere", "2026-03-10", 9, "iCalUID", "abc@example.com",
			"organizer", object{"email": "boss@example.com"}, "attendees", guests(grace.address))
		id := ada.do(t, 200, "POST", "/calendars/primary/events/import", e)["id"].(string)
		ada.do(t, 200, "PATCH", primary+id, object{"summary": "changed"})
		ada.settle(t)
		grace.refused(t, 404, "notFound", "GET", primary+id, nil)

		// An import over an event of one's own does not make it another's.
		own := ada.insert(t, event("own", "2026-03-10", 9, "attendees", guests(grace.address)))
		ada.settle(t)
		e["iCalUID"], e["attendees"] = own["iCalUID"], guests(grace.address)
		again := ada.do(t, 200, "POST", "/calendars/primary/events/import", e)
		expect(t, "organizer", again["organizer"].(object)["email"], ada.address)
		ada.do(t, 204, "DELETE", primary+own["id"].(string), nil)
		ada.settle(t)
		expect(t, "the copy", grace.do(t, 200, "GET", primary+own["id"].(string), nil)["status"], "cancelled")
	})
}
