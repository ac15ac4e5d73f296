package snapshots

import (
	"math"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/service/snapshots/definition"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

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
