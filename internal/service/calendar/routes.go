package calendar

import (
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
)

// routes is the operation table of the contract.
func (s *Service) routes() []route.Route {
	const at = "/calendar/v3"
	var (
		aclRead       = []string{"calendar", "calendar.acls", "calendar.acls.readonly", "calendar.app.created"}
		aclWatch      = []string{"calendar", "calendar.acls", "calendar.acls.readonly"}
		aclWrite      = []string{"calendar", "calendar.acls", "calendar.app.created"}
		listRead      = []string{"calendar", "calendar.calendarlist", "calendar.calendarlist.readonly", "calendar.readonly"}
		listWrite     = []string{"calendar", "calendar.calendarlist"}
		calendarRead  = []string{"calendar", "calendar.calendars", "calendar.calendars.readonly", "calendar.readonly", "calendar.app.created"}
		calendarWrite = []string{"calendar", "calendar.calendars", "calendar.app.created"}
		eventRead     = []string{
			"calendar", "calendar.events", "calendar.readonly", "calendar.events.readonly", "calendar.app.created", "calendar.events.owned",
			"calendar.events.owned.readonly", "calendar.events.public.readonly", "calendar.events.freebusy",
		}
		eventWrite  = []string{"calendar", "calendar.events", "calendar.events.owned", "calendar.app.created"}
		settingRead = []string{"calendar", "calendar.readonly", "calendar.settings", "calendar.settings.readonly"}
		busyRead    = []string{"calendar", "calendar.readonly", "calendar.freebusy", "calendar.events.freebusy"}
		stop        = append(append(append([]string{}, eventRead...), aclWatch...), append(listRead, settingRead...)...)
		colors      = append(append([]string{}, eventRead...), append(append([]string{}, calendarRead...), listRead...)...)
	)
	row := func(method, pattern, name string, scopes []string, h handler) route.Route {
		return route.Route{Method: method, Pattern: at + pattern, Name: name, Access: route.Required, Scopes: scopes, Handle: s.serve(h)}
	}
	return []route.Route{
		row("GET", "/calendars/{calendarId}/acl", "calendar.acl.list", aclRead, s.handleListACL),
		row("POST", "/calendars/{calendarId}/acl", "calendar.acl.insert", aclWrite, s.handleInsertACL),
		row("GET", "/calendars/{calendarId}/acl/{ruleId}", "calendar.acl.get", aclRead, s.handleGetACL),
		row("PUT", "/calendars/{calendarId}/acl/{ruleId}", "calendar.acl.update", aclWrite, s.handleUpdateACL),
		row("PATCH", "/calendars/{calendarId}/acl/{ruleId}", "calendar.acl.patch", aclWrite, s.handleUpdateACL),
		row("DELETE", "/calendars/{calendarId}/acl/{ruleId}", "calendar.acl.delete", aclWrite, s.handleDeleteACL),
		row("POST", "/calendars/{calendarId}/acl/watch", "calendar.acl.watch", aclWatch, s.handleWatchACL),

		row("GET", "/users/me/calendarList", "calendar.calendarList.list", listRead, s.handleListCalendarList),
		row("POST", "/users/me/calendarList", "calendar.calendarList.insert", listWrite, s.handleInsertCalendarList),
		row("GET", "/users/me/calendarList/{calendarId}", "calendar.calendarList.get", listRead, s.handleGetCalendarList),
		row("PUT", "/users/me/calendarList/{calendarId}", "calendar.calendarList.update", listWrite, s.handleUpdateCalendarList),
		row("PATCH", "/users/me/calendarList/{calendarId}", "calendar.calendarList.patch", listWrite, s.handlePatchCalendarList),
		row("DELETE", "/users/me/calendarList/{calendarId}", "calendar.calendarList.delete", listWrite, s.handleDeleteCalendarList),
		row("POST", "/users/me/calendarList/watch", "calendar.calendarList.watch", listRead, s.handleWatchCalendarList),

		row("POST", "/calendars", "calendar.calendars.insert", calendarWrite, s.handleInsertCalendar),
		row("GET", "/calendars/{calendarId}", "calendar.calendars.get", calendarRead, s.handleGetCalendar),
		row("PUT", "/calendars/{calendarId}", "calendar.calendars.update", calendarWrite, s.handleUpdateCalendar),
		row("PATCH", "/calendars/{calendarId}", "calendar.calendars.patch", calendarWrite, s.handlePatchCalendar),
		row("DELETE", "/calendars/{calendarId}", "calendar.calendars.delete", calendarWrite, s.handleDeleteCalendar),
		row("POST", "/calendars/{calendarId}/clear", "calendar.calendars.clear", calendarWrite, s.handleClearCalendar),
		row("POST", "/calendars/{calendarId}/transferOwnership", "calendar.calendars.transferOwnership", calendarWrite, s.handleTransferCalendar),

		row("POST", "/channels/stop", "calendar.channels.stop", stop, s.handleStopChannel),
		row("GET", "/colors", "calendar.colors.get", colors, s.handleGetColors),

		row("GET", "/calendars/{calendarId}/events", "calendar.events.list", eventRead, s.handleListEvents),
		row("POST", "/calendars/{calendarId}/events", "calendar.events.insert", eventWrite, s.handleInsertEvent),
		row("GET", "/calendars/{calendarId}/events/{eventId}", "calendar.events.get", eventRead, s.handleGetEvent),
		row("PUT", "/calendars/{calendarId}/events/{eventId}", "calendar.events.update", eventWrite, s.handleUpdateEvent),
		row("PATCH", "/calendars/{calendarId}/events/{eventId}", "calendar.events.patch", eventWrite, s.handlePatchEvent),
		row("DELETE", "/calendars/{calendarId}/events/{eventId}", "calendar.events.delete", eventWrite, s.handleDeleteEvent),
		row("POST", "/calendars/{calendarId}/events/import", "calendar.events.import", eventWrite, s.handleImportEvent),
		row("POST", "/calendars/{calendarId}/events/quickAdd", "calendar.events.quickAdd", eventWrite, s.handleQuickAddEvent),
		row("POST", "/calendars/{calendarId}/events/watch", "calendar.events.watch", eventRead, s.handleWatchEvents),
		row("POST", "/calendars/{calendarId}/events/{eventId}/move", "calendar.events.move", eventWrite, s.handleMoveEvent),
		row("GET", "/calendars/{calendarId}/events/{eventId}/instances", "calendar.events.instances", eventRead, s.handleListInstances),

		row("POST", "/freeBusy", "calendar.freebusy.query", busyRead, s.handleQueryFreeBusy),
		row("GET", "/users/me/settings", "calendar.settings.list", settingRead, s.handleListSettings),
		row("GET", "/users/me/settings/{setting}", "calendar.settings.get", settingRead, s.handleGetSetting),
		row("POST", "/users/me/settings/watch", "calendar.settings.watch", settingRead, s.handleWatchSettings),
	}
}

func (s *Service) muxOptions() route.Options {
	return route.Options{
		Service:      Name,
		WriteError:   writeError,
		Extract:      route.Bearer(),
		Authenticate: s.identity.Authenticator(Name),
		Gate:         gate(s.world.Limits, limit.Window{Name: Name + ".requests", Limit: s.config.RequestsPerMinute, Per: time.Minute}),
		CORS:         &route.CORS{Origins: []string{"*"}},
		Clock:        s.world.Clock,
		IDs:          s.world.IDs,
		Memory:       s.world.Memory,
		Requests:     s.world.Requests,
		Telemetry:    s.world.Telemetry,
	}
}
