package event

import (
	"bytes"
	"encoding/json"
)

// Same reports whether two stored documents say the same.
func Same(a, b Event) bool {
	a.ICalUID, b.ICalUID = "", "" // a row has it beside the document
	return bytes.Equal(encode(a), encode(b))
}

// Rescheduled reports whether a change is one that guests have to answer again.
func Rescheduled(a, b Event) bool {
	return *a.Start != *b.Start || *a.End != *b.End || !bytes.Equal(encode(a.Recurrence), encode(b.Recurrence))
}

// OnlyReminders reports whether a change is of no interest to others: it
// does not count as an update.
func OnlyReminders(a, b Event) bool {
	same := bytes.Equal(encode(a.Reminders), encode(b.Reminders))
	a.Reminders, b.Reminders = nil, nil
	return !same && Same(a, b)
}

// encode writes a value that came from JSON; that cannot fail.
func encode(v any) []byte {
	text, _ := json.Marshal(v)
	return text
}
