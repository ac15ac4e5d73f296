package calendar

import (
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/calendar/channel"
	"stoa.dev/stoa/internal/service/calendar/queryparams"
)

func (s *Service) handleWatchEvents(r *route.Request, u user) (any, error) {
	return s.watchCalendar(r, u, RoleFreeBusy, eventsOf, "/events")
}

func (s *Service) handleWatchACL(r *route.Request, u user) (any, error) {
	return s.watchCalendar(r, u, RoleWriter, aclOf, "/acl")
}

// watchCalendar makes a channel on a collection of a calendar.
func (s *Service) watchCalendar(
	r *route.Request, u user, need Role, resourceOf func(calendar string) string, path string,
) (any, error) {
	var in channel.Channel
	if err := readDocument(r, &in); err != nil {
		return nil, err
	}
	// The calendar is found before the request is checked: a caller who may not
	// see it is told nothing else.
	c, _, err := s.openCalendar(r.Context(), u, r.PathValue("calendarId"), need)
	if err != nil {
		return nil, err
	}
	return answer(s.Watch(r.Context(), u, watchTarget{resourceOf(c.id), calendarPath(c.id) + path, c.id, need}, in))
}

func (s *Service) handleWatchCalendarList(r *route.Request, u user) (any, error) {
	return s.watchOwn(r, u, watchTarget{resource: listOf(u.id), path: "/users/me/calendarList"})
}

func (s *Service) handleWatchSettings(r *route.Request, u user) (any, error) {
	return s.watchOwn(r, u, watchTarget{resource: settingsOf(u.id), path: "/users/me/settings"})
}

// watchOwn makes a channel on a collection of the caller's own.
func (s *Service) watchOwn(r *route.Request, u user, on watchTarget) (any, error) {
	var in channel.Channel
	if err := readDocument(r, &in); err != nil {
		return nil, err
	}
	return answer(s.Watch(r.Context(), u, on, in))
}

func (s *Service) handleStopChannel(r *route.Request, u user) (any, error) {
	var in channel.Channel
	if err := readDocument(r, &in); err != nil {
		return nil, err
	}
	return nil, s.StopChannel(r.Context(), u, in)
}

func (s *Service) handleListChannels(r *route.Request, u user) (any, error) {
	return answer(s.channels.List(r.Context(), u.channelClient(), queryparams.New(r), s.now()))
}
