package snapshots

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/snapshots/answer"
)

func (s *Service) handleQuery(w http.ResponseWriter, r *route.Request) error {
	v := r.Query()
	from, err := integer(v, "from", true)
	if err != nil {
		return err
	}
	to, err := integer(v, "to", true)
	if err != nil {
		return err
	}

	t := tenantOf(identity.From(r))
	e, err := s.evaluate(r.Context(), t)
	if err != nil {
		return err
	}
	defer e.release()
	list, err := s.Query(r.Context(), t, e, v.Get("query"), from, to)
	if err != nil {
		return err
	}

	setNoCache(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, answer.OfQuery(v.Get("query"), from, to, list))
}

func (s *Service) handleListMetrics(w http.ResponseWriter, r *route.Request) error {
	v := r.Query()
	from, err := integer(v, "from", true)
	if err != nil {
		return err
	}
	tag := v.Get("tag_filter")
	if host := v.Get("host"); host != "" {
		tag = "host:" + host
	}

	t := tenantOf(identity.From(r))
	e, err := s.evaluate(r.Context(), t)
	if err != nil {
		return err
	}
	defer e.release()
	names, err := s.ListMetrics(r.Context(), t, from, tag)
	if err != nil {
		return err
	}

	setNoCache(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, metricsResponse{From: v.Get("from"), Metrics: names})
}

func (s *Service) handleSearch(w http.ResponseWriter, r *route.Request) error {
	v := r.Query()
	if !v.Has("q") {
		return errInvalid("the parameter q is required")
	}

	t := tenantOf(identity.From(r))
	e, err := s.evaluate(r.Context(), t)
	if err != nil {
		return err
	}
	defer e.release()
	names, err := s.Search(r.Context(), t, v.Get("q"))
	if err != nil {
		return err
	}

	setNoCache(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, searchToWire(names))
}

type metricsResponse struct {
	From    string   `json:"from"`
	Metrics []string `json:"metrics"`
}

type searchResponse struct {
	Results searchResults `json:"results"`
}

type searchResults struct {
	Metrics []string `json:"metrics"`
}

func searchToWire(names []string) searchResponse {
	return searchResponse{Results: searchResults{Metrics: nonNil(names)}}
}
