package conductrules

import (
	"time"

	"stoa.dev/stoa/internal/platform/conduct"
)

// Rules are what the service asks of its clients.
func Rules() []conduct.Rule {
	return []conduct.Rule{
		{
			ID: "apikeys.old-key", Severity: conduct.Error, Title: "Use the new key as soon as it is there",
			Why:      "The old key is dead: whatever still uses it fails, now or at the next start.",
			Contract: "L-03, L-N6: refresh issues a new key; the old one is dead as soon as the answer is sent.",
			Example:  "A second refresh is made with the key that the first one replaced, and is answered 401.",
			New:      oldKey,
		},
		{
			ID: "apikeys.idempotency-key", Severity: conduct.Warning, Title: "Repeat a refresh with an Idempotency-Key",
			Why: "If the answer was lost, the new key is lost with it: only the same Idempotency-Key gets it again " +
				"after a minute.",
			Contract: "L-N6: a request with the same Idempotency-Key is told the same new key for a day.",
			Example:  "A refresh whose connection was cut is sent again without an Idempotency-Key.",
			New:      conduct.RepeatsSafely(conduct.HasHeader("Idempotency-Key"), "refresh"),
		},
		{
			ID: "apikeys.never-expires", Severity: conduct.Info, Title: "Give keys an end",
			Why:      "A key that leaks and never expires is good for ever.",
			Contract: "L-01, L-04: apiKeyDaysValid chooses how long a key is valid.",
			Example:  `{"apiKeyNeverExpires":true} is sent.`,
			New: func(b *conduct.Breaches) conduct.Check {
				return conduct.Each(func(r *conduct.Request) {
					if r.Operation == "refresh" && r.OK() && r.Body("/apiKeyNeverExpires") == true {
						b.Add(r.Line()+" asked for a key that never expires", r.Past())
					}
				})
			},
		},
		{
			ID: "apikeys.refreshed-often", Severity: conduct.Info, Title: "Refresh a key when it is about to end",
			Why:      "Every refresh kills the key before it, in every process that still has it.",
			Contract: "L-04: a key is good for the days that were chosen.",
			Example:  "Four refreshes succeed within an hour.",
			New: conduct.Often(3, time.Hour, func(r *conduct.Request) string {
				if r.Operation != "refresh" || !r.OK() {
					return ""
				}
				return "refresh"
			}, "a key of a day is enough for a day"),
		},
	}
}

// oldKey looks for keys that are used after they were replaced.
func oldKey(b *conduct.Breaches) conduct.Check {
	var replaced conduct.Memory[string, conduct.Past]
	return conduct.Each(func(r *conduct.Request) {
		key := r.Credential()
		if key == "" {
			return
		}
		if before, ok := replaced.Get(key); ok && r.Follows(before) && r.Status == 401 {
			b.Add(r.Line()+" presented a key that a refresh had replaced", before, r.Past())
		}
		if r.Operation == "refresh" && r.OK() && !r.Lost() {
			if _, ok := replaced.Get(key); !ok {
				replaced.Put(key, r.Past())
			}
		}
	})
}
