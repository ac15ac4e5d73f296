package event

import (
	"encoding/json"

	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// maxKeptObject bounds an object that is kept as the client wrote it.
const maxKeptObject = 32 << 10

// The objects of an event that are kept as the client wrote them. Clients of others read them: a member of another
// type would keep those from reading the whole list that the event is on.
type (
	gadget struct {
		Type, Title, Link, IconLink, Display string
		Width, Height                        int32
		Preferences                          map[string]string
	}
	birthdayProperties  struct{ Contact, CustomTypeName, Type string }
	focusTimeProperties struct{ AutoDeclineMode, ChatStatus, DeclineMessage string }
	outOfOffice         struct{ AutoDeclineMode, DeclineMessage string }
	workingLocation     struct {
		Type           string
		CustomLocation struct{ Label string }
		OfficeLocation struct{ BuildingID, FloorID, FloorSectionID, DeskID, Label string }
	}
)

// CheckKept checks the size of an object that is kept as it is, and the types of the members that into has. It takes
// null for no object.
func CheckKept(name string, raw *json.RawMessage, into any) error {
	if len(*raw) == 0 || string(*raw) == "null" {
		*raw = nil
		return nil
	}
	if len(*raw) > maxKeptObject {
		return refusal.Invalid(name, "%s has %d bytes at most", name, maxKeptObject)
	}
	if err := json.Unmarshal(*raw, into); err != nil {
		return refusal.Invalid(name, "%s is an object as the contract describes it", name)
	}
	return nil
}

func checkKeptObjects(doc *Event) error {
	for _, member := range []struct {
		name string
		raw  *json.RawMessage
		into any
	}{
		{"gadget", &doc.Gadget, &gadget{}},
		{"birthdayProperties", &doc.BirthdayProperties, &birthdayProperties{}},
		{"focusTimeProperties", &doc.FocusTimeProperties, &focusTimeProperties{}},
		{"outOfOfficeProperties", &doc.OutOfOfficeProperties, &outOfOffice{}},
		{"workingLocationProperties", &doc.WorkingLocationProperties, &workingLocation{}},
	} {
		if err := CheckKept(member.name, member.raw, member.into); err != nil {
			return err
		}
	}
	return nil
}
