package seedfile_test

import (
	"testing"

	"stoa.dev/stoa/internal/service/calendar/seedfile"
)

func TestEvent(t *testing.T) {
	t.Parallel()
	e, err := seedfile.NewEvent("one", map[string]any{"summary": "Lunch", "status": "confirmed", "etag": "2"})
	if err != nil || e.ID != "one" || e.Summary != "Lunch" || e.Status != "" {
		t.Errorf("got %+v, %v", e, err)
	}
	var doc struct{ ID, Summary string }
	if err := e.Into(&doc); err != nil || doc.ID != "one" || doc.Summary != "Lunch" {
		t.Errorf("got %+v, %v", doc, err)
	}
	if _, err := seedfile.NewEvent("one", func() {}); err == nil {
		t.Error("a function is taken for an event")
	}
}
