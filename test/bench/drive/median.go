package drive

import (
	"slices"
	"time"
)

// Median takes each number's own median: rate and latency need not come from
// the same round.
func Median(all []Sample) Sample {
	var rates []float64
	var p50, p99, cpu []time.Duration
	for _, s := range all {
		rates, p50, p99, cpu = append(rates, s.Rate), append(p50, s.P50), append(p99, s.P99), append(cpu, s.CPU)
	}
	slices.Sort(rates)
	slices.Sort(p50)
	slices.Sort(p99)
	m := len(all) / 2
	return Sample{Rate: rates[m], P50: p50[m], P99: p99[m], CPU: slices.Min(cpu), Costs: all[len(all)-1].Costs}
}
