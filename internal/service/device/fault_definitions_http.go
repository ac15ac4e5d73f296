package device

import (
	"net/http"
	"time"

	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/oauth"
)

// faultDefinitions is the contract's error table by name, J-24 to J-33.
func faultDefinitions() []module.Fault {
	code, token, both := []string{"device.code"}, []string{"token"}, []string{"device.code", "token"}
	refused := func(name oauth.Code, description string, operations []string, err error) module.Fault {
		return module.Fault{
			Name: string(name), Status: name.Status(), Description: description, Operations: operations,
			Handle: module.Refuse(err),
		}
	}
	return []module.Fault{
		refused(oauth.Pending, "The user has not yet allowed the device; poll again after the interval.",
			token, fromGrant(grants.ErrPending)),
		refused(oauth.SlowDown, "The device polls too often; wait longer between polls.",
			token, fromGrant(grants.ErrTooSoon)),
		refused(oauth.Denied, "The user refused the device.", token, fromGrant(grants.ErrDenied)),
		refused(oauth.Expired, "The device code has expired; begin again.", token, fromGrant(grants.ErrExpired)),
		refused(oauth.Policy, "The policy of the account's administrator does not allow the requested scopes.",
			token, fromGrant(grants.ErrPolicy)),
		refused(oauth.OrgInternal, "The client is limited to accounts of its organization.",
			token, fromGrant(grants.ErrInternal)),
		refused(oauth.InvalidClient, "The client was not found, or is of the wrong type.",
			both, oauth.BadClient(oauth.Client{}, "The OAuth client was not found.")),
		refused(oauth.InvalidGrant, "The code or the refresh token was used, revoked or is not one.",
			token, fromGrant(grants.ErrUnknown)),
		refused(oauth.InvalidScope, "A requested scope is unknown or not for devices.",
			code, &Error{Code: oauth.InvalidScope, Description: "Invalid scope."}),
		refused(oauth.UnsupportedGrantType, "The grant type is not one of the endpoint.",
			token, &Error{Code: oauth.UnsupportedGrantType, Description: "Invalid grant_type"}),
		{
			Name: "rate_limit_exceeded", Status: http.StatusForbidden, Operations: code,
			Description: "Requests for device codes have exceeded the quota of the client; the body has error_code.",
			Handle: module.Refuse(&limit.Exceeded{Decision: limit.Decision{
				Name: Name + ".codes", Limit: 60, Used: 60, RetryAfter: time.Minute,
			}}),
		},
	}
}
