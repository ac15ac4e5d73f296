package seedfile_test

import (
	"testing"
	"time"

	"stoa.dev/stoa/internal/service/snapshots/seedfile"
)

func TestMetrics(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 9, 0, 30, 0, time.UTC)
	list, meta, err := seedfile.Series{Metric: "a.b", Unit: "byte", Step: "10s", Values: []float64{1, 2, 3}}.Metrics(now)
	if err != nil || meta["a.b"].Unit != "byte" || len(list) != 1 || len(list[0].Samples) != 3 {
		t.Fatalf("got %+v, %+v, %v", list, meta, err)
	}
	last := now.Truncate(time.Minute).UnixMilli()
	if s := list[0].Samples; s[2].Ms != last || s[0].Ms != last-20_000 || s[0].Value != 1 {
		t.Errorf("the values are %+v", s)
	}
	for _, bad := range []seedfile.Series{{Metric: "a b"}, {Metric: "a", Step: "x"}, {Metric: "a", End: "soon"}} {
		if _, _, err := bad.Metrics(now); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}
