package forge

import "stoa.dev/stoa/internal/forge/refusals"

// Error is why the forge refuses, Code the machine word of it.
type (
	Error = refusals.Error
	Code  = refusals.Code
)

// What can be wrong.
const (
	CodeNotFound    = refusals.CodeNotFound
	CodeTaken       = refusals.CodeTaken
	CodeInvalid     = refusals.CodeInvalid
	CodeForbidden   = refusals.CodeForbidden
	CodeTooLarge    = refusals.CodeTooLarge
	CodeUnavailable = refusals.CodeUnavailable
)

// Sentinels for errors.Is.
var (
	ErrNotFound  = refusals.ErrNotFound
	ErrTaken     = refusals.ErrTaken
	ErrInvalid   = refusals.ErrInvalid
	ErrForbidden = refusals.ErrForbidden
	ErrTooLarge  = refusals.ErrTooLarge
)
