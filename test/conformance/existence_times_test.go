package conformance_test

import (
	"cmp"
	"flag"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/conformance"
)

var (
	pairs    = flag.Int("pairs", 16, "how often TestOthersTakeNoLonger asks for each of two objects")
	sameTime = flag.Float64("apart", 0.5, "how far two medians may lie apart, as a part of one of them")
)

const (
	// surely is how many standard deviations of a rank sum are no chance.
	surely = 4
	// again is how much longer a difference is looked at before it is believed.
	again = 4
)

// TestOthersTakeNoLonger: an object of another user is refused in the time in which one that is
// not there is. Both are asked for in turn, so that whatever else the machine does, it does to
// both; a difference counts when it is more than -apart, is no chance, and is so again. With few
// pairs, as in the usual run, no difference is found that is not large.
func TestOthersTakeNoLonger(t *testing.T) {
	t.Parallel()
	h := conformance.Start(t, conformance.Options{Unobserved: true, Configure: func(c *app.Config) {
		noRates(c)
	}})
	h.User(t, "ada")
	h.User(t, "mal")
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	asked, most := 0, 0.0
	for name, probes := range conformance.InOrder(map[string]func(*testing.T, *conformance.Server) []probe{
		"tasks": taskProbes, "calendar": calendarProbes, "articles": articleProbes, "analytics": analyticsProbes,
		"events": eventProbes, "pipelines": pipelineProbes, "generate": generateProbes,
	}) {
		for _, p := range probes(t, h) {
			asked++
			apart, z := compareTimes(t, client, h.URL, p, *pairs)
			if math.Abs(apart) > *sameTime && z > surely {
				apart, z = compareTimes(t, client, h.URL, p, *pairs*again)
			}
			most = max(most, math.Abs(apart))
			if math.Abs(apart) > *sameTime && z > surely {
				t.Errorf("%s: %s %s: another's takes %+.0f%% of the time of one not there (%.1f deviations)", name, p.method,
					p.path, 100*apart, z)
			}
		}
	}
	t.Logf("%d operations, %d pairs each; medians lie at most %.1f%% apart", asked, *pairs, 100*most)
}

// compareTimes asks for both in turn. It returns how far the medians lie apart and how many
// deviations the ranks do.
func compareTimes(t *testing.T, client *http.Client, base string, p probe, n int) (apart, z float64) {
	t.Helper()
	type wait struct {
		theirs bool
		took   time.Duration
	}
	var all []wait
	for i := range 2 * n {
		theirs := i%4 == 0 || i%4 == 3 // neither is always the second
		id := p.none
		if theirs {
			id = p.theirs
		}
		r, err := http.NewRequestWithContext(t.Context(), cmp.Or(p.method, http.MethodGet),
			base+strings.ReplaceAll(p.path, "ID", url.PathEscape(id)), strings.NewReader(strings.ReplaceAll(p.body, "ID", id)))
		if err != nil {
			t.Fatal(err)
		}
		if p.header != nil {
			r.Header = p.header.Clone()
		}
		if p.body != "" && r.Header.Get("Content-Type") == "" {
			r.Header.Set("Content-Type", "application/json")
		}
		began := time.Now()
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, response.Body)
		took := time.Since(began)
		if err := cmp.Or(err, response.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if response.StatusCode == http.StatusTooManyRequests {
			t.Fatalf("%s %s: a limit answers", p.method, p.path)
		}
		all = append(all, wait{theirs, took})
	}
	slices.SortFunc(all, func(a, b wait) int { return cmp.Compare(a.took, b.took) })
	var theirs, none []time.Duration
	ranks := 0.0
	for rank, w := range all {
		if w.theirs {
			theirs, ranks = append(theirs, w.took), ranks+float64(rank+1)
		} else {
			none = append(none, w.took)
		}
	}
	a, b := float64(len(theirs)), float64(len(none))
	z = math.Abs(ranks-a*(a+b+1)/2) / math.Sqrt(a*b*(a+b+1)/12)
	return theirs[len(theirs)/2].Seconds()/none[len(none)/2].Seconds() - 1, z
}

// noRates lifts what would refuse so many.
func noRates(c *app.Config) {
	c.Events.Limits.User, c.Events.Limits.Points = 1<<30, 1<<30
	c.Events.Limits.ContentMinute, c.Events.Limits.ContentHour = 1<<30, 1<<30
	c.Events.Limits.CPU *= 1 << 20
	c.Pipelines.Requests.Burst, c.Pipelines.Requests.Sustained = 1<<30, 1<<30
	c.Tasks.RequestsPerDay, c.Calendar.RequestsPerMinute = 1<<30, 1<<30
	c.Articles.UserPerHour, c.Articles.AnonymousPerHour, c.Analytics.RequestsPerSecond = 1<<30, 1<<30, 1<<30
	c.Forge.Requests = 1 << 30
	c.Generate.CallsPerMinute, c.Generate.RequestsPerMinute, c.Generate.RequestsPerDay = 1<<30, 1<<30, 1<<30
}
