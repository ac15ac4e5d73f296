package calendar

import (
	"net/http"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/apifamily"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/route/hostmux"
	"stoa.dev/stoa/internal/service/calendar/apidescription"
	"stoa.dev/stoa/internal/service/calendar/eventpage"
)

const (
	pathBase     = "/calendar/v3"
	pathCalendar = pathBase + "/calendars/{calendarId}"
	pathACL      = pathCalendar + "/acl"
	pathRule     = pathACL + "/{ruleId}"
	pathEvents   = pathCalendar + "/events"
	pathEvent    = pathEvents + "/{eventId}"
	pathList     = pathBase + "/users/me/calendarList"
	pathEntry    = pathList + "/{calendarId}"
	pathSettings = pathBase + "/users/me/settings"
)

// routes is the operation table of the contract.
func (s *Service) routes() []route.Route {
	var (
		aclRead      = []string{"calendar", "calendar.acls", "calendar.acls.readonly", "calendar.app.created"}
		aclWatch     = []string{"calendar", "calendar.acls", "calendar.acls.readonly"}
		aclWrite     = []string{"calendar", "calendar.acls", "calendar.app.created"}
		listWrite    = []string{"calendar", "calendar.calendarlist"}
		listRead     = append(listWrite, "calendar.calendarlist.readonly", "calendar.readonly")
		calendarRead = []string{
			"calendar", "calendar.calendars", "calendar.calendars.readonly", "calendar.readonly",
			"calendar.app.created",
		}
		calendarWrite = []string{"calendar", "calendar.calendars", "calendar.app.created"}
		eventRead     = []string{
			"calendar", "calendar.events", "calendar.readonly", "calendar.events.readonly", "calendar.app.created",
			"calendar.events.owned", "calendar.events.owned.readonly", "calendar.events.public.readonly",
			"calendar.events.freebusy",
		}
		eventWrite  = []string{"calendar", "calendar.events", "calendar.events.owned", "calendar.app.created"}
		settingRead = []string{"calendar", "calendar.readonly", "calendar.settings", "calendar.settings.readonly"}
		busyRead    = []string{"calendar", "calendar.readonly", "calendar.freebusy", "calendar.events.freebusy"}
		stop        = slices.Concat(eventRead, aclWatch, listRead, settingRead)
		colors      = slices.Concat(eventRead, calendarRead, listRead)
	)
	row := func(method, pattern, name string, scopes []string, h handler) route.Route {
		return route.Route{
			Method: method, Pattern: pattern, Name: name, Access: route.Required, Scopes: scopes, Handle: s.serve(h),
		}
	}
	routes := apifamily.Routes([]route.Route{
		row("GET", pathACL, "calendar.acl.list", aclRead, s.handleListACL),
		row("POST", pathACL, "calendar.acl.insert", aclWrite, s.handleInsertACL),
		row("GET", pathRule, "calendar.acl.get", aclRead, s.handleGetACL),
		row("PUT", pathRule, "calendar.acl.update", aclWrite, s.handleUpdateACL),
		row("PATCH", pathRule, "calendar.acl.patch", aclWrite, s.handleUpdateACL),
		row("DELETE", pathRule, "calendar.acl.delete", aclWrite, s.handleDeleteACL),
		row("POST", pathACL+"/watch", "calendar.acl.watch", aclWatch, s.handleWatchACL),

		row("GET", pathList, "calendar.calendarList.list", listRead, s.handleListCalendarList),
		row("POST", pathList, "calendar.calendarList.insert", listWrite, s.handleInsertCalendarList),
		row("GET", pathEntry, "calendar.calendarList.get", listRead, s.handleGetCalendarList),
		row("PUT", pathEntry, "calendar.calendarList.update", listWrite, s.handleUpdateCalendarList),
		row("PATCH", pathEntry, "calendar.calendarList.patch", listWrite, s.handleUpdateCalendarList),
		row("DELETE", pathEntry, "calendar.calendarList.delete", listWrite, s.handleDeleteCalendarList),
		row("POST", pathList+"/watch", "calendar.calendarList.watch", listRead, s.handleWatchCalendarList),

		row("POST", pathBase+"/calendars", "calendar.calendars.insert", calendarWrite, s.handleInsertCalendar),
		row("GET", pathCalendar, "calendar.calendars.get", calendarRead, s.handleGetCalendar),
		row("PUT", pathCalendar, "calendar.calendars.update", calendarWrite, s.handleUpdateCalendar),
		row("PATCH", pathCalendar, "calendar.calendars.patch", calendarWrite, s.handleUpdateCalendar),
		row("DELETE", pathCalendar, "calendar.calendars.delete", calendarWrite, s.handleDeleteCalendar),
		row("POST", pathCalendar+"/clear", "calendar.calendars.clear", calendarWrite, s.handleClearCalendar),
		row("POST", pathCalendar+"/transferOwnership", "calendar.calendars.transferOwnership", calendarWrite,
			s.handleTransferCalendar),

		row("POST", pathBase+"/channels/stop", "calendar.channels.stop", stop, s.handleStopChannel),
		row("GET", pathBase+"/users/me/channels", "calendar.channels.list", stop, s.handleListChannels),
		row("GET", pathBase+"/colors", "calendar.colors.get", colors, s.handleGetColors),

		row("GET", pathEvents, "calendar.events.list", eventRead, s.handleListEvents),
		row("POST", pathEvents, "calendar.events.insert", eventWrite, s.handleInsertEvent),
		row("GET", pathEvent, "calendar.events.get", eventRead, s.handleGetEvent),
		row("PUT", pathEvent, "calendar.events.update", eventWrite, s.handleUpdateEvent),
		row("PATCH", pathEvent, "calendar.events.patch", eventWrite, s.handleUpdateEvent),
		row("DELETE", pathEvent, "calendar.events.delete", eventWrite, s.handleDeleteEvent),
		row("POST", pathEvents+"/import", "calendar.events.import", eventWrite, s.handleImportEvent),
		row("POST", pathEvents+"/quickAdd", "calendar.events.quickAdd", eventWrite, s.handleQuickAddEvent),
		row("POST", pathEvents+"/watch", "calendar.events.watch", eventRead, s.handleWatchEvents),
		row("POST", pathEvent+"/move", "calendar.events.move", eventWrite, s.handleMoveEvent),
		row("GET", pathEvent+"/instances", "calendar.events.instances", eventRead, s.handleListInstances),

		row("POST", pathBase+"/freeBusy", "calendar.freebusy.query", busyRead, s.handleQueryFreeBusy),
		row("GET", pathSettings, "calendar.settings.list", settingRead, s.handleListSettings),
		row("GET", pathSettings+"/{setting}", "calendar.settings.get", settingRead, s.handleGetSetting),
		row("POST", pathSettings+"/watch", "calendar.settings.watch", settingRead, s.handleWatchSettings),
	}, answers())
	for i := range routes {
		routes[i].Parameters = append(routes[i].Parameters, apidescription.WithoutEffect()[routes[i].Name]...)
	}
	return routes
}

