package conductrules

import (
	"strings"

	"stoa.dev/stoa/internal/platform/conduct"
)

// Rules are what the service asks of its clients.
func Rules() []conduct.Rule {
	return append(append(channelRules(), listConduct()...), []conduct.Rule{
		{
			ID: "calendar.insert-repeated", Severity: conduct.Warning, Title: "Give an event its id before inserting",
			Why: "An insert whose answer was lost may have been done. With an id of the client's the repeat is a " +
				"conflict; without, a second meeting in every attendee's calendar.",
			Contract: "docs/services/calendar.md: events.insert takes an id from the client, which is good once.",
			Example:  "POST …/events is cut off before its answer and sent again with the same body, without an id.",
			New: conduct.RepeatsSafely(func(r *conduct.Request) bool { return r.Body("/id") != nil },
				"calendar.events.insert", "calendar.events.quickAdd", "calendar.calendars.insert"),
		},
		{
			ID: "calendar.version", Severity: conduct.Info, Title: "Update with If-Match",
			Why: "PUT replaces the whole event: without the version, changes made meanwhile elsewhere are lost.",
			Contract: "docs/services/calendar.md: If-Match with the etag that was read refuses an update of a newer " +
				"version with 412.",
			Example: "PUT …/events/{eventId} without If-Match after another client changed the event.",
			New:     conduct.Versioned("calendar.events.update", "calendar.calendars.update", "calendar.acl.update"),
		},
	}...)
}

// listConduct are the rules about lists.
func listConduct() []conduct.Rule {
	pages := conduct.Pages{
		Operations: []string{
			"calendar.events.list", "calendar.events.instances", "calendar.acl.list", "calendar.calendarList.list",
			"calendar.settings.list",
		},
		Param: "pageToken", Member: "/nextPageToken", Size: "maxResults",
	}
	return []conduct.Rule{
		{
			ID: "calendar.pages-left", Severity: conduct.Warning, Title: "Read on while there is a nextPageToken",
			Why: "Events on later pages are lost in silence, and without the last page there is no nextSyncToken either.",
			Contract: "docs/openapi/calendar.json: a list names its next page in nextPageToken, and only the last page " +
				"has nextSyncToken.",
			Example: "GET …/events answers with a nextPageToken, and no request has it.",
			New:     pages.Left(),
		},
		{
			ID: "calendar.page-twice", Severity: conduct.Warning, Title: "Ask for each page once",
			Why:      "A page that is read twice is counted twice, and a loop that does so may never end.",
			Contract: "docs/openapi/calendar.json: a list names its next page in nextPageToken.",
			Example:  "The same pageToken is sent twice without beginning the list again.",
			New:      pages.Twice(),
		},
		{
			ID: "calendar.sync-token", Severity: conduct.Warning, Title: "Ask for changes with syncToken",
			Why: "A full list costs as much as the calendar is long each time; with the token only what changed is sent.",
			Contract: "H-32: a notification carries no details, the client calls the API again; nextSyncToken makes that " +
				"call small.",
			Example: "GET …/events is read whole three times although the first answer had a nextSyncToken.",
			New:     fullLists,
		},
		{
			ID: "calendar.sync-gone", Severity: conduct.Error, Title: "Begin anew after 410",
			Why:      "A sync token that is over stays over: only a full list gives a new one.",
			Contract: "docs/services/calendar.md: 410 fullSyncRequired ends a sync token.",
			Example:  "The syncToken that was answered 410 is sent again.",
			New: conduct.Refused("was answered with 410", func(r *conduct.Request) bool {
				return r.Status == 410 && r.Param("syncToken") != ""
			}),
		},
	}
}

// fullLists counts lists that were read whole although there was a sync token.
func fullLists(b *conduct.Breaches) conduct.Check {
	const most = 2
	type reading struct {
		tokens int
		last   conduct.Past
	}
	var lists conduct.Memory[string, reading]
	return conduct.Each(func(r *conduct.Request) {
		if !strings.HasSuffix(r.Operation, ".list") || r.Param("pageToken") != "" {
			return
		}
		client := r.Who() + "\x00" + r.Raw().Target()
		if r.Status == 410 || r.Param("syncToken") != "" || r.Header("If-None-Match") != "" {
			lists.Delete(client)
			return
		}
		if !r.OK() || r.AnswerText("/nextSyncToken") == "" {
			return
		}
		l, _ := lists.Get(client)
		if l.tokens >= most && r.Follows(l.last) {
			b.Add(r.Line()+" was read whole again although a nextSyncToken was given", l.last, r.Past())
		}
		lists.Put(client, reading{l.tokens + 1, r.Past()})
	})
}
