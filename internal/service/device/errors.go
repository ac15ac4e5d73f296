package device

// ErrorCode is the machine word of a failure, as in the error member.
type ErrorCode string

// The words of the contract and, where it is silent, of RFC 6749 and 8628.
const (
	CodePending         ErrorCode = "authorization_pending"
	CodeSlowDown        ErrorCode = "slow_down"
	CodeDenied          ErrorCode = "access_denied"
	CodeExpired         ErrorCode = "expired_token"
	CodePolicy          ErrorCode = "admin_policy_enforced"
	CodeInvalidClient   ErrorCode = "invalid_client"
	CodeInvalidGrant    ErrorCode = "invalid_grant"
	CodeInvalidRequest  ErrorCode = "invalid_request"
	CodeInvalidScope    ErrorCode = "invalid_scope"
	CodeUnsupported     ErrorCode = "unsupported_grant_type"
	CodeOrgInternal     ErrorCode = "org_internal"
	CodeUnsupportedKind ErrorCode = "unsupported_token_type"
)

// Error is why the service refuses a request.
type Error struct {
	Code ErrorCode
	// Description is for developers. It keeps to ASCII, as RFC 6749 asks.
	Description string
	// Basic asks for credentials in the Authorization header, because that is
	// where the wrong ones came from.
	Basic bool
}

// Error is the code and its description.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Description }

func errRequest(description string) *Error {
	return &Error{Code: CodeInvalidRequest, Description: description}
}

func errClient(c Client, description string) *Error {
	return &Error{Code: CodeInvalidClient, Description: description, Basic: c.Basic}
}
