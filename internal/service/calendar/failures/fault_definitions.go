package failures

import (
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/calendar/channel"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// Catalogue are the refusals by name; status is that of a code.
func Catalogue(status func(refusal.Code) (int, string)) []module.Fault {
	refused := func(name, description string, err *refusal.Error, operations ...string) module.Fault {
		code, _ := status(err.Code)
		for i := range operations {
			operations[i] = "calendar." + operations[i]
		}
		return module.Fault{
			Name: name, Status: code, Description: description, Operations: operations, Handle: module.Refuse(err),
		}
	}
	return append([]module.Fault{
		refused("full_sync_required", "The sync token is no longer valid: begin with a full list.",
			refusal.FullSync(), "events.list", "calendarList.list", "acl.list", "settings.list"),
		refused("updated_min_too_long_ago", "updatedMin lies too far in the past to be answered.",
			refusal.New(refusal.CodeUpdatedMin, "updatedMin",
				"The requested minimum modification time lies too far in the past."), "events.list"),
		refused("quota_exceeded", "The usage limits of calendars are exceeded.",
			refusal.New(refusal.CodeQuota, "", "Calendar usage limits exceeded.")),
		refused("not_found", "The calendar or event does not exist, or the caller may not see it.",
			refusal.New(refusal.CodeNotFound, "", "Not Found")),
		refused("event_deleted", "The event has been deleted.",
			refusal.New(refusal.CodeDeleted, "", "Resource has been deleted"), "events.delete", "events.update", "events.patch"),
		refused("duplicate_id", "An event or calendar has the identifier already.",
			refusal.New(refusal.CodeDuplicate, "", "The requested identifier already exists."),
			"events.insert", "events.import", "calendarList.insert"),
		refused("etag_mismatch", "The resource has changed since it was read: If-Match does not hold any more.",
			refusal.New(refusal.CodeCondition, "If-Match", "Precondition Failed"),
			"events.update", "events.patch", "events.delete", "calendars.update", "calendars.patch"),
		refused("writer_access_required", "The caller may read the calendar and not write to it.",
			refusal.New(refusal.CodeAccessLevel, "", "You need to have %s access to this calendar.", "writer"),
			"events.insert", "events.update", "events.patch", "events.delete", "events.move", "events.import"),
		refused("time_range_empty", "The event would end before it starts.", refusal.TimeRange("timeMax"),
			"events.list", "events.insert", "events.update", "events.patch", "freebusy.query"),
	}, channels(refused)...)
}

// channels are the refusals that are about notifications.
func channels(
	refused func(name, description string, err *refusal.Error, operations ...string) module.Fault,
) []module.Fault {
	watch := func() []string {
		return []string{"events.watch", "acl.watch", "calendarList.watch", "settings.watch"}
	}
	return []module.Fault{
		refused("channel_gone", "The channel has expired or was stopped: there is none to stop.",
			channel.NotFound("example", "example"),
			"channels.stop"),
		refused("too_many_channels", "The caller has as many channels as one may have.",
			refusal.New(refusal.CodeManyChannels, "", "Too many channels."), watch()...),
		refused("channel_id_not_unique", "Another channel has the identifier.",
			refusal.New(refusal.CodeChannelID, "id", "Channel id %s not unique", "example"), watch()...),
		refused("webhook_unauthorized", "The address is not one that may be called.",
			refusal.New(refusal.CodeAddress, "address", "Unauthorized WebHook callback channel: %s", "https://example.com"),
			watch()...),
	}
}
