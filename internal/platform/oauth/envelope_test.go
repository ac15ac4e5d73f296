package oauth_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/oauth"
	"stoa.dev/stoa/internal/platform/route/routetest"
)

// TestEnvelope holds every code and every ground error against golden files, for
// all services whose token endpoints write errors with this package.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	own := []routetest.Case{{Name: "own basic", Err: &oauth.Error{Code: oauth.InvalidClient, Description: "Why.",
		Basic: true}}}
	for _, code := range []oauth.Code{
		oauth.Pending, oauth.SlowDown, oauth.Denied, oauth.Expired, oauth.Policy, oauth.OrgInternal, oauth.InvalidClient,
		oauth.InvalidGrant,
		oauth.InvalidRequest, oauth.InvalidScope, oauth.UnsupportedGrantType, oauth.UnsupportedResponseType,
		oauth.InvalidToken,
	} {
		own = append(own, routetest.Case{Name: "own " + string(code), Err: &oauth.Error{Code: code, Description: "Why."}})
	}
	routetest.Envelope(t, oauth.WriteError, own...)
}
