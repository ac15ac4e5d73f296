package conductrules

import (
	"time"

	"stoa.dev/stoa/internal/platform/conduct"
)

// Rules are what the service asks of its callers. The journal has no messages
// of this service, only the ids of keys.
func Rules() []conduct.Rule {
	return []conduct.Rule{
		{
			ID: "kms.status-polled", Severity: conduct.Warning, Title: "Poll Status while keys are in use",
			Why: "Status is how a caller learns that the provider is unwell or that the key has changed; without it both " +
				"show only as failures.",
			Contract: "A-18: Status is meant to be polled.",
			Example:  "Keys are used for eleven minutes, and Status is not called.",
			New:      statusPolled,
		},
		{
			ID: "kms.key-changed", Severity: conduct.Warning, Title: "Encrypt anew when the key id changes",
			Why:      "Data under the old key is stale: when that key is destroyed it cannot be read any more.",
			Contract: "A-05: data stored under a key_id other than the one Status reports is judged stale.",
			Example:  "Status reports a new key id four times over three minutes, and Encrypt is not called.",
			New:      keyChanged,
		},
		{
			ID: "kms.back-off", Severity: conduct.Warning, Title: "Slow down when calls are refused for their number",
			Why:      "The provider behind is limited too: calls that are repeated at once keep each other out.",
			Contract: "A-N2: RESOURCE_EXHAUSTED stands for too many calls.",
			Example:  "Five calls within a second end with RESOURCE_EXHAUSTED.",
			New:      conduct.BacksOff(func(r *conduct.Request) bool { return r.Status == 429 }),
		},
		{
			ID: "kms.decrypt-refused", Severity: conduct.Info, Title: "Do not try again what can never be decrypted",
			Why:      "A key id that was never published, or a ciphertext that was altered, does not get better.",
			Contract: "A-06, A-N2: Decrypt takes back what Encrypt returned; anything else is INVALID_ARGUMENT or NOT_FOUND.",
			Example:  "Decrypt is refused five times in a row without a success.",
			New: conduct.BacksOff(func(r *conduct.Request) bool {
				return r.Operation == "Decrypt" && (r.Status == 400 || r.Status == 404)
			}),
		},
	}
}

// How long keys may be in use without a look at Status, and in how many calls.
const (
	maxUnwatched      = 10 * time.Minute
	maxUnwatchedCalls = 10
)

func statusPolled(b *conduct.Breaches) conduct.Check {
	var since conduct.Past // the last Status, or the first call
	calls := 0
	return conduct.Each(func(r *conduct.Request) {
		if r.Operation == "Status" || !since.Known() {
			since, calls = r.Past(), 0
			return
		}
		calls++
		if r.Since(since) > maxUnwatched && calls >= maxUnwatchedCalls {
			b.Add(r.Operation+" was called, and Status had not been for more than ten minutes", since, r.Past())
			since, calls = r.Past(), 0
		}
	})
}

// keyChanged looks for callers that see a new key id and go on without it.
func keyChanged(b *conduct.Breaches) conduct.Check {
	const looks, span = 3, 3 * time.Minute
	var current string
	var changed conduct.Past
	seen := 0
	return conduct.Each(func(r *conduct.Request) {
		id := r.Answer("Key-Id")
		switch {
		case r.Operation == "Encrypt" && r.OK():
			current, changed, seen = id, conduct.Past{}, 0
		case r.Operation != "Status" || id == "":
		case current == "":
			current = id
		case id != current:
			current, changed, seen = id, r.Past(), 0
		case changed.Known():
			seen++
			if seen >= looks && r.Since(changed) >= span {
				b.Add("Status reports another key, and nothing was encrypted under it", changed, r.Past())
				changed = conduct.Past{}
			}
		}
	})
}
