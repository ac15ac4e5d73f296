package calendar

import (
	"errors"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/calendar/reason"
)

// Error is why the service refuses a request.
type Error = reason.Error

func errInvalidField(field, format string, args ...any) *Error {
	return reason.Invalid(field, format, args...)
}

func errQuota(format string, args ...any) *Error {
	return reason.New(reason.CodeQuota, "", "Calendar usage limits exceeded: "+format, args...)
}

func errForbidden(message string) *Error { return reason.New(reason.CodeForbidden, "", "%s", message) }

func errNotFound() *Error { return reason.New(reason.CodeNotFound, "", "Not Found") }

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

func errCondition() *Error {
	return reason.New(reason.CodeCondition, "If-Match", "Precondition Failed")
}

func errNotOrganizer() *Error {
	return reason.New(reason.CodeNotOrganizer, "",
		"Shared properties can only be changed by the organizer of the event.")
}

// orNotFound turns "no row" into the contract's word.
func orNotFound(err error) error {
	if errors.Is(err, database.ErrNotFound) {
		return errNotFound()
	}
	return err
}

// isMissing turns "no row" and notFound into a flag.
func isMissing(err error) (missing bool, other error) {
	var refused *Error
	if errors.Is(err, database.ErrNotFound) || errors.As(err, &refused) && refused.Code == reason.CodeNotFound {
		return true, nil
	}
	return false, err
}
