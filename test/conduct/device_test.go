package conduct_test

import (
	"testing"
	"time"
)

// grants are the pairs of a service with device codes.
func grants(service, start, startLine, poll, pollLine string) []pair {
	code := exchange{
		operation: start, line: startLine, caller: "-",
		says: `{"device_code":"D-1","user_code":"U","expires_in":1800,"interval":5}`,
	}
	asks := func(after time.Duration, status int, says string) exchange {
		return exchange{
			operation: poll, line: pollLine, caller: "-", status: status, says: says, after: after,
			header: "Content-Type: application/x-www-form-urlencoded",
			body:   "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=D-1",
		}
	}
	pending := func(after time.Duration) exchange { return asks(after, 428, `{"error":"authorization_pending"}`) }
	slow := func(after time.Duration) exchange { return asks(after, 403, `{"error":"slow_down"}`) }
	denied := asks(5*time.Second, 403, `{"error":"access_denied"}`)
	token := asks(5*time.Second, 200, `{"access_token":"t","token_type":"Bearer"}`)
	return []pair{
		{
			rule: service + ".interval", bad: client{code, pending(time.Second), pending(time.Second)},
			good: client{code, pending(time.Second), pending(5 * time.Second), token},
		},
		{
			rule: service + ".slow-down",
			bad:  client{code, pending(5 * time.Second), slow(5 * time.Second), pending(time.Second)},
			good: client{code, pending(5 * time.Second), slow(5 * time.Second), pending(10 * time.Second), token},
		},
		{
			rule: service + ".poll-ended", bad: client{code, denied, asks(10*time.Second, 403, `{"error":"access_denied"}`)},
			good: client{code, pending(5 * time.Second), denied, code},
		},
		{
			rule: service + ".expired", bad: client{code, pending(5 * time.Second), pending(time.Hour)},
			good: client{code, pending(5 * time.Second), asks(29*time.Minute, 400, `{"error":"expired_token"}`), code},
		},
	}
}

func TestDevice(t *testing.T) {
	t.Parallel()
	form := "Content-Type: application/x-www-form-urlencoded"
	exchanged := exchange{
		operation: "token", line: "POST /token", caller: "-", header: form, body: "grant_type=authorization_code&code=c-1",
		says: `{"access_token":"t"}`,
	}
	keys := exchange{
		operation: "certs", line: "GET /oauth2/v3/certs", caller: "-", answer: "Cache-Control: public, max-age=3600",
	}
	pairs := grants("device", "device.code", "POST /device/code", "token", "POST /token")
	check(t, "device", append(pairs, []pair{
		{rule: "device.code-twice", bad: client{exchanged, exchanged}, good: client{lost(exchanged), exchanged}},
		{rule: "device.keys-fetched", bad: client{keys, keys, keys}, good: client{many(keys, 3, time.Hour)}},
	}...))
}

func TestAnalytics(t *testing.T) {
	t.Parallel()
	create := exchange{
		operation: "projects.create", line: "POST /apis/v4/projects/v0", body: `{"url":"a.example"}`, status: 550,
	}
	again := create
	again.status, again.after = 200, 10*time.Second
	keyed, keyedAgain := create, again
	keyed.header, keyedAgain.header = "Idempotency-Key: one", "Idempotency-Key: one"
	update := exchange{
		operation: "locations.update", line: "PUT /apis/v4/listing-management/v1/external/locations/1", times: 25,
		after: time.Second,
	}
	few := update
	few.times = 10
	conflict := exchange{operation: "projects.create", line: "POST /apis/v4/projects/v0", body: `{}`, status: 409}
	refresh := exchange{
		operation: "oauth2.accessToken", line: "POST /oauth2/access_token", caller: "-",
		header: "Content-Type: application/x-www-form-urlencoded", body: "grant_type=refresh_token&refresh_token=r-1",
	}
	next := refresh
	next.body = "grant_type=refresh_token&refresh_token=r-2"
	pairs := grants("analytics", "dag.device.code", "POST /dag/device/code", "dag.device.token", "POST /dag/device/token")
	check(t, "analytics", append(pairs[:3], []pair{
		{rule: "analytics.idempotency-key", bad: client{create, again}, good: client{keyed, keyedAgain}},
		{rule: "analytics.locations-in-bulk", bad: client{update}, good: client{few}},
		{
			rule: "analytics.conflict-repeated", bad: client{conflict, conflict},
			good: client{conflict, {operation: "projects.list", line: "GET /apis/v4/projects/v0"}},
		},
		{rule: "analytics.refresh-twice", bad: client{refresh, refresh}, good: client{refresh, next}},
	}...))
}

func TestAPIKeys(t *testing.T) {
	t.Parallel()
	refresh := func(key string, status int, body string) exchange {
		e := exchange{
			operation: "refresh", line: "POST /v2/api-keys/refresh", status: status, body: body,
			header: "Authorization: Bearer " + key, says: `{"status":"success","data":{"apiKey":"svc_new"}}`,
		}
		if status == 401 {
			e.caller = "-"
		}
		return e
	}
	days := `{"apiKeyDaysValid":30}`
	cut := refresh("svc_a", 200, days)
	cut.fault = "cut"
	often := refresh("svc_a", 200, days)
	often.times = 4
	kept := cut
	kept.header += "\nIdempotency-Key: one"
	check(t, "apikeys", []pair{
		{
			rule: "apikeys.old-key", bad: client{refresh("svc_a", 200, days), refresh("svc_a", 401, days)},
			good: client{refresh("svc_a", 200, days), refresh("svc_b", 200, days)},
		},
		{rule: "apikeys.idempotency-key", bad: client{cut, refresh("svc_a", 200, days)}, good: client{kept, kept}},
		{
			rule: "apikeys.never-expires", bad: client{refresh("svc_a", 200, `{"apiKeyNeverExpires":true}`)},
			good: client{refresh("svc_a", 200, days)},
		},
		{rule: "apikeys.refreshed-often", bad: client{often}, good: client{refresh("svc_a", 200, days)}},
	})
}
