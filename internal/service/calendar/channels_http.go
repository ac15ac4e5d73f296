package calendar

import "stoa.dev/stoa/internal/platform/route"

func (s *Service) handleWatchEvents(r *route.Request, p person) (any, error) {
	var in channelJSON
	if err := readDocument(r, &in); err != nil {
		return nil, err
	}
	return answer(s.WatchEvents(r.Context(), p, r.PathValue("calendarId"), in))
}

func (s *Service) handleWatchACL(r *route.Request, p person) (any, error) {
	var in channelJSON
	if err := readDocument(r, &in); err != nil {
		return nil, err
	}
	return answer(s.WatchACL(r.Context(), p, r.PathValue("calendarId"), in))
}

func (s *Service) handleWatchCalendarList(r *route.Request, p person) (any, error) {
	var in channelJSON
	if err := readDocument(r, &in); err != nil {
		return nil, err
	}
	return answer(s.WatchCalendarList(r.Context(), p, in))
}

func (s *Service) handleWatchSettings(r *route.Request, p person) (any, error) {
	var in channelJSON
	if err := readDocument(r, &in); err != nil {
		return nil, err
	}
	return answer(s.WatchSettings(r.Context(), p, in))
}

func (s *Service) handleStopChannel(r *route.Request, p person) (any, error) {
	var in channelJSON
	if err := readDocument(r, &in); err != nil {
		return nil, err
	}
	return nil, s.StopChannel(r.Context(), p, in)
}
