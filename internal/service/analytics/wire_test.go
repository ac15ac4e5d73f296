package analytics

import (
	"testing"

	"stoa.dev/stoa/internal/platform/route/routetest"
)

func TestOAuthEnvelope(t *testing.T) {
	t.Parallel()
	var own []routetest.Case
	for _, code := range []OAuthCode{
		CodePending, CodeSlowDown, CodeDenied, CodeExpired, CodePolicy, CodeOrgInternal, CodeInvalidClient, CodeInvalidGrant,
		CodeInvalidRequest, CodeInvalidScope, CodeGrantType, CodeResponseType,
	} {
		own = append(own, routetest.Case{Name: "own " + string(code), Err: &OAuthError{Code: code, Description: "Why."}})
	}
	own = append(own, routetest.Case{Name: "own basic", Err: &OAuthError{Code: CodeInvalidClient, Description: "Why.", Basic: true}})
	routetest.Envelope(t, writeOAuthError, own...)
}
