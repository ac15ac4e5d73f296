package calendar

import (
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/platform/database"
)

// Code is the machine word of a failure: the reason member of the envelope.
type Code string

// The reasons. The words with a dot and those that begin with push are about
// channels.
const (
	CodeInvalid       Code = "invalid"
	CodeRequired      Code = "required"
	CodeTimeRange     Code = "timeRangeEmpty"
	CodeForbidden     Code = "forbidden"
	CodeAccessLevel   Code = "requiredAccessLevel"
	CodeQuota         Code = "quotaExceeded"
	CodeNotFound      Code = "notFound"
	CodeDuplicate     Code = "duplicate"
	CodeDeleted       Code = "deleted"
	CodeFullSync      Code = "fullSyncRequired"
	CodeUpdatedMin    Code = "updatedMinTooLongAgo"
	CodeCondition     Code = "conditionNotMet"
	CodeChannelID     Code = "channelIdNotUnique"
	CodeChannelTTL    Code = "pushInvalidTtl"
	CodeChannelType   Code = "push.channelTypeNotSupported"
	CodeNotHTTPS      Code = "push.webhookUrlNotHttps"
	CodeNoHost        Code = "push.webhookUrlNoHostOrAddress"
	CodeAddress       Code = "push.webhookUrlUnauthorized"
	CodeCertificate   Code = "push.webhookCertificateInvalid"
	CodeManyChannels  Code = "push.tooManyChannels"
	CodeCannotChange  Code = "cannotChangeOwnAcl"
	CodeNotOfPrimary  Code = "cannotDeletePrimaryCalendar"
	CodeOnlyOfPrimary Code = "onlyPrimaryCalendarCanBeCleared"
)

// codes lists them all, for the table that tests the envelope.
func codes() []Code {
	return []Code{
		CodeInvalid, CodeRequired, CodeTimeRange, CodeForbidden, CodeAccessLevel, CodeQuota, CodeNotFound, CodeDuplicate,
		CodeDeleted, CodeFullSync, CodeUpdatedMin, CodeCondition, CodeChannelID, CodeChannelTTL, CodeChannelType,
		CodeNotHTTPS, CodeNoHost, CodeAddress, CodeCertificate, CodeManyChannels, CodeCannotChange, CodeNotOfPrimary,
		CodeOnlyOfPrimary,
	}
}

// Error is why the service refuses a request.
type Error struct {
	Code    Code
	Message string
	// Field is the request part that is wrong, if it is one.
	Field string
	cause error
}

// Error is the message for people.
func (e *Error) Error() string { return e.Message }

// Unwrap is what led to the refusal.
func (e *Error) Unwrap() error { return e.cause }

func refuse(code Code, field, format string, args ...any) *Error {
	return &Error{Code: code, Field: field, Message: fmt.Sprintf(format, args...)}
}

func errInvalid(field, format string, args ...any) *Error {
	return refuse(CodeInvalid, field, format, args...)
}

func errRequired(field string) *Error { return refuse(CodeRequired, field, "%s is required", field) }

func errNotFound() *Error { return refuse(CodeNotFound, "", "Not Found") }

func errDeleted() *Error { return refuse(CodeDeleted, "", "Resource has been deleted") }

func errAccess(need Role) *Error {
	return refuse(CodeAccessLevel, "", "You need to have %s access to this calendar.", need)
}

func errFullSync() *Error {
	return refuse(CodeFullSync, "syncToken", "Sync token is no longer valid, a full sync is required.")
}

func errTimeRange(field string) *Error {
	return refuse(CodeTimeRange, field, "The specified time range is empty.")
}

func errNotDataOwner() *Error {
	return refuse(CodeForbidden, "", "Only the data owner of a secondary calendar can transfer it.")
}

func errCondition() *Error { return refuse(CodeCondition, "If-Match", "Precondition Failed") }

// orNotFound turns "no row" into the contract's word.
func orNotFound(err error) error {
	if errors.Is(err, database.ErrNotFound) {
		return errNotFound()
	}
	return err
}
