package answer

import (
	"math"
	"strings"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Query is the answer of the first version of the query.
type Query struct {
	Status      string        `json:"status"`
	ResType     string        `json:"res_type"`
	RespVersion int           `json:"resp_version"`
	Query       string        `json:"query"`
	FromDate    int64         `json:"from_date"`
	ToDate      int64         `json:"to_date"`
	Series      []querySeries `json:"series"`
	Values      []any         `json:"values"`
	Times       []any         `json:"times"`
	Message     string        `json:"message"`
	GroupBy     []string      `json:"group_by"`
}

type querySeries struct {
	Metric      string         `json:"metric"`
	DisplayName string         `json:"display_name"`
	Expression  string         `json:"expression"`
	Aggregator  *string        `json:"aggr"`
	Scope       string         `json:"scope"`
	TagSet      []string       `json:"tag_set"`
	PointList   [][2]float64   `json:"pointlist"`
	Start       int64          `json:"start"`
	End         int64          `json:"end"`
	Interval    int64          `json:"interval"`
	Length      int            `json:"length"`
	QueryIndex  int            `json:"query_index"`
	Attributes  map[string]any `json:"attributes"`
	Unit        []*Unit        `json:"unit"`
}

// OfQuery writes points with values only; interval is in seconds.
func OfQuery(text string, from, to int64, list []query.Series) Query {
	out := Query{
		Status: "ok", ResType: "time_series", RespVersion: 1, Query: text, FromDate: from * 1000, ToDate: to * 1000,
		Series: []querySeries{}, Values: []any{}, Times: []any{}, GroupBy: groupKeys(list),
	}
	for _, s := range list {
		one := querySeries{
			Metric: s.Metric, DisplayName: s.Metric, Expression: s.Expression, Scope: s.Scope,
			TagSet:    append([]string{}, s.Tags...),
			PointList: [][2]float64{}, Interval: s.Step / 1000, QueryIndex: s.Index, Attributes: map[string]any{},
			Unit: units(s.Unit),
		}
		if s.Aggregator != "" {
			one.Aggregator = &s.Aggregator
		}
		if s.Mark != "" {
			one.Attributes["kind"] = s.Mark
		}
		for i, v := range s.Values {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				one.PointList = append(one.PointList, [2]float64{float64(s.Start + int64(i)*s.Step), v})
			}
		}
		one.Length = len(one.PointList)
		if one.Length == 0 {
			continue
		}
		one.Start = int64(one.PointList[0][0])
		one.End = int64(one.PointList[one.Length-1][0]) + s.Step - 1000
		out.Series = append(out.Series, one)
	}
	return out
}

// groupKeys are the keys of the first grouped series.
func groupKeys(list []query.Series) []string {
	keys := []string{}
	for _, s := range list {
		for _, t := range s.Tags {
			key, _, _ := strings.Cut(t, ":")
			keys = append(keys, key)
		}
		if len(keys) > 0 {
			break
		}
	}
	return keys
}
