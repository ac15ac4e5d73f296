package conductrules

import (
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/conduct"
)

// Rules are what the service asks of its clients.
func Rules() []conduct.Rule {
	return append(listingConduct(), []conduct.Rule{
		{
			ID: "pipelines.token-in-address", Severity: conduct.Warning, Title: "Send the token in a header",
			Why:      "The parameter is to be removed, and addresses end up in logs, with the token in them.",
			Contract: "G-41: the token as a query parameter is deprecated and will be removed.",
			Example:  "GET /api/v1.1/me?pipeline-token=….",
			New: func(b *conduct.Breaches) conduct.Check {
				return conduct.Each(func(r *conduct.Request) {
					for pair := range strings.SplitSeq(r.Raw().Query(), "&") {
						if name, value, _ := strings.Cut(pair, "="); strings.HasSuffix(name, "-token") && value != "" {
							b.Add(r.Line()+" has its token in the parameter "+name, r.Past())
						}
					}
				})
			},
		},
		{
			ID: "pipelines.accept", Severity: conduct.Info, Title: "Say Accept: application/json",
			Why:      "Without Accept the answer is EDN, which few clients mean to read.",
			Contract: "G-34, G-35: an absent Accept gives EDN, application/json compact JSON.",
			Example:  "GET /api/v1.1/me without an Accept header.",
			New: func(b *conduct.Breaches) conduct.Check {
				return conduct.Each(func(r *conduct.Request) {
					if r.OK() && r.Header("Accept") == "" && strings.Contains(r.Answer("Content-Type"), "edn") {
						b.Add(r.Line()+" has no Accept and was answered in EDN", r.Past())
					}
				})
			},
		},
		{
			ID: "pipelines.back-off", Severity: conduct.Error, Title: "Back off exponentially after 429",
			Why:      "Throttling grows with the requests: a client that repeats at once stays throttled.",
			Contract: "G-46: on 429 retry with exponential backoff, honoring Retry-After when present.",
			Example:  "Five calls within a second are each answered 429.",
			New:      conduct.BacksOff(func(r *conduct.Request) bool { return r.Status == 429 }),
		},
		{
			ID: "pipelines.trigger-repeated", Severity: conduct.Warning, Title: "Look before triggering again",
			Why:      "A trigger whose answer was lost may have been done: a blind repeat builds, and deploys, twice.",
			Contract: "G-28: every trigger starts a new job.",
			Example:  "POST …/tree/main is cut off before its answer and sent again.",
			New: conduct.RepeatsSafely(nil,
				"trigger_project", "trigger_build", "trigger_branch", "build_action"),
		},
	}...)
}

// listingConduct are the rules about lists of jobs.
func listingConduct() []conduct.Rule {
	isList := func(r *conduct.Request) bool {
		return r.Operation == "project_builds" || r.Operation == "branch_builds" || r.Operation == "recent_builds"
	}
	return []conduct.Rule{
		{
			ID: "pipelines.shallow", Severity: conduct.Info, Title: "Poll lists with shallow=true",
			Why:      "Full entries are much larger and slower to make; a poll needs numbers and states.",
			Contract: "G-18: shallow=true improves performance.",
			Example:  "GET …/project/… is asked eleven times within a minute without shallow.",
			New: conduct.Often(10, time.Minute, func(r *conduct.Request) string {
				if !isList(r) || r.Param("shallow") == "true" || !r.OK() {
					return ""
				}
				return r.Place()
			}, "shallow=true makes such answers small"),
		},
		{
			ID: "pipelines.limit", Severity: conduct.Warning, Title: "Ask for 100 jobs at most",
			Why:      "More are not sent: a client that believes it has 500 has lost 400.",
			Contract: "G-16, G-20: limit is 100 at most.",
			Example:  "GET /api/v1.1/recent-builds?limit=500.",
			New: func(b *conduct.Breaches) conduct.Check {
				const most = 100
				return conduct.Each(func(r *conduct.Request) {
					if n, err := strconv.Atoi(r.Param("limit")); isList(r) && err == nil && n > most {
						b.Add(r.Line()+" has limit="+strconv.Itoa(n), r.Past())
					}
				})
			},
		},
		{
			ID: "pipelines.job-polled", Severity: conduct.Info, Title: "Wait for the webhook, or poll every few seconds",
			Why:      "Jobs take seconds to hours. Sustained polling is throttled, and a webhook says when a job is done.",
			Contract: "G-43, G-45: webhooks carry the finished job; bursts and sustained volume are throttled.",
			Example:  "GET …/{build_num} is asked sixty-one times within a minute.",
			New: conduct.Often(60, time.Minute, func(r *conduct.Request) string {
				if r.Operation != "build" {
					return ""
				}
				return r.Place()
			}, "a webhook tells when the job is done"),
		},
	}
}
