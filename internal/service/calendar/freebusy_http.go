package calendar

import (
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/calendar/freebusy"
)

func (s *Service) handleQueryFreeBusy(r *route.Request, u user) (any, error) {
	var in freebusy.Request
	if err := readDocument(r, &in); err != nil {
		return nil, err
	}
	q, err := in.Query()
	if err != nil {
		return nil, err
	}
	return answer(s.QueryFreeBusy(r.Context(), u, q))
}
