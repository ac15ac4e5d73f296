package conductrules

import (
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/conduct"
)

// Rules are what the service asks of its clients.
func Rules() []conduct.Rule {
	takes := func(r *conduct.Request) bool {
		return r.Operation == "graph.snapshot" || r.Operation == "graph.snapshotPost"
	}
	return []conduct.Rule{
		{
			ID: "snapshots.milliseconds", Severity: conduct.Error, Title: "Give start and end in seconds",
			Why:      "Milliseconds are a time in the far future: the picture is empty, or the request refused.",
			Contract: "E-03: start and end are POSIX seconds.",
			Example:  "GET /api/v1/graph/snapshot?start=1767225600000.",
			New: func(b *conduct.Breaches) conduct.Check {
				const latest = 100_000_000_000 // in the year 5138
				return conduct.Each(func(r *conduct.Request) {
					for _, name := range []string{"start", "end"} {
						if n, err := strconv.ParseInt(r.Param(name), 10, 64); takes(r) && err == nil && n > latest {
							b.Add(r.Line()+" has "+name+" in milliseconds", r.Past())
							return
						}
					}
				})
			},
		},
		{
			ID: "snapshots.taken-again", Severity: conduct.Warning, Title: "Wait for the picture instead of taking another",
			Why:      "Each request draws anew and counts against the hour; the first picture comes at its address in a moment.",
			Contract: "E-11: the URL is returned first, and the image is available only after a delay.",
			Example:  "The same snapshot is asked for three times within a minute.",
			New: conduct.Often(2, time.Minute, func(r *conduct.Request) string {
				if !takes(r) || !r.OK() || r.Method != "GET" {
					return ""
				}
				return r.Place()
			}, "its picture comes at snapshot_url"),
		},
		{
			ID: "snapshots.keys-in-address", Severity: conduct.Warning, Title: "Send both keys in headers",
			Why:      "Addresses end up in logs and histories, and the keys with them.",
			Contract: "E-13, E-14: the keys are sent in the headers SVC-API-KEY and SVC-APPLICATION-KEY.",
			Example:  "GET /api/v1/validate?api_key=….",
			New: func(b *conduct.Breaches) conduct.Check {
				return conduct.Each(func(r *conduct.Request) {
					for _, name := range []string{"api_key", "application_key"} {
						if r.Param(name) != "" {
							b.Add(r.Line()+" has a key in the parameter "+name, r.Past())
							return
						}
					}
				})
			},
		},
		{
			ID: "snapshots.budget", Severity: conduct.Warning, Title: "Wait for X-RateLimit-Reset when nothing remains",
			Why:      "The next snapshot is refused until the window ends, which the header tells in seconds.",
			Contract: "E-17, E-N2: too many requests are 429; X-RateLimit-Reset is the seconds to go.",
			Example:  "An answer has X-RateLimit-Remaining: 0, and the next snapshot is asked for at once.",
			New: conduct.Waits("the window ends after", func(r *conduct.Request) string {
				if !takes(r) {
					return ""
				}
				return r.Who()
			}, func(r *conduct.Request) (time.Duration, bool) {
				n, err := strconv.Atoi(r.Answer("X-Ratelimit-Reset"))
				return time.Duration(n) * time.Second, err == nil && r.OK() && r.Answer("X-Ratelimit-Remaining") == "0"
			}),
		},
		{
			ID: "snapshots.points-one-by-one", Severity: conduct.Info, Title: "Submit points in batches",
			Why:      "A submission carries many series with many points; one request for each costs both sides a hundredfold.",
			Contract: "E-N2: submissions are counted by the minute, and points apart from them.",
			Example:  "A hundred and twenty-one submissions within a minute have one point each.",
			New: conduct.Often(120, time.Minute, func(r *conduct.Request) string {
				one := r.Operation == "series.submit" || r.Operation == "series.submitV2"
				if !one || r.Body("/series/1") != nil || r.Body("/series/0/points/1") != nil || r.Body("/series/0") == nil {
					return ""
				}
				return "points " + r.Who()
			}, "one submission takes them all"),
		},
	}
}
