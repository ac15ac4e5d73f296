package forge

import "stoa.dev/stoa/internal/forge/refusal"

// Error is why the forge refuses, Code the machine word of it.
type (
	Error = refusal.Error
	Code  = refusal.Code
)

// What can be wrong.
const (
	CodeNotFound    = refusal.CodeNotFound
	CodeTaken       = refusal.CodeTaken
	CodeInvalid     = refusal.CodeInvalid
	CodeForbidden   = refusal.CodeForbidden
	CodeTooLarge    = refusal.CodeTooLarge
	CodeUnavailable = refusal.CodeUnavailable
)

// Sentinels for errors.Is.
var (
	ErrNotFound  = refusal.ErrNotFound
	ErrTaken     = refusal.ErrTaken
	ErrInvalid   = refusal.ErrInvalid
	ErrForbidden = refusal.ErrForbidden
	ErrTooLarge  = refusal.ErrTooLarge
)
