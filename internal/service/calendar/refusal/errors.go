package refusal

import (
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/wire"
)

// Code is the machine word of a failure: the reason member of the envelope.
type Code string

// The words with a dot and those that begin with push are about channels.
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
	CodeNotOrganizer  Code = "forbiddenForNonOrganizer"
)

// Error is why a request is refused.
type Error struct {
	Code    Code
	Message string
	// Field is the request part that is wrong, if it is one.
	Field string
	// Why is what the operator is told and the caller is not.
	Why string
}

func (e *Error) Error() string { return e.Message }

// Reason implements route.Reasoner.
func (e *Error) Reason() string {
	if e.Why == "" {
		return wire.Clip(e.Message, maxReason)
	}
	return wire.Clip(e.Message+": "+e.Why, maxReason)
}

// Because adds what the operator is told.
func (e *Error) Because(why string) *Error {
	e.Why = why
	return e
}

// maxReason bounds what is kept of a reason.
const maxReason = 300

// New makes a refusal; an empty field means that it is about no part of the
// request in particular.
func New(code Code, field, format string, args ...any) *Error {
	return &Error{Code: code, Field: field, Message: fmt.Sprintf(format, args...)}
}

// Invalid refuses the value of a field.
func Invalid(field, format string, args ...any) *Error {
	return New(CodeInvalid, field, format, args...)
}

// Required refuses a request without a field.
func Required(field string) *Error { return New(CodeRequired, field, "%s is required", field) }

// Duplicate refuses an identifier that is taken.
func Duplicate() *Error { return New(CodeDuplicate, "", "The requested identifier already exists.") }

// Deleted refuses what was deleted.
func Deleted() *Error { return New(CodeDeleted, "", "Resource has been deleted") }

// TimeRange refuses a time that ends before it starts.
func TimeRange(field string) *Error {
	return New(CodeTimeRange, field, "The specified time range is empty.")
}

// FullSync refuses a sync token that says too little or nothing any more.
func FullSync() *Error {
	return New(CodeFullSync, "syncToken", "Sync token is no longer valid, a full sync is required.")
}

// Clip keeps what a message repeats short.
func Clip(text string) string { return wire.Clip(text, 60) }

// NotFound refuses what there is not, or what the caller may not know of.
func NotFound() *Error { return New(CodeNotFound, "", "Not Found") }

// Condition refuses a change of something that has changed meanwhile.
func Condition() *Error { return New(CodeCondition, "If-Match", "Precondition Failed") }

// Quota refuses more of something than one may have.
func Quota(format string, args ...any) *Error {
	return New(CodeQuota, "", "Calendar usage limits exceeded: "+format, args...)
}

// OrNotFound turns "no row" into the contract's word.
func OrNotFound(err error) error {
	if errors.Is(err, database.ErrNotFound) {
		return NotFound()
	}
	return err
}

// IsMissing turns "no row" and notFound into a flag.
func IsMissing(err error) (missing bool, other error) {
	var refused *Error
	if errors.Is(err, database.ErrNotFound) || errors.As(err, &refused) && refused.Code == CodeNotFound {
		return true, nil
	}
	return false, err
}
