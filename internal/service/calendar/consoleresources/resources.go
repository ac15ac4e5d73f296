package consoleresources

import "stoa.dev/stoa/internal/platform/resource"

// All are calendars, their events and who may see them, and the user's channels.
func All() []resource.Resource {
	return []resource.Resource{calendars(), events(), rules(), channels()}
}

func call(operation string) resource.Call { return resource.Call{Operation: "calendar." + operation} }

func paging() resource.Paging {
	return resource.Paging{Token: "pageToken", Next: "/nextPageToken", Size: "maxResults", Per: resource.PageRows}
}

func calendars() resource.Resource {
	fields := []resource.Field{
		{Name: "summary", Title: "Title", Required: true},
		{Name: "description", Title: "Description", Kind: resource.Multiline}, {Name: "location", Title: "Location"},
		{Name: "timeZone", Title: "Time zone", Help: "such as Europe/Athens"},
	}
	return resource.Resource{
		Name: "calendars", Title: "Calendars", One: "a calendar", Empty: "There are no calendars yet. Add the first one.",
		About: "Your calendars and those that were shared with you, with their events.",
		List:  call("calendarList.list"), Items: "/items", Paging: paging(), Get: call("calendarList.get"),
		Key: []resource.Key{{Parameter: "calendarId", Pointer: "/id"}}, Label: "/summary", NamesInner: true,
		Columns: []resource.Column{
			{Title: "Title", Pointer: "/summary"}, {Title: "Role", Pointer: "/accessRole"},
			{Title: "Time zone", Pointer: "/timeZone"}, {Title: "Description", Pointer: "/description"},
			{Title: "ID", Pointer: "/id", Kind: resource.Code},
		},
		Actions: []resource.Action{
			{Name: "add", Title: "Add a calendar", Call: call("calendars.insert"), Fields: fields},
			{Name: "edit", Title: "Edit", One: true, Edit: true, Call: call("calendars.patch"), Fields: fields},
			{Name: "watch", Title: "Watch", One: true, Call: call("events.watch"), Shows: true,
				Text: "Messages about changes of the events go to the address. In a lab, make an inbox and use its address.",
				Note: "Messages go to the address from now on, whenever an event of the calendar changes, until the channel " +
					"expires or is stopped.",
				Result: []resource.Column{
					{Title: "Channel ID", Pointer: "/id"}, {Title: "Resource ID", Pointer: "/resourceId"},
					{Title: "Expires", Pointer: "/expiration", Kind: resource.Millis},
				},
				Ends: "stop", Body: map[string]any{"/type": "web_hook"}, Fields: []resource.Field{
					{Name: "id", Title: "Channel ID", Required: true, Help: "one that was not used before", Default: "unique channel"},
					{Name: "address", Title: "Address", Required: true, Help: "https://…; a lab takes its inboxes"},
					{Name: "token", Title: "Token", Help: "repeated in every message"},
				}},
			{Name: "stop", Title: "Stop watching", Call: call("channels.stop"), Fields: []resource.Field{
				{Name: "id", Title: "Channel ID", Required: true}, {Name: "resourceId", Title: "Resource ID", Required: true},
			}},
			{Name: "clear", Title: "Clear", One: true, Danger: true, Call: call("calendars.clear"),
				Text: "All events of your primary calendar are deleted."},
			{Name: "delete", Title: "Delete", One: true, Danger: true, Call: call("calendars.delete"),
				Text: "The calendar is deleted with all its events."},
		},
	}
}

