package conductrules

import (
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/conduct"
)

// feeds are the operations that are polled.
func feeds() []string {
	return []string{
		"list_public_events", "list_network_events", "list_org_events", "list_repo_events", "list_repo_events_by_id",
		"list_user_events", "list_user_org_events", "list_user_public_events", "list_received_events",
		"list_received_public_events",
	}
}

// Rules are what the service asks of its clients.
func Rules() []conduct.Rule {
	return append(limitConduct(), []conduct.Rule{
		{
			ID: "events.poll-interval", Severity: conduct.Error, Title: "Wait X-Poll-Interval seconds between polls",
			Why: "The header grows when the service is busy. Clients that poll faster get nothing new, spend their " +
				"budget and are limited in the end.",
			Contract: "I-16: X-Poll-Interval gives the minimum seconds between polls and may grow; clients must obey it.",
			Example:  "GET /events is asked again 5 seconds after an answer with X-Poll-Interval: 60.",
			New: conduct.Waits("X-Poll-Interval asked for", conduct.ByPlace(feeds()...), func(r *conduct.Request) (
				time.Duration, bool,
			) {
				n, err := strconv.Atoi(r.Answer("X-Poll-Interval"))
				return time.Duration(n) * time.Second, err == nil && (r.OK() || r.Status == 304)
			}),
		},
		{
			ID: "events.etag", Severity: conduct.Warning, Title: "Poll with If-None-Match",
			Why: "A 304 costs nothing of the budget and no transfer. Without the header the whole page is sent and " +
				"counted each time.",
			Contract: "I-14, I-15: If-None-Match with the ETag of the last answer gives 304 when nothing is new, and such " +
				"a 304 does not count against the limit.",
			Example: "GET /events is asked twice, and both answers have the same ETag.",
			New:     conduct.Conditional(1, feeds()...),
		},
		{
			ID: "events.user-agent", Severity: conduct.Error, Title: "Name the client in User-Agent",
			Why:      "Requests without one are refused: a client that misbehaves must be known by name.",
			Contract: "docs/faults.md, user_agent_missing: a request without a user agent is 403.",
			Example:  "GET /events without a User-Agent header.",
			New: func(b *conduct.Breaches) conduct.Check {
				return conduct.Each(func(r *conduct.Request) {
					if strings.TrimSpace(r.Header("User-Agent")) == "" {
						b.Add(r.Line()+" has no User-Agent", r.Past())
					}
				})
			},
		},
		{
			ID: "events.link", Severity: conduct.Warning, Title: "Follow Link instead of counting pages",
			Why: "A feed has 300 events at most. Pages beyond the last are refused or empty, and each costs a request.",
			Contract: "I-13, I-17: lists take page and per_page, and a timeline holds at most 300 events; the last page " +
				"has no next one in Link.",
			Example: "page=3 is asked for although the answer to page=2 had no rel=\"next\".",
			New:     conduct.Beyond(feeds()...),
		},
		{
			ID: "events.moved", Severity: conduct.Info, Title: "Use the new address after 301",
			Why:      "The old address works only until another repository takes the name; each call there costs two.",
			Contract: "I-07: a network whose repository was renamed is answered with 301 and the address that stays.",
			Example:  "GET /repos/ada/old/events is asked again after it was answered 301.",
			New:      conduct.Refused("was answered with 301", func(r *conduct.Request) bool { return r.Status == 301 }),
		},
	}...)
}

// limitConduct are the rules about the two limits.
func limitConduct() []conduct.Rule {
	return []conduct.Rule{
		{
			ID: "events.primary-limit", Severity: conduct.Error, Title: "Wait for X-RateLimit-Reset when nothing remains",
			Why:      "Every request before the reset is refused, and going on while limited can lead to a ban.",
			Contract: "I-43: after a primary limit a client does not retry before x-ratelimit-reset.",
			Example:  "A 403 with X-RateLimit-Remaining: 0 is followed by another call at once.",
			New: conduct.Waits("the limit resets after", byClient, func(r *conduct.Request) (time.Duration, bool) {
				if r.Status != 403 && r.Status != 429 || r.Answer("X-Ratelimit-Remaining") != "0" {
					return 0, false
				}
				reset, err := strconv.ParseInt(r.Answer("X-Ratelimit-Reset"), 10, 64)
				return time.Unix(reset, 0).Sub(r.At), err == nil
			}),
		},
		{
			ID: "events.secondary-limit", Severity: conduct.Error, Title: "Pause for a minute after a secondary limit",
			Why: "Secondary limits protect the service from a client's pace. One that goes on is limited longer each " +
				"time, and banned at last.",
			Contract: "I-45: after a secondary limit without retry-after a client waits at least one minute, then backs " +
				"off exponentially.",
			Example: "A 403 that names the secondary limit, without Retry-After, is followed by a call 10 seconds later.",
			New: conduct.Waits("the contract asks for", byClient, func(r *conduct.Request) (time.Duration, bool) {
				_, told := r.RetryAfter()
				limited := r.Status == 403 || r.Status == 429
				if !limited || told || !strings.Contains(strings.ToLower(r.AnswerText("/message")), "secondary rate limit") {
					return 0, false
				}
				return time.Minute, true
			}),
		},
	}
}

// byClient is the key of a client. The status of the limits may be asked at any time.
func byClient(r *conduct.Request) string {
	if r.Operation == "rate_limit" {
		return ""
	}
	return "client " + r.Who()
}
