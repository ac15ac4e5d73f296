package eventpage_test

import (
	"net/url"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/service/calendar/event"
	"stoa.dev/stoa/internal/service/calendar/eventpage"
)

func TestRender(t *testing.T) {
	t.Parallel()
	e := &event.Event{
		Summary: "<script>", Start: &event.Time{Date: "2026-03-01"}, End: &event.Time{Date: "2026-03-02"},
		ConferenceData: []byte(`{"entryPoints":[{"uri":"javascript:alert(1)"},{"uri":"https://meet.example/x"}]}`),
		Attendees:      []event.Attendee{{Email: "a@b", ResponseStatus: "declined"}},
	}
	html, err := eventpage.Render(e, "a@b")
	text := string(html)
	if err != nil || strings.Contains(text, "<script>") || strings.Contains(text, "javascript:") ||
		!strings.Contains(text, "https://meet.example/x") || !strings.Contains(text, "does not come") {
		t.Errorf("%v %s", err, text)
	}
}

// FuzzParse: an address that is made is read again, and others give nothing or an event.
func FuzzParse(f *testing.F) {
	fuzztest.Strings(f, "", "AAAA", "!", strings.Repeat("A", 5000))
	f.Fuzz(func(t *testing.T, eid string) {
		calendar, id, ok := eventpage.Parse(eid)
		if !ok {
			return
		}
		u, err := url.Parse(eventpage.Path(calendar, id))
		if err != nil {
			t.Fatal(err)
		}
		if c, i, ok := eventpage.Parse(u.Query().Get("eid")); !ok || c != calendar || i != id {
			t.Errorf("%q: %q %q, again %q %q", eid, calendar, id, c, i)
		}
	})
}
