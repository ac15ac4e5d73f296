package calendar

import "stoa.dev/stoa/internal/service/calendar/refusal"

// Error is why the service refuses a request.
type Error = refusal.Error

func errInvalidField(field, format string, args ...any) *Error {
	return refusal.Invalid(field, format, args...)
}

func errForbidden(message string) *Error {
	return refusal.New(refusal.CodeForbidden, "", "%s", message)
}

func errAccess(need Role) *Error {
	return refusal.New(refusal.CodeAccessLevel, "", "You need to have %s access to this calendar.", need)
}

func errNotDataOwner() *Error {
	return errForbidden("Only the data owner of a secondary calendar can transfer it.")
}

func errNotOrganizer() *Error {
	return refusal.New(refusal.CodeNotOrganizer, "",
		"Shared properties can only be changed by the organizer of the event.")
}
