package apidescription

import "stoa.dev/stoa/internal/platform/module"

// API is what clients that are made from a description read of the parameters. All paths are below base.
func API(name, base string) *module.API {
	return &module.API{
		Name: name, Version: "v3", BasePath: base + "/", BatchParts: 50,
		Booleans: []string{
			"singleEvents", "showDeleted", "showHidden", "showHiddenInvitations", "colorRgbFormat", "sendNotifications",
			"supportsAttachments", "alwaysIncludeEmail",
		},
		Integers: []string{"maxResults", "maxAttendees", "conferenceDataVersion"},
		Repeated: []string{"eventTypes", "privateExtendedProperty", "sharedExtendedProperty"},
		Required: map[string][]string{
			"calendar.events.move": {"destination"}, "calendar.events.quickAdd": {"text"},
			"calendar.calendars.transferOwnership": {"newDataOwner"},
		},
	}
}

// WithoutEffect are parameters that are taken and change nothing: no mail is sent, and
// attachments and conferences are always there.
func WithoutEffect() map[string][]string {
	mail := []string{"sendUpdates", "sendNotifications"}
	write := append([]string{"conferenceDataVersion", "supportsAttachments", "alwaysIncludeEmail"}, mail...)
	list := []string{"showHiddenInvitations", "alwaysIncludeEmail"}
	return map[string][]string{
		"calendar.events.insert": write, "calendar.events.update": write, "calendar.events.patch": write,
		"calendar.events.import": {"conferenceDataVersion", "supportsAttachments"}, "calendar.events.delete": mail,
		"calendar.events.move": mail, "calendar.events.quickAdd": mail, "calendar.events.list": list,
		"calendar.events.instances": list, "calendar.events.get": {"alwaysIncludeEmail"}, "calendar.events.watch": list,
		"calendar.acl.insert": mail[1:], "calendar.acl.update": mail[1:], "calendar.acl.patch": mail[1:],
	}
}
