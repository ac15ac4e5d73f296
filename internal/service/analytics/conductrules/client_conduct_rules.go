package conductrules

import (
	"time"

	"stoa.dev/stoa/internal/platform/conduct"
)

// Rules are what the service asks of its clients.
func Rules() []conduct.Rule {
	return append(grantConduct(), []conduct.Rule{
		{
			ID: "analytics.idempotency-key", Severity: conduct.Warning, Title: "Repeat a create with an Idempotency-Key",
			Why: "The first create may have been done although its answer was lost; the repeat is a conflict or a " +
				"second resource.",
			Contract: "docs/services/analytics.md: a create with an Idempotency-Key may be repeated for a day.",
			Example:  "POST /apis/v4/projects/v0 is answered 550 and sent again without an Idempotency-Key.",
			New:      conduct.RepeatsSafely(conduct.HasHeader("Idempotency-Key"), "projects.create", "campaigns.create"),
		},
		{
			ID: "analytics.locations-in-bulk", Severity: conduct.Info, Title: "Update many locations in one request",
			Why:      "Single updates are limited to 5 a second; one list takes 50 locations and reports each on its own.",
			Contract: "K-25, K-27: UpdateLocations takes many locations and lists the errors of those that failed.",
			Example:  "Twenty-one locations are updated one by one within a minute.",
			New: conduct.Often(20, time.Minute, func(r *conduct.Request) string {
				if r.Operation != "locations.update" || !r.OK() {
					return ""
				}
				return r.Who()
			}, "UpdateLocations takes 50 locations at once"),
		},
		{
			ID: "analytics.conflict-repeated", Severity: conduct.Warning, Title: "Look at the resource after 409",
			Why:      "The project exists already: the same request conflicts for ever.",
			Contract: "K-35: 409 is a conflict with the state of the resource; check the state or retry later.",
			Example:  "A create that was answered 409 is sent again at once.",
			New: conduct.Refused("was answered with 409", func(r *conduct.Request) bool {
				return r.Status == 409
			}),
		},
	}...)
}

// grantConduct are the rules about tokens.
func grantConduct() []conduct.Rule {
	grant := conduct.Grant{Start: "dag.device.code", Poll: "dag.device.token"}
	return []conduct.Rule{
		{
			ID: "analytics.interval", Severity: conduct.Error, Title: "Poll no faster than interval",
			Why:      "Polls that come sooner are answered slow_down and bring the token no earlier.",
			Contract: "K-13: interval is the recommended polling seconds; K-17: faster polls are slow_down.",
			Example:  "POST /dag/device/token is sent every second with interval 5.",
			New:      grant.Interval(),
		},
		{
			ID: "analytics.slow-down", Severity: conduct.Error, Title: "Poll more slowly after slow_down",
			Why:      "A client that keeps its pace is told slow_down for ever.",
			Contract: "K-17: slow_down is 403; RFC 8628, 3.5 adds 5 seconds to the interval.",
			Example:  "A poll is answered slow_down and the next comes a second later.",
			New:      grant.SlowsDown(),
		},
		{
			ID: "analytics.poll-ended", Severity: conduct.Error, Title: "Stop polling when the answer is final",
			Why:      "Denial, a token and an invalid code are last words: what follows is refused.",
			Contract: "K-18: the application polls until approval, expiry or error.",
			Example:  "A poll was answered access_denied, and the application polls on.",
			New:      grant.Ends(),
		},
		{
			ID: "analytics.refresh-twice", Severity: conduct.Error, Title: "Use a refresh token once",
			Why: "Each refresh gives a new refresh token. The old one is what a thief would use, and its reuse can end " +
				"the whole grant.",
			Contract: "K-11: the refresh token is renewed together with the access token.",
			Example:  "The same refresh token is sent to POST /oauth2/access_token twice, the first time with success.",
			New: conduct.Once("a refresh token", func(r *conduct.Request) string {
				if r.Operation != "oauth2.accessToken" || r.Form("grant_type") != "refresh_token" {
					return ""
				}
				return r.Form("refresh_token")
			}),
		},
	}
}
