package snapshots

import (
	"strconv"

	"stoa.dev/stoa/internal/service/snapshots/events"
)

type eventRequest struct {
	Title          string   `json:"title"`
	Text           string   `json:"text"`
	DateHappened   int64    `json:"date_happened"`
	Priority       string   `json:"priority"`
	Host           string   `json:"host"`
	Tags           []string `json:"tags"`
	AlertType      string   `json:"alert_type"`
	AggregationKey string   `json:"aggregation_key"`
	SourceTypeName string   `json:"source_type_name"`
	DeviceName     string   `json:"device_name"`
	RelatedEventID int64    `json:"related_event_id"`
}

func (q eventRequest) fromWire() events.Event {
	return events.Event{
		Title: q.Title, Text: q.Text, Happened: q.DateHappened, Priority: q.Priority, Host: q.Host, Tags: q.Tags,
		AlertType:      q.AlertType,
		AggregationKey: q.AggregationKey, Source: q.SourceTypeName, DeviceName: q.DeviceName,
		RelatedEventID: q.RelatedEventID,
	}
}

type eventJSON struct {
	ID             int64    `json:"id"`
	IDStr          string   `json:"id_str"`
	Title          string   `json:"title"`
	Text           string   `json:"text"`
	DateHappened   int64    `json:"date_happened"`
	Priority       string   `json:"priority"`
	Host           string   `json:"host,omitempty"`
	Tags           []string `json:"tags"`
	AlertType      string   `json:"alert_type"`
	AggregationKey string   `json:"aggregation_key,omitempty"`
	Source         string   `json:"source,omitempty"`
	DeviceName     string   `json:"device_name,omitempty"`
	RelatedEventID int64    `json:"related_event_id,omitempty"`
	URL            string   `json:"url"`
}

type eventResponse struct {
	Status string    `json:"status"`
	Event  eventJSON `json:"event"`
}

type oneEventResponse struct {
	Event eventJSON `json:"event"`
}

type eventsResponse struct {
	Events []eventJSON `json:"events"`
	Status string      `json:"status"`
}

func eventToWire(e events.Event, base string) eventJSON {
	id := strconv.FormatInt(e.ID, 10)
	return eventJSON{
		ID: e.ID, IDStr: id, Title: e.Title, Text: e.Text, DateHappened: e.Happened, Priority: e.Priority, Host: e.Host,
		Tags: nonNil(e.Tags), AlertType: e.AlertType, AggregationKey: e.AggregationKey, Source: e.Source,
		DeviceName: e.DeviceName, RelatedEventID: e.RelatedEventID, URL: base + "/api/v1/events/" + id,
	}
}

func eventsToWire(list []events.Event, base string) eventsResponse {
	out := eventsResponse{Events: []eventJSON{}, Status: "ok"}
	for _, e := range list {
		out.Events = append(out.Events, eventToWire(e, base))
	}
	return out
}