func events() resource.Resource {
	fields := []resource.Field{
		{Name: "summary", Title: "Title", Required: true},
		{Name: "start/dateTime", Title: "Start", Kind: resource.Time, Required: true, Default: "now+1h"},
		{Name: "end/dateTime", Title: "End", Kind: resource.Time, Required: true, Default: "now+2h"},
		{Name: "location", Title: "Location"}, {Name: "description", Title: "Description", Kind: resource.Multiline},
	}
	return resource.Resource{
		Name: "events", Title: "Events", One: "an event", In: "calendars", Empty: "No events. Add one.",
		List: resource.Call{Operation: "calendar.events.list", Query: map[string]string{
			"singleEvents": "true", "orderBy": "startTime",
		}},
		Items: "/items", Paging: paging(), Get: call("events.get"),
		Filters: []resource.Field{
			{Name: "q", Title: "Text"}, {Name: "timeMin", Title: "From", Kind: resource.Time, Default: "now-720h"},
			{Name: "timeMax", Title: "Until", Kind: resource.Time, Default: "now+2160h"},
		},
		Key: []resource.Key{{Parameter: "eventId", Pointer: "/id"}}, Label: "/summary",
		Calendar: &resource.Calendar{
			Title: "/summary", Start: []string{"/start/dateTime", "/start/date"}, End: []string{"/end/dateTime", "/end/date"},
			After: "timeMin", Before: "timeMax", Zone: "/timeZone",
		},
		Columns: []resource.Column{
			{Title: "Title", Pointer: "/summary"},
			{Title: "Start", Pointer: "/start/dateTime", Or: "/start/date", Kind: resource.Time},
			{Title: "End", Pointer: "/end/dateTime", Or: "/end/date", Kind: resource.Time},
			{Title: "Location", Pointer: "/location"}, {Title: "State", Pointer: "/status", Kind: resource.State},
		},
		Actions: []resource.Action{
			{Name: "add", Title: "Add an event", Call: call("events.insert"), Fields: fields},
			{Name: "quick", Title: "Quick add", Call: call("events.quickAdd"), Fields: []resource.Field{
				{Name: "text", Title: "Text", In: resource.InQuery, Required: true, Help: "such as Lunch tomorrow 12:30"},
			}},
			{Name: "edit", Title: "Edit", One: true, Edit: true, Call: call("events.patch"), Fields: fields},
			{Name: "delete", Title: "Delete", One: true, Danger: true, Call: call("events.delete"), Undo: "restore"},
			{Name: "restore", Title: "Restore", One: true, Hidden: true, Call: call("events.patch"),
				Body: map[string]any{"/status": "confirmed"}},
		},
	}
}

func rules() resource.Resource {
	return resource.Resource{
		Name: "sharing", Title: "Sharing", One: "a rule", In: "calendars", Empty: "The calendar is not shared.",
		List: call("acl.list"), Items: "/items", Paging: paging(), Get: call("acl.get"),
		Key: []resource.Key{{Parameter: "ruleId", Pointer: "/id"}}, Label: "/id",
		Columns: []resource.Column{
			{Title: "Rule", Pointer: "/id"}, {Title: "Who", Pointer: "/scope/value", Or: "/scope/type"},
			{Title: "Role", Pointer: "/role"},
		},
		Actions: []resource.Action{
			{Name: "add", Title: "Share", Call: call("acl.insert"), Fields: []resource.Field{
				{Name: "role", Title: "Role", Kind: resource.Choice, Required: true,
					Options: []string{"reader", "writer", "owner", "freeBusyReader"}},
				{Name: "scope/type", Title: "With", Kind: resource.Choice, Required: true,
					Options: []string{"user", "group", "domain", "default"}},
				{Name: "scope/value", Title: "Address", Help: "of the user or the group"},
			}},
			{Name: "delete", Title: "Stop sharing", One: true, Danger: true, Call: call("acl.delete"),
				Text: "The calendar is no longer shared with them."},
		},
	}
}

// channels are what the user watches, whichever application began it.
func channels() resource.Resource {
	page := paging()
	page.Per = 250
	return resource.Resource{
		Name: "channels", Title: "Channels", One: "a channel",
		About: "What is watched for you: messages about changes go to the address until the channel expires or is stopped.",
		Empty: "Nothing is watched. A calendar's page has a button for it.",
		List:  call("channels.list"), Items: "/items", Paging: page,
		Key: []resource.Key{
			{Parameter: "id", Pointer: "/id"}, {Parameter: "resourceId", Pointer: "/resourceId"},
		}, Label: "/id",
		Columns: []resource.Column{
			{Title: "Channel ID", Pointer: "/id"}, {Title: "Address", Pointer: "/address"},
			{Title: "Watches", Pointer: "/resourceUri"},
			{Title: "Expires", Pointer: "/expiration", Kind: resource.Millis},
			{Title: "Application", Pointer: "/clientId"},
		},
		Actions: []resource.Action{{
			Name: "stop", Title: "Stop", One: true, Danger: true, Call: call("channels.stop"),
			Body: map[string]any{"/id": "{id}", "/resourceId": "{resourceId}"},
			Text: "No further message is sent.",
			// The contract lets the application alone stop what it began.
			If: &resource.Condition{Pointer: "/clientId", OneOf: []string{""}},
		}},
	}
}
