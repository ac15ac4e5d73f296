package apikeys

// Code is the machine word of a failure.
type Code string

// The failures of the service itself.
const (
	// CodeBadRequest means that the request contradicts itself or a rule.
	CodeBadRequest Code = "BadRequestException"
	// CodeUnauthorized means that the key is gone or may not be refreshed.
	CodeUnauthorized Code = "UnauthorizedException"
)

// Error is why the service refuses a request.
type Error struct {
	Code    Code
	Message string
	// Violations are set when single members are at fault.
	Violations []Violation
}

// Error is the message for people.
func (e *Error) Error() string { return e.Message }

func errViolations(violations []Violation) *Error {
	return &Error{Code: CodeBadRequest, Message: "Bad Request", Violations: violations}
}

func errBothSet() *Error {
	return &Error{
		Code:    CodeBadRequest,
		Message: "apiKeyDaysValid and apiKeyNeverExpires cannot be set together; send one of them or none",
	}
}

func errKeyGone() *Error {
	return &Error{Code: CodeUnauthorized, Message: "the API key is not valid: it has already been refreshed or revoked"}
}

func errTeamRole() *Error {
	return &Error{Code: CodeUnauthorized, Message: "a team's API key can only be refreshed by an owner or administrator of the team"}
}
