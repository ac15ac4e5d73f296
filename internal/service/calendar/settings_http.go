package calendar

import "stoa.dev/stoa/internal/platform/route"

func (s *Service) handleListSettings(r *route.Request, u user) (any, error) {
	q := &query{r: r}
	l := readPageRequest(q, defaultPageSize, maxPageSize)
	if q.err != nil {
		return nil, q.err
	}
	return answer(s.ListSettings(r.Context(), u, l))
}

func (s *Service) handleGetSetting(r *route.Request, u user) (any, error) {
	return answer(s.GetSetting(r.Context(), u, r.PathValue("setting")))
}
