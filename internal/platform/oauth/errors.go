package oauth

import "net/http"

// Code is the machine word of a failure, as in the error member.
type Code string

// The words of the shared table and, where it is silent, of RFC 6749 and 8628.
const (
	Pending                 Code = "authorization_pending"
	SlowDown                Code = "slow_down"
	Denied                  Code = "access_denied"
	Expired                 Code = "expired_token"
	Policy                  Code = "admin_policy_enforced"
	OrgInternal             Code = "org_internal"
	InvalidClient           Code = "invalid_client"
	InvalidGrant            Code = "invalid_grant"
	InvalidRequest          Code = "invalid_request"
	InvalidScope            Code = "invalid_scope"
	UnsupportedGrantType    Code = "unsupported_grant_type"
	UnsupportedResponseType Code = "unsupported_response_type"
	// InvalidToken and insufficientScope are RFC 6750's, about a bearer token.
	InvalidToken      Code = "invalid_token"
	insufficientScope Code = "insufficient_scope"
)

// Error is why a token endpoint refuses a request.
type Error struct {
	Code Code
	// Description is for developers. Plain makes it what RFC 6749 allows.
	Description string
	// Basic asks for credentials in the Authorization header, because that is
	// where the wrong ones came from.
	Basic bool
}

// Error is the code and its description.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Description }

// BadRequest is an Error about the request itself.
func BadRequest(description string) *Error {
	return &Error{Code: InvalidRequest, Description: description}
}

// BadClient is an Error about the client that c claims to be.
func BadClient(c Client, description string) *Error {
	return &Error{Code: InvalidClient, Description: description, Basic: c.Basic}
}

// Status is the shared table.
func (c Code) Status() int {
	switch c {
	case Pending:
		return http.StatusPreconditionRequired
	case SlowDown, Denied, OrgInternal, insufficientScope:
		return http.StatusForbidden
	case InvalidClient:
		return http.StatusUnauthorized
	case Expired, Policy, InvalidGrant, InvalidRequest, InvalidScope, UnsupportedGrantType, UnsupportedResponseType,
		InvalidToken:
		return http.StatusBadRequest
	}
	return http.StatusBadRequest
}
