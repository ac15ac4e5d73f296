package answer

import (
	"math"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Times is the times that any of the series has, in order.
func Times(list []query.Series) []int64 {
	out := []int64{}
	for _, s := range list {
		for i := range s.Values {
			out = append(out, s.Start+int64(i)*s.Step)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Timeseries is the answer of the second version of the query.
type Timeseries struct {
	Data struct {
		ID         string               `json:"id"`
		Type       string               `json:"type"`
		Attributes timeseriesAttributes `json:"attributes"`
	} `json:"data"`
}

type timeseriesAttributes struct {
	Series []timeseriesSeries `json:"series"`
	Times  []int64            `json:"times"`
	Values [][]*float64       `json:"values"`
}

type timeseriesSeries struct {
	GroupTags  []string `json:"group_tags"`
	QueryIndex int      `json:"query_index"`
	Unit       []*Unit  `json:"unit"`
}

// OfTimeseries spreads all series over common times; null is no value.
func OfTimeseries(times []int64, list []query.Series) Timeseries {
	var out Timeseries
	out.Data.ID, out.Data.Type = "0", "timeseries_response"
	a := &out.Data.Attributes
	a.Series, a.Times, a.Values = []timeseriesSeries{}, times, [][]*float64{}
	for _, s := range list {
		values := make([]*float64, len(a.Times))
		for i, v := range s.Values {
			at, _ := slices.BinarySearch(a.Times, s.Start+int64(i)*s.Step)
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				values[at] = &v
			}
		}
		a.Values = append(a.Values, values)
		a.Series = append(a.Series, timeseriesSeries{
			GroupTags: slices.DeleteFunc(append([]string{}, s.Tags...), func(t string) bool {
				return strings.HasSuffix(t, ":N/A")
			}),
			QueryIndex: s.Index, Unit: units(s.Unit),
		})
	}
	return out
}
