package analytics

// OAuthCode is the machine word of a failure of the OAuth endpoints.
type OAuthCode string

// The words of the shared table and, where it is silent, of RFC 6749 and 8628.
const (
	CodePending        OAuthCode = "authorization_pending"
	CodeSlowDown       OAuthCode = "slow_down"
	CodeDenied         OAuthCode = "access_denied"
	CodeExpired        OAuthCode = "expired_token"
	CodePolicy         OAuthCode = "admin_policy_enforced"
	CodeOrgInternal    OAuthCode = "org_internal"
	CodeInvalidClient  OAuthCode = "invalid_client"
	CodeInvalidGrant   OAuthCode = "invalid_grant"
	CodeInvalidRequest OAuthCode = "invalid_request"
	CodeInvalidScope   OAuthCode = "invalid_scope"
	CodeGrantType      OAuthCode = "unsupported_grant_type"
	CodeResponseType   OAuthCode = "unsupported_response_type"
)

// OAuthError is why an OAuth endpoint refuses a request.
type OAuthError struct {
	Code OAuthCode
	// Description is for developers, in ASCII.
	Description string
	// Basic asks for credentials in the Authorization header, because that is
	// where the wrong ones came from.
	Basic bool
}

// Error is the code and its description.
func (e *OAuthError) Error() string { return string(e.Code) + ": " + e.Description }

func errRequest(description string) *OAuthError {
	return &OAuthError{Code: CodeInvalidRequest, Description: description}
}

func errClient(c Client) *OAuthError {
	return &OAuthError{Code: CodeInvalidClient, Description: "The client is unknown or its secret is wrong.", Basic: c.Basic}
}
