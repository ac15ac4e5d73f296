package soak_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// trend is how values rise: the middle of the slopes between all pairs of them, and the
// lowest and highest that it may be in truth (Sen's interval, 99 of 100). Single values
// that stand out do not move it.
type trend struct {
	slope, low, high float64 // in an hour
	rise             float64 // over the whole time
}

func (r trend) String() string {
	return fmt.Sprintf("%+.2f in all, %+.1f (%+.1f to %+.1f) in an hour", r.rise, r.slope, r.low, r.high)
}

// trendOf looks at values that were taken at equal distances.
func trendOf(values []float64, every time.Duration) trend {
	var slopes []float64
	for i := range values {
		for j := i + 1; j < len(values); j++ {
			slopes = append(slopes, (values[j]-values[i])/float64(j-i)/every.Hours())
		}
	}
	if len(slopes) == 0 {
		return trend{}
	}
	slices.Sort(slopes)
	n := float64(len(values))
	const surely = 2.576 // standard deviations, of 99 in 100
	width := surely * math.Sqrt(n*(n-1)*(2*n+5)/18)
	at := func(i float64) float64 { return slopes[max(0, min(len(slopes)-1, int(i)))] }
	m := float64(len(slopes))
	r := trend{slope: at(m / 2), low: at((m - width) / 2), high: at((m+width)/2 + 1)}
	r.rise = r.slope * every.Hours() * (n - 1)
	return r
}

// rises reports whether the values surely rise faster than the limit and, together, by more
// than what is never judged.
func (r trend) rises(perHour, unjudged float64) bool { return r.low > perHour && r.rise > unjudged }

// TestTrend: what rises slowly is found under noise, and noise alone is not.
func TestTrend(t *testing.T) {
	t.Parallel()
	noise := rand.New(rand.NewPCG(1, 2))
	series := func(perBlock, spread float64) []float64 {
		var values []float64
		for i := range blocks {
			values = append(values, 60+float64(i)*perBlock+noise.NormFloat64()*spread)
		}
		values[blocks/2] += 40 // one sample of something else
		return values
	}
	for range 200 {
		if r := trendOf(series(1, 1), 25*time.Second); !r.rises(1, 2) {
			t.Errorf("1 a block under noise of 1 is not found: %v", r)
		}
	}
	found := 0
	for range 1000 {
		if r := trendOf(series(0, 1), 25*time.Second); r.rises(1, 2) {
			found++
		}
	}
	if found > 20 {
		t.Errorf("%d of 1,000 runs of noise alone were taken for a rise, want at most 20", found)
	}
}
