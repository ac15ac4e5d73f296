// Command calendar books a weekly meeting and prints the next three, as the
// calendar sees them.
package main

import (
	"fmt"
	"time"

	"stoa.dev/stoa/examples/go/stoa"
)

type moment struct {
	DateTime time.Time `json:"dateTime"`
	TimeZone string    `json:"timeZone,omitempty"`
}

type event struct {
	ID         string   `json:"id,omitempty"`
	Summary    string   `json:"summary"`
	Recurrence []string `json:"recurrence,omitempty"`
	Start      moment   `json:"start"`
	End        moment   `json:"end"`
}

func main() {
	const at = "/calendar/v3/calendars/primary/events"
	token := stoa.Variable("STOA_TOKEN")
	start := time.Now().UTC().Truncate(24 * time.Hour).Add(33 * time.Hour)
	meeting := event{
		Summary: "Stand-up", Recurrence: []string{"RRULE:FREQ=WEEKLY;COUNT=10"},
		Start: moment{start, "Etc/UTC"}, End: moment{start.Add(30 * time.Minute), "Etc/UTC"},
	}
	stoa.Must(stoa.Call{Method: "POST", Path: at, Token: token, Body: meeting}.Do(&meeting))
	var page struct {
		Items []event `json:"items"`
	}
	stoa.Must(stoa.Call{Method: "GET", Path: at + "/" + meeting.ID + "/instances?maxResults=3", Token: token}.Do(&page))
	for _, e := range page.Items {
		fmt.Println(e.Summary, "at", e.Start.DateTime.Format(time.RFC3339))
	}
}
