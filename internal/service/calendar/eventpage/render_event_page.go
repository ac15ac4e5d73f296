package eventpage

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"strings"
	"sync"

	"stoa.dev/stoa/internal/service/calendar/event"
)

// Base is the path of the page; the event is named in its query.
const Base = "/calendar/event"

// Path is the address of an event's page.
func Path(calendar, id string) string {
	return Base + "?eid=" + base64.RawURLEncoding.EncodeToString([]byte(id+" "+calendar))
}

// Parse finds the event that an address names.
func Parse(eid string) (calendar, id string, ok bool) {
	text, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(eid, "="))
	if err != nil || len(text) > 2048 {
		return "", "", false
	}
	id, calendar, ok = strings.Cut(string(text), " ")
	return calendar, id, ok && id != "" && calendar != ""
}

//go:embed page.html
var text string

// parsed is immutable and the same in all worlds of a process.
var parsed = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("event").Funcs(template.FuncMap{"when": when, "answer": answer}).Parse(text))
})

// page is what the template gets.
type page struct {
	*event.Event
	Calendar string
	Meetings []string
}

// Render is the content of the page.
func Render(e *event.Event, calendar string) (template.HTML, error) {
	var out bytes.Buffer
	if err := parsed().Execute(&out, page{Event: e, Calendar: calendar, Meetings: meetings(e)}); err != nil {
		return "", err
	}
	return template.HTML(out.String()), nil //nolint:gosec // html/template has escaped it
}

// meetings are the web addresses of an event's conference.
func meetings(e *event.Event) (addresses []string) {
	var conference struct {
		EntryPoints []struct {
			URI string `json:"uri"`
		} `json:"entryPoints"`
	}
	if json.Unmarshal(e.ConferenceData, &conference) != nil {
		return nil
	}
	for _, p := range conference.EntryPoints {
		if strings.HasPrefix(p.URI, "https://") || strings.HasPrefix(p.URI, "http://") {
			addresses = append(addresses, p.URI)
		}
	}
	return addresses
}

// when writes a time in words.
func when(t *event.Time) string {
	switch {
	case t == nil:
		return ""
	case t.Date != "":
		return t.Date
	}
	text := strings.Replace(t.DateTime, "T", " ", 1)
	if t.TimeZone != "" {
		text += " (" + t.TimeZone + ")"
	}
	return text
}

// answer writes what an attendee said.
func answer(status string) string {
	switch status {
	case "accepted":
		return "comes"
	case "declined":
		return "does not come"
	case "tentative":
		return "comes perhaps"
	}
	return "has not answered"
}
