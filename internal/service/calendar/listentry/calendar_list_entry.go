package listentry

import (
	"encoding/json"
	"slices"

	"stoa.dev/stoa/internal/service/calendar/event"
	"stoa.dev/stoa/internal/service/calendar/palette"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// Entry is CalendarListEntry of the contract. Stored are only the members
// that belong to the list's owner.
type Entry struct {
	Kind                  string           `json:"kind,omitempty"`
	ETag                  string           `json:"etag,omitempty"`
	ID                    string           `json:"id,omitempty"`
	Summary               string           `json:"summary,omitempty"`
	SummaryOverride       string           `json:"summaryOverride,omitempty"`
	Description           string           `json:"description,omitempty"`
	Location              string           `json:"location,omitempty"`
	TimeZone              string           `json:"timeZone,omitempty"`
	ColorID               string           `json:"colorId,omitempty"`
	BackgroundColor       string           `json:"backgroundColor,omitempty"`
	ForegroundColor       string           `json:"foregroundColor,omitempty"`
	Hidden                bool             `json:"hidden,omitempty"`
	Selected              bool             `json:"selected,omitempty"`
	AccessRole            string           `json:"accessRole,omitempty"`
	DefaultReminders      []event.Reminder `json:"defaultReminders"`
	NotificationSettings  *Notifications   `json:"notificationSettings,omitempty"`
	Primary               bool             `json:"primary,omitempty"`
	Deleted               bool             `json:"deleted,omitempty"`
	ConferenceProperties  json.RawMessage  `json:"conferenceProperties,omitempty"`
	DataOwner             string           `json:"dataOwner,omitempty"`
	AutoAcceptInvitations bool             `json:"autoAcceptInvitations,omitempty"`
}

// Tag is the entity tag.
func (e *Entry) Tag() string { return e.ETag }

// Notifications are what the user is told of by mail.
type Notifications struct {
	Notifications []Notification `json:"notifications"`
}

// Notification is one kind of it.
type Notification struct {
	Type   string `json:"type"`
	Method string `json:"method"`
}

// own keeps what belongs to the list's owner.
func (e Entry) own() Entry {
	return Entry{
		SummaryOverride: e.SummaryOverride, ColorID: e.ColorID, BackgroundColor: e.BackgroundColor,
		ForegroundColor: e.ForegroundColor,
		Hidden:          e.Hidden, Selected: e.Selected, DefaultReminders: e.DefaultReminders,
		NotificationSettings: e.NotificationSettings,
	}
}

// Check checks what a client may say about an entry.
func Check(doc, old Entry, rgb bool) (Entry, error) {
	doc = doc.own()
	if doc.DefaultReminders == nil {
		doc.DefaultReminders = []event.Reminder{}
	}
	if err := event.CheckReminders("defaultReminders", doc.DefaultReminders); err != nil {
		return doc, err
	}
	if err := event.CheckTexts(map[string]string{"summaryOverride": doc.SummaryOverride}, ""); err != nil {
		return doc, err
	}
	if doc.NotificationSettings != nil {
		for _, n := range doc.NotificationSettings.Notifications {
			kinds := []string{"eventCreation", "eventChange", "eventCancellation", "eventResponse", "agenda"}
			if n.Method != "email" || !slices.Contains(kinds, n.Type) {
				return doc, refusal.Invalid("notificationSettings", "%s by %s is not a notification",
					refusal.Clip(n.Type), refusal.Clip(n.Method))
			}
		}
	}
	if rgb {
		if !palette.Valid(doc.BackgroundColor) || !palette.Valid(doc.ForegroundColor) {
			return doc, refusal.Invalid("backgroundColor", "colors are written #rrggbb")
		}
		doc.ColorID = ""
		return doc, nil
	}
	doc.BackgroundColor, doc.ForegroundColor = old.BackgroundColor, old.ForegroundColor
	if doc.ColorID == "" && (old.ColorID != "" || old.BackgroundColor == "") {
		doc.ColorID = "14"
	}
	if doc = doc.colored(); doc.BackgroundColor == "" {
		return doc, refusal.Invalid("colorId", "%s is not a color of calendars", refusal.Clip(doc.ColorID))
	}
	return doc, nil
}

// colored fills in what the color id stands for, unless the entry has colors
// of its own.
func (e Entry) colored() Entry {
	if e.ColorID != "" {
		e.BackgroundColor, e.ForegroundColor = palette.Find(palette.Calendar(), e.ColorID), palette.Foreground
	}
	return e
}

// New is how a calendar of one's own is shown at first.
func New(primary bool) Entry {
	e := Entry{ColorID: "14", Selected: true, DefaultReminders: []event.Reminder{}}
	if primary {
		e.DefaultReminders = []event.Reminder{{Method: "popup", Minutes: 10}}
		e.NotificationSettings = &Notifications{Notifications: []Notification{
			{"eventCreation", "email"}, {"eventChange", "email"}, {"eventCancellation", "email"},
			{"eventResponse", "email"},
		}}
	}
	return e.colored()
}