// handler serves the API, and beside it the page that answers link to.
func (s *Service) handler(routes []route.Route) http.Handler {
	o := s.muxOptions()
	o.Extract, o.Authenticate, o.Gate, o.CORS = nil, nil, nil, nil // a browser brings its session
	mux := hostmux.New(route.New(s.muxOptions(), routes))
	mux.Prefix(eventpage.Base, route.New(o, []route.Route{
		{Method: "GET", Pattern: eventpage.Base, Name: "calendar.events.page", Handle: s.handleEventPage},
	}))
	return mux
}

func (s *Service) muxOptions() route.Options {
	return apifamily.Options(s.world.RouteOptions(route.Options{
		Service:      Name,
		WriteError:   writeError,
		Extract:      credential.Bearer(),
		Authenticate: s.identity.ScopedAuthenticator(Name, "calendar"),
		Gate:         s.gate,
		CORS:         &route.CORS{},
	}))
}

// gate charges the caller's window before the handler runs.
func (s *Service) gate(_ http.ResponseWriter, r *route.Request) (func(), error) {
	window := limit.Window{Name: Name + ".requests", Limit: s.config.RequestsPerMinute, Per: time.Minute}
	_, err := s.world.Limits.Take(r.Context(), window, r.Caller.LimitKey(), 1)
	return nil, err
}
