package files

import (
	"fmt"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/service/generate/api"
)

// ErrNoFile hides whether a file exists from a caller who does not own it.
func ErrNoFile(id string) *api.Error { return errNotFound(id) }

func errNotFound(id string) *api.Error {
	return api.ErrForbidden("you do not have permission to access the file %s, or it does not exist", id)
}

// SessionError is a refusal of the upload protocol, whose statuses are its own.
type SessionError struct {
	// Status is that of HTTP.
	Status  int
	State   UploadState
	Message string
}

func (e *SessionError) Error() string { return e.Message }

// The statuses of a SessionError.
const (
	StatusInvalid  = 400
	StatusNotFound = 404
	StatusOffset   = 409
	StatusGone     = 410
)

// ErrNoSession hides whether a session exists.
func ErrNoSession(message string) *SessionError {
	return &SessionError{StatusNotFound, UploadCancelled, message}
}

func errOffset(wrong *blob.OffsetError) *SessionError {
	return &SessionError{StatusOffset, UploadActive, fmt.Sprintf(
		"the upload has %d bytes; the offset %d does not go on from there", wrong.Have, wrong.Given)}
}

// ErrEnded refuses what an upload that is over cannot do.
func ErrEnded(u Upload) error {
	if u.State == UploadCancelled {
		return &SessionError{StatusGone, UploadCancelled, "the upload was cancelled"}
	}
	return &SessionError{StatusInvalid, UploadFinal, "the upload is already final"}
}
