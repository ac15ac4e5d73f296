package project

import "stoa.dev/stoa/internal/service/pipelines/refusal"

func errNotFound(format string, args ...any) error {
	return refusal.New(refusal.NotFound, format, args...)
}

func errInvalid(format string, args ...any) error {
	return refusal.New(refusal.Invalid, format, args...)
}

func errForbidden(format string, args ...any) error {
	return refusal.New(refusal.Forbidden, "Permission denied: "+format, args...)
}

// ErrLogin refuses a caller without a token.
func ErrLogin() error { return refusal.New(refusal.Login, "You must log in first.") }
