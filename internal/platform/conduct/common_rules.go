package conduct

import (
	"fmt"
	"slices"
	"strings"
)

// Common are the rules that hold for every service.
func Common() []Rule {
	return []Rule{
		{
			ID: "retry-after", Severity: Error, Title: "Wait as long as Retry-After asks",
			Why: "The service has said when it will answer again. Requests before that are refused, count against " +
				"limits, and can turn a pause into a ban.",
			Contract: "RFC 9110, 10.2.3: Retry-After says how long a client ought to wait before a follow-up request.",
			Example:  "A 429 with Retry-After: 30 is followed by the same call a second later.",
			New:      Waits("Retry-After asked for", ByOperation, (*Request).RetryAfter),
		},
		{
			ID: "back-off", Severity: Warning, Title: "Slow down while a service fails",
			Why: "Clients that repeat at once keep a service down that is trying to come up, and fill its log.",
			Contract: "RFC 9110, 15.6: a 5xx answer says that the server cannot do what was asked; the state may last, " +
				"so repeats need growing pauses.",
			Example: "Five calls within a second are each answered 503.",
			New:     BacksOff(func(r *Request) bool { return r.Status >= 500 && r.Status != 501 && r.Status != 551 }),
		},
		{
			ID: "refused-unchanged", Severity: Warning, Title: "Do not repeat a request that was refused for what it is",
			Why: "The answer will be the same: the body has to change first. Repeats hide the mistake and cost a budget.",
			Contract: "RFC 9110, 15.5.1: 400 and its kin say that the error is the client's; it should not repeat the " +
				"request without changes.",
			Example: "A body that was answered 400 is sent again as it was.",
			New: Refused("was refused", func(r *Request) bool {
				return slices.Contains([]int{400, 405, 413, 414, 415, 422}, r.Status) && !polled(r)
			}),
		},
		{
			ID: "refused-credential", Severity: Warning, Title: "Do not go on with a credential that was refused",
			Why:      "A refused token does not become good again. Repeats look like an attempt to guess tokens.",
			Contract: "RFC 9110, 15.5.2: after 401 a client may repeat the request with a new or replaced credential.",
			Example:  "Three calls in a row with the same token are answered 401.",
			New:      refusedCredential,
		},
		{
			ID: "token-in-address", Severity: Warning, Title: "Send credentials in a header, not in the address",
			Why: "Addresses end up in logs, histories and Referer headers, and the token with them.",
			Contract: "RFC 6750, 5.3: tokens do not belong in page addresses; they go in the Authorization header or a " +
				"confidential body.",
			Example: "GET /calendar/v3/colors?access_token=… in place of an Authorization header.",
			New:     tokenInAddress,
		},
		{
			ID: "unread-members", Severity: Info, Title: "Send only members that the service reads",
			Why: "What is not read has no effect: a misspelt name looks like success and changes nothing.",
			Contract: "Each service's reference lists the members of its requests (docs/openapi); the others are not " +
				"read.",
			Example: `A task is inserted with {"titel":"milk"}.`,
			New:     unreadMembers,
		},
	}
}

// polled reports whether 400 is how the operation says "not yet": the token
// endpoints of device grants.
func polled(r *Request) bool { return r.Form("device_code") != "" }

func refusedCredential(b *Breaches) Check {
	const most = 2
	var memory Memory[string, hammered]
	return Each(func(r *Request) {
		credential := r.Credential()
		if credential == "" {
			return
		}
		k := r.Service + credential
		if r.Status != 401 {
			memory.Delete(k)
			return
		}
		row, _ := memory.Get(k)
		if row.count == 0 || !r.Follows(row.last) {
			row = hammered{first: r.Past()}
		}
		row.count, row.last = row.count+1, r.Past()
		if row.count > most {
			b.Add(fmt.Sprintf("%s is refusal %d in a row of one credential", r.Line(), row.count), row.first, row.last)
		}
		memory.Put(k, row)
	})
}

// tokenInAddress needs a caller, or one that was refused: an operation that takes a
// token as its subject has neither. Parameters named key are keys by contract.
func tokenInAddress(b *Breaches) Check {
	return Each(func(r *Request) {
		if r.Caller() == "" && r.Status != 401 || r.Header("Authorization") != "" || !strings.Contains(r.Raw().Query(), "=") {
			return
		}
		for _, name := range []string{"access_token", "oauth_token"} {
			if r.Param(name) != "" {
				b.Add(fmt.Sprintf("%s has its token in the parameter %s", r.Line(), name), r.Past())
			}
		}
	})
}

func unreadMembers(b *Breaches) Check {
	return Each(func(r *Request) {
		if !r.OK() || r.Method == "GET" {
			return
		}
		if names := r.Unread(); len(names) > 0 {
			few := strings.Join(names[:min(3, len(names))], ", ")
			b.Add(fmt.Sprintf("%s sent %s, which the service does not read", r.Line(), few), r.Past())
		}
	})
}
