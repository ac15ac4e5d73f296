package answer_test

import (
	"encoding/json"
	"math"
	"testing"

	"stoa.dev/stoa/internal/service/snapshots/answer"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Values that are not there are left out of points, and null where all series
// share times or rows.
func TestAnswers(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	list := []query.Series{
		{Metric: "m", Tags: []string{"host:a"}, Unit: "byte/second", Start: 1000, Step: 1000, Values: []float64{1, nan}},
		{Metric: "m", Tags: []string{"host:N/A"}, Start: 2000, Step: 1000, Values: []float64{3}},
	}
	points := answer.OfQuery("m{*} by {host}", 1, 3, list)
	if len(points.Series) != 2 || points.Series[0].Length != 1 || points.Series[0].Unit[1].ShortName != "s" {
		t.Errorf("points are %+v", points.Series)
	}
	over := answer.OfTimeseries(answer.Times(list), list).Data.Attributes
	if got := text(t, over.Values); got != "[[1,null],[null,3]]" {
		t.Errorf("values over common times are %s", got)
	}
	if got := text(t, over.Series[1].GroupTags); got != "[]" {
		t.Errorf("the group without the tag is %s", got)
	}
	list[0].Values, list[1].Values = []float64{7}, []float64{nan}
	columns := answer.OfScalar([]answer.Column{{Name: "q", Groups: list}}).Data.Attributes.Columns
	if got := text(t, columns[0].Values) + text(t, columns[1].Values); got != `[["a"],[]][7,null]` {
		t.Errorf("columns are %s", got)
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
