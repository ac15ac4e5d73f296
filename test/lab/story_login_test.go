package lab_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"
)

// poster sends a form and reads the answer.
type poster func(path string, form url.Values) map[string]any

// login shows a code to the user and polls until the user has decided.
func login(post poster, app url.Values, show func(code string), sleep func(time.Duration)) (token any, err error) {
	code := post("/device/code", url.Values{"client_id": app["client_id"], "scope": {"video"}})
	app.Set("device_code", fmt.Sprint(code["device_code"]))
	show(fmt.Sprint(code["user_code"]))
	for pause := 5 * time.Second; ; {
		sleep(pause)
		switch answer := post("/token", app); answer["error"] {
		case nil:
			return answer["access_token"], nil
		case "authorization_pending":
		case "slow_down":
			pause += 5 * time.Second
		default:
			return nil, fmt.Errorf("login: %v", answer["error"])
		}
	}
}

// A device asks its user to log in. One user refuses, one never comes, and one allows it while the service asks
// the device to poll more slowly. Half an hour of polling takes no time, and no poll came too soon.
func TestStoryLogin(t *testing.T) {
	t.Parallel()
	first := story(t)
	for _, row := range []struct {
		name, decision, fault, err string
	}{
		{name: "denied", decision: "deny", err: "login: access_denied"},
		{name: "expired", err: "login: expired_token"},
		{name: "slowed down", decision: "allow", fault: "slow_down"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := first.fork(t)
			if row.fault != "" {
				w.fault(t, `{"match":{"operation":"token"},"when":{"first":2},"deed":{"fault":"`+row.fault+`"}}`)
			}
			app := url.Values{
				"client_id": {w.Env["STOA_DEVICE_CLIENT_ID"]}, "client_secret": {w.Env["STOA_DEVICE_CLIENT_SECRET"]},
				"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"},
			}

			token, err := login(w.poster(t), app, w.user(t, row.decision), w.sleep(t))

			if err == nil && (token == nil || row.err != "") || err != nil && err.Error() != row.err {
				t.Errorf("token %v, %v; want %q", token, err, row.err)
			}
			w.expect(t, `{"calls":{"operation":"token"},"noCloserThan":"5s"}`)
			w.wellBehaved(t)
		})
	}
}
