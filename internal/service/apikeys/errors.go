package apikeys

import "fmt"

// Code is the machine word of a failure.
type Code string

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

func (e *Error) Error() string { return e.Message }

func errViolations(violations []Violation) *Error {
	return &Error{Code: CodeBadRequest, Message: "Bad Request", Violations: violations}
}

func errInvalid(format string, args ...any) *Error {
	return &Error{Code: CodeBadRequest, Message: fmt.Sprintf(format, args...)}
}

func errUnauthorized(format string, args ...any) *Error {
	return &Error{Code: CodeUnauthorized, Message: fmt.Sprintf(format, args...)}
}
