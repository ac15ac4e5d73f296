package calendar

import "stoa.dev/stoa/internal/service/calendar/reason"

// Error is why the service refuses a request.
type Error = reason.Error

func errInvalidField(field, format string, args ...any) *Error {
	return reason.Invalid(field, format, args...)
}

func errForbidden(message string) *Error { return reason.New(reason.CodeForbidden, "", "%s", message) }

func errDuplicate() *Error {
	return reason.New(reason.CodeDuplicate, "", "The requested identifier already exists.")
}

func errDeleted() *Error { return reason.New(reason.CodeDeleted, "", "Resource has been deleted") }

func errAccess(need Role) *Error {
	return reason.New(reason.CodeAccessLevel, "", "You need to have %s access to this calendar.", need)
}

func errNotDataOwner() *Error {
	return errForbidden("Only the data owner of a secondary calendar can transfer it.")
}

func errNotOrganizer() *Error {
	return reason.New(reason.CodeNotOrganizer, "",
		"Shared properties can only be changed by the organizer of the event.")
}
