package articles

import "stoa.dev/stoa/internal/service/articles/refusal"

func errInvalid(format string, args ...any) *refusal.Error {
	return refusal.New(refusal.BadRequest, format, args...)
}

func errForbidden(format string, args ...any) *refusal.Error {
	return refusal.New(refusal.Forbidden, format, args...)
}

func errNotFound() *refusal.Error { return refusal.Missing() }
