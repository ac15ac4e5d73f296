package calendar

import "stoa.dev/stoa/internal/platform/route"

func (s *Service) handleListSettings(r *route.Request, p person) (any, error) {
	q := &query{r: r}
	l := readListing(q, smallPage, smallPages)
	if q.err != nil {
		return nil, q.err
	}
	return answer(s.ListSettings(r.Context(), p, l))
}

func (s *Service) handleGetSetting(r *route.Request, p person) (any, error) {
	return answer(s.GetSetting(r.Context(), p, r.PathValue("setting")))
}
