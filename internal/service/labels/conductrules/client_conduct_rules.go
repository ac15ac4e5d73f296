package conductrules

import (
	"time"

	"stoa.dev/stoa/internal/platform/conduct"
)

// Rules are what the service asks of its clients.
func Rules() []conduct.Rule {
	return []conduct.Rule{
		{
			ID: "labels.limits-repeated", Severity: conduct.Info, Title: "Keep the limits",
			Why:      "Limits change when an administrator changes them: asking before every label doubles the calls.",
			Contract: "D-08, D-11: the answer is the configured values, the same for every caller.",
			Example:  "GET /v2/limits/label is asked six times within a minute.",
			New: conduct.Often(5, time.Minute, func(r *conduct.Request) string {
				if r.Operation != "limits.getLabel" || r.Status != 200 {
					return ""
				}
				return r.Who()
			}, "the answers are the same"),
		},
		{
			ID: "labels.body", Severity: conduct.Warning, Title: "Send no body with GET",
			Why:      "The request is refused, and caches and proxies drop such bodies on the way.",
			Contract: "D-10: the request body must be empty.",
			Example:  "GET /v2/limits/label with {} as its body.",
			New: func(b *conduct.Breaches) conduct.Check {
				return conduct.Each(func(r *conduct.Request) {
					if r.Operation == "limits.getLabel" && r.Method == "GET" && r.Raw().Body() != "" {
						b.Add(r.Line()+" has a body", r.Past())
					}
				})
			},
		},
		{
			ID: "labels.name", Severity: conduct.Error, Title: "Name the limits: name=limits/label",
			Why:      "Without its name the request is refused.",
			Contract: "D-09: the parameter name is required and must be limits/label.",
			Example:  "GET /v2/limits/label without name.",
			New: func(b *conduct.Breaches) conduct.Check {
				return conduct.Each(func(r *conduct.Request) {
					if r.Operation == "limits.getLabel" && r.Status == 400 && r.Param("name") != "limits/label" {
						b.Add(r.Line()+" does not have name=limits/label", r.Past())
					}
				})
			},
		},
	}
}
