package snapshots

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
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

	noStore(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, queryToWire(v.Get("query"), from, to, list))
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

	noStore(w)
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

	noStore(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, searchToWire(names))
}

// handleTimeseries evaluates formulas over named queries, the second version of
// the query.
func (s *Service) handleTimeseries(w http.ResponseWriter, r *route.Request) error {
	var in timeseriesRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}

	t := tenantOf(identity.From(r))
	e, err := s.evaluate(r.Context(), t)
	if err != nil {
		return err
	}
	defer e.release()
	list, err := s.Timeseries(r.Context(), t, e, in)
	if err != nil {
		return err
	}
	times := timesOf(list)
	if len(times)*len(list) > maxDrawnPoints {
		return errInvalid("the answer has more than %d values; ask for fewer series, or for equal rollups", maxDrawnPoints)
	}
	if err := e.weigh(int64(len(times)*len(list)) * pointText); err != nil {
		return err
	}

	noStore(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, timeseriesToWire(times, list))
}
