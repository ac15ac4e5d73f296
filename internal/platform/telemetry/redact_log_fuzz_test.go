package telemetry_test

import (
	"net/url"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/telemetry"
)

// A secret in a query is masked however its name is spelt and whatever stands
// around it, and masking a masked query changes nothing.
func FuzzMaskQuery(f *testing.F) {
	fuzztest.Strings(f, "api_key=hunter2hunter2&a=b", "a=b;token=hunter2", "%74oken=hunter2", "code=a=b&state=c", "key",
		"=&&;=", "a=%zz&password=x", "API-Key=x&application_key=y")
	f.Fuzz(func(t *testing.T, query string) {
		got := telemetry.MaskQuery(query)
		if again := telemetry.MaskQuery(got); again != got {
			t.Errorf("%q becomes %q and then %q", query, got, again)
		}
		const secret = "hunter2-0123456789"
		for _, name := range []string{"api_key", "token", "code", "client_secret"} {
			whole := query + "&" + name + "=" + secret
			if strings.Contains(query, secret) {
				return
			}
			if values, err := url.ParseQuery(whole); err == nil && values.Get(name) != "" &&
				strings.Contains(telemetry.MaskQuery(whole), secret) {
				t.Errorf("%q becomes %q", whole, telemetry.MaskQuery(whole))
			}
		}
	})
}
