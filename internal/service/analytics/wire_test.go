package analytics

import (
	"testing"

	"stoa.dev/stoa/internal/platform/oauth"
	"stoa.dev/stoa/internal/platform/route/routetest"
)

func TestOAuthEnvelope(t *testing.T) {
	t.Parallel()
	var own []routetest.Case
	for _, code := range []oauth.Code{
		oauth.Pending, oauth.SlowDown, oauth.Denied, oauth.Expired, oauth.Policy, oauth.OrgInternal, oauth.InvalidClient, oauth.InvalidGrant,
		oauth.InvalidRequest, oauth.InvalidScope, oauth.UnsupportedGrantType, oauth.UnsupportedResponseType,
	} {
		own = append(own, routetest.Case{Name: "own " + string(code), Err: &oauth.Error{Code: code, Description: "Why."}})
	}
	own = append(own, routetest.Case{Name: "own basic", Err: &oauth.Error{Code: oauth.InvalidClient, Description: "Why.", Basic: true}})
	routetest.Envelope(t, oauth.WriteError, own...)
}
