package snapshots

import (
	"math"
	"strings"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

type queryResponse struct {
	Status      string       `json:"status"`
	ResType     string       `json:"res_type"`
	RespVersion int          `json:"resp_version"`
	Query       string       `json:"query"`
	FromDate    int64        `json:"from_date"`
	ToDate      int64        `json:"to_date"`
	Series      []seriesJSON `json:"series"`
	Values      []any        `json:"values"`
	Times       []any        `json:"times"`
	Message     string       `json:"message"`
	GroupBy     []string     `json:"group_by"`
}

type seriesJSON struct {
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
	Unit        []*unitJSON    `json:"unit"`
}

type unitJSON struct {
	Family      string  `json:"family"`
	ScaleFactor float64 `json:"scale_factor"`
	Name        string  `json:"name"`
	ShortName   string  `json:"short_name"`
	Plural      string  `json:"plural"`
	ID          int     `json:"id"`
}

// queryToWire writes points with values only; interval is in seconds.
func queryToWire(text string, from, to int64, list []query.Series) queryResponse {
	out := queryResponse{
		Status: "ok", ResType: "time_series", RespVersion: 1, Query: text, FromDate: from * 1000, ToDate: to * 1000,
		Series: []seriesJSON{}, Values: []any{}, Times: []any{}, GroupBy: groupKeys(list),
	}
	for _, s := range list {
		one := seriesJSON{
			Metric: s.Metric, DisplayName: s.Metric, Expression: s.Expression, Scope: s.Scope, TagSet: nonNil(s.Tags),
			PointList: [][2]float64{}, Interval: s.Step / 1000, QueryIndex: s.Index, Attributes: map[string]any{},
			Unit: unitToWire(s.Unit),
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

// unitToWire is null, or the counted unit and the one it is counted per.
func unitToWire(u string) []*unitJSON {
	if u == "" {
		return nil
	}
	counted, per, _ := strings.Cut(u, "/")
	return []*unitJSON{unitOf(counted), unitOf(per)}
}

func unitOf(name string) *unitJSON {
	switch name {
	case "":
		return nil
	case "byte":
		return &unitJSON{"bytes", 1, name, "B", "bytes", 2}
	case "kibibyte":
		return &unitJSON{"bytes", 1024, name, "KiB", "kibibytes", 3}
	case "mebibyte":
		return &unitJSON{"bytes", 1 << 20, name, "MiB", "mebibytes", 4}
	case "gibibyte":
		return &unitJSON{"bytes", 1 << 30, name, "GiB", "gibibytes", 5}
	case "nanosecond":
		return &unitJSON{"time", 1e-9, name, "ns", "nanoseconds", 8}
	case "microsecond":
		return &unitJSON{"time", 1e-6, name, "μs", "microseconds", 9}
	case "millisecond":
		return &unitJSON{"time", 1e-3, name, "ms", "milliseconds", 10}
	case "second":
		return &unitJSON{"time", 1, name, "s", "seconds", 11}
	case "minute":
		return &unitJSON{"time", 60, name, "min", "minutes", 12}
	case "hour":
		return &unitJSON{"time", 3600, name, "hr", "hours", 13}
	case "day":
		return &unitJSON{"time", 86400, name, "day", "days", 14}
	case "percent":
		return &unitJSON{"percentage", 1, name, "%", "percent", 17}
	case "fraction":
		return &unitJSON{"percentage", 100, name, "fraction", "fractions", 18}
	case "request":
		return &unitJSON{"network", 1, name, "req", "requests", 19}
	default:
		return &unitJSON{"general", 1, name, name, name + "s", 0}
	}
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
