package conductrules

import "stoa.dev/stoa/internal/platform/conduct"

// Rules are what the service asks of its clients.
func Rules() []conduct.Rule {
	grant := conduct.Grant{Start: "device.code", Poll: "token"}
	return []conduct.Rule{
		{
			ID: "device.interval", Severity: conduct.Error, Title: "Poll no faster than interval",
			Why:      "Polls that come sooner are answered slow_down and bring the token no earlier.",
			Contract: "J-01, J-11: interval is the seconds to wait between polls; a poll that comes sooner is slow_down.",
			Example:  "POST /token is sent every second with interval 5.",
			New:      grant.Interval(),
		},
		{
			ID: "device.slow-down", Severity: conduct.Error, Title: "Poll more slowly after slow_down",
			Why: "A client that keeps its pace is told slow_down for ever, and the user waits for nothing.",
			Contract: "J-11, J-25: slow_down says that the device polls too often; RFC 8628, 3.5 adds 5 seconds to " +
				"the interval.",
			Example: "A poll is answered slow_down and the next comes a second later.",
			New:     grant.SlowsDown(),
		},
		{
			ID: "device.poll-ended", Severity: conduct.Error, Title: "Stop polling when the answer is final",
			Why: "access_denied, a token and an invalid code are last words: what follows is refused, and the user " +
				"stares at a code that no longer works.",
			Contract: "J-13, J-30: access_denied ends the flow, and a code that was claimed or is not valid is invalid_grant.",
			Example:  "A poll was answered access_denied, and the device polls on.",
			New:      grant.Ends(),
		},
		{
			ID: "device.expired", Severity: conduct.Warning, Title: "Ask for a new code when the old one has expired",
			Why:      "The code on the screen is dead: only a new one helps the user.",
			Contract: "J-14: when expires_in has elapsed the flow must restart from the device code request.",
			Example:  "A device polls an hour after it got a code with expires_in 1800.",
			New:      grant.Expires(),
		},
		{
			ID: "device.code-twice", Severity: conduct.Error, Title: "Exchange an authorization code once",
			Why:      "A second exchange is what a thief does: the tokens of the first may be revoked for it.",
			Contract: "J-30: a code that was already claimed is invalid_grant.",
			Example:  "The same authorization code is sent to POST /token twice, the first time with success.",
			New: conduct.Once("an authorization code", func(r *conduct.Request) string {
				if r.Operation != "token" || r.Form("grant_type") != "authorization_code" {
					return ""
				}
				return r.Form("code")
			}),
		},
		{
			ID: "device.keys-fetched", Severity: conduct.Info, Title: "Keep metadata and keys as long as Cache-Control says",
			Why:      "Keys and addresses change rarely. Fetching them for every token doubles the calls of every sign-in.",
			Contract: "J-16: addresses are found in discovery metadata; its answer and that of the keys say how long they hold.",
			Example:  "GET /oauth2/v3/certs is asked three times within a minute of max-age=3600.",
			New:      conduct.Fresh(2),
		},
	}
}
