package snapshots

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/snapshots/definition"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

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

type timeseriesRequest struct {
	Data struct {
		Type       string `json:"type"`
		Attributes struct {
			From     int64               `json:"from"`
			To       int64               `json:"to"`
			Interval int64               `json:"interval"`
			Queries  []definition.Query  `json:"queries"`
			Formulas []limitedDefinition `json:"formulas"`
		} `json:"attributes"`
	} `json:"data"`
}

// limitedDefinition is a formula of which only some series are wanted.
type limitedDefinition struct {
	Formula string `json:"formula"`
	Limit   *struct {
		Count int    `json:"count"`
		Order string `json:"order"`
	} `json:"limit"`
}

// request is the definition that a graph of the same queries would have.
func (q *timeseriesRequest) request() definition.Request {
	out := definition.Request{Queries: q.Data.Attributes.Queries}
	for _, f := range q.Data.Attributes.Formulas {
		out.Formulas = append(out.Formulas, definition.Formula{Formula: f.Formula})
	}
	return out
}

// Timeseries evaluates a request; the index of each series is that of its formula,
// or of its query when there are no formulas.
func (s *Service) Timeseries(
	ctx context.Context, t Tenant, e *evaluation, in timeseriesRequest,
) ([]query.Series, error) {
	a := &in.Data.Attributes
	if a.From < 0 || a.To/1000 > latest || a.From/1000 >= a.To/1000 || a.Interval < 0 {
		return nil, errInvalid("from (%d) must be before to (%d), both POSIX times in milliseconds", a.From, a.To)
	}
	r := in.request()
	if err := r.Check(); err != nil {
		return nil, errDefinition(err)
	}
	left := newPlanBudget()
	planned, err := parseQueries(&left, "data.attributes", &r)
	if err != nil {
		return nil, errDefinition(err)
	}
	var out []query.Series
	var size pictureSize
	for i, p := range planned {
		list, err := s.run(ctx, t, e, p, query.Range{From: a.From / 1000, To: a.To / 1000, Interval: a.Interval / 1000})
		if err == nil && i < len(a.Formulas) {
			list, err = a.Formulas[i].limit(fmt.Sprintf("formulas[%d]", i), list)
		}
		if err == nil {
			err = size.add(list)
		}
		if err != nil {
			return nil, err
		}
		for _, sr := range list {
			sr.Index = i
			out = append(out, sr)
		}
	}
	return out, nil
}

// timesOf is the times that any of the series has, in order.
func timesOf(list []query.Series) []int64 {
	out := []int64{}
	for _, s := range list {
		for i := range s.Values {
			out = append(out, s.Start+int64(i)*s.Step)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// limit keeps the series with the greatest or the least mean.
func (d limitedDefinition) limit(where string, list []query.Series) ([]query.Series, error) {
	if d.Limit == nil {
		return list, nil
	}
	if d.Limit.Count < 0 || d.Limit.Order != "" && d.Limit.Order != "asc" && d.Limit.Order != "desc" {
		return nil, errInvalid("%s.limit has a count and an order, asc or desc", where)
	}
	slices.SortStableFunc(list, func(a, b query.Series) int {
		n := compareValues(query.Reduce(b.Values, "mean"), query.Reduce(a.Values, "mean"))
		if d.Limit.Order == "asc" {
			n = -n
		}
		return n
	})
	if n := d.Limit.Count; n > 0 && n < len(list) {
		list = list[:n]
	}
	return list, nil
}

type timeseriesResponse struct {
	Data struct {
		ID         string               `json:"id"`
		Type       string               `json:"type"`
		Attributes timeseriesAttributes `json:"attributes"`
	} `json:"data"`
}

type timeseriesAttributes struct {
	Series []timeseriesJSON `json:"series"`
	Times  []int64          `json:"times"`
	Values [][]*float64     `json:"values"`
}

type timeseriesJSON struct {
	GroupTags  []string    `json:"group_tags"`
	QueryIndex int         `json:"query_index"`
	Unit       []*unitJSON `json:"unit"`
}

// timeseriesToWire spreads all series over common times; null is no value.
func timeseriesToWire(times []int64, list []query.Series) timeseriesResponse {
	var out timeseriesResponse
	out.Data.ID, out.Data.Type = "0", "timeseries_response"
	a := &out.Data.Attributes
	a.Series, a.Times, a.Values = []timeseriesJSON{}, times, [][]*float64{}
	for _, s := range list {
		values := make([]*float64, len(a.Times))
		for i, v := range s.Values {
			at, _ := slices.BinarySearch(a.Times, s.Start+int64(i)*s.Step)
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				values[at] = &v
			}
		}
		a.Values = append(a.Values, values)
		a.Series = append(a.Series, timeseriesJSON{
			GroupTags: nonNil(slices.DeleteFunc(slices.Clone(s.Tags), func(t string) bool {
				return strings.HasSuffix(t, ":N/A")
			})),
			QueryIndex: s.Index, Unit: unitToWire(s.Unit),
		})
	}
	return out
}
