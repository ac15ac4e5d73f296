//go:build !small

package metrics

import (
	"runtime"
	"testing"
)

// A submission may name one series as often as it has points, and is joined in one pass: its points are not copied
// again for each entry. The test is alone: it counts what the process takes.
func TestEntriesOfOneSeriesAreJoinedOnce(t *testing.T) {
	const entries = 10_000
	list := make([]Series, entries)
	sent := make([]Sample, entries+1)
	for i := range list {
		sent[i] = Sample{Ms: int64(i), Value: float64(i)}
		list[i] = Series{Metric: "m", Samples: sent[i : i+1]}
	}
	sent[entries].Ms = -1
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out, keys := merged("u1", list)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20 {
		t.Errorf("joining %d entries took %d bytes", entries, took)
	}
	if len(out) != 1 || len(keys) != 1 || len(out[0].Samples) != entries {
		t.Fatalf("got %d series", len(out))
	}
	for i, p := range out[0].Samples {
		if p.Ms != int64(i) || p.Value != float64(i) {
			t.Fatalf("point %d is %+v", i, p)
		}
	}
	if sent[1].Ms != 1 || sent[entries].Ms != -1 {
		t.Error("what was sent has changed")
	}
}
