package snapshots

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/snapshots/answer"
)

// handleTimeseries evaluates formulas over named queries, the second version of
// the query.
func (s *Service) handleTimeseries(w http.ResponseWriter, r *route.Request) error {
	var in timeseriesRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}
	if in.Data.Type != "timeseries_request" && in.Data.Type != "" {
		return errInvalid("data.type must be timeseries_request")
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
	times := answer.Times(list)
	if len(times)*len(list) > maxDrawnPoints {
		return errInvalid("the answer has more than %d values; ask for fewer series, or for equal rollups", maxDrawnPoints)
	}
	if err := e.reserve(int64(len(times)*len(list)) * pointText); err != nil {
		return err
	}

	setNoCache(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, answer.OfTimeseries(times, list))
}

// handleScalar evaluates formulas to one number of each group.
func (s *Service) handleScalar(w http.ResponseWriter, r *route.Request) error {
	var in scalarRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}
	if in.Data.Type != "scalar_request" && in.Data.Type != "" {
		return errInvalid("data.type must be scalar_request")
	}
	t := tenantOf(identity.From(r))
	e, err := s.evaluate(r.Context(), t)
	if err != nil {
		return err
	}
	defer e.release()
	columns, err := s.Scalar(r.Context(), t, e, in)
	if err != nil {
		return err
	}

	setNoCache(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, answer.OfScalar(columns))
}
