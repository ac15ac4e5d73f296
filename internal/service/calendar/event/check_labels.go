package event

import (
	"encoding/json"
	"unicode/utf8"

	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// What the contract's API allows of labels.
const (
	maxLabels    = 200
	maxLabelName = 50
)

// CheckLabels checks the labels that a calendar has for its events.
func CheckLabels(properties *json.RawMessage) error {
	var kept struct {
		EventLabels []struct{ ID, Name, BackgroundColor string }
	}
	if err := CheckKept("labelProperties", properties, &kept); err != nil {
		return err
	}
	if len(kept.EventLabels) > maxLabels {
		return refusal.Invalid("labelProperties", "a calendar has at most %d labels", maxLabels)
	}
	for _, label := range kept.EventLabels {
		if utf8.RuneCountInString(label.Name) > maxLabelName {
			return refusal.Invalid("labelProperties", "the name of a label has at most %d characters", maxLabelName)
		}
	}
	return nil
}
