package device

import (
	"testing"

	"stoa.dev/stoa/internal/platform/route/routetest"
)

func TestEnvelope(t *testing.T) {
	t.Parallel()
	var own []routetest.Case
	for _, code := range []ErrorCode{
		CodePending, CodeSlowDown, CodeDenied, CodeExpired, CodePolicy, CodeInvalidClient, CodeInvalidGrant,
		CodeInvalidRequest, CodeInvalidScope, CodeUnsupported, CodeOrgInternal, CodeUnsupportedKind,
	} {
		own = append(own, routetest.Case{Name: "own " + string(code), Err: &Error{Code: code, Description: "Why."}})
	}
	own = append(own, routetest.Case{Name: "own basic", Err: &Error{Code: CodeInvalidClient, Description: "Why.", Basic: true}})
	routetest.Envelope(t, writeError, own...)
}
