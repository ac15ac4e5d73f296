package pipelines

import (
	"errors"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

func errNotFound(format string, args ...any) error {
	return refusal.New(refusal.NotFound, format, args...)
}

func errBuildNotFound() error { return errNotFound("Build not found") }

func errBranchNotFound() error { return errNotFound("Branch not found") }

func errInvalid(format string, args ...any) error {
	return refusal.New(refusal.Invalid, format, args...)
}

func errConflict(format string, args ...any) error {
	return refusal.New(refusal.Conflict, format, args...)
}

func errGone(format string, args ...any) error { return refusal.New(refusal.Gone, format, args...) }

// fromForge translates a refusal of the forge.
func fromForge(err error) error {
	var refused *forge.Error
	if !errors.As(err, &refused) {
		return err
	}
	switch refused.Code {
	case forge.CodeNotFound:
		return refusal.Wrap(err, refusal.NotFound, refused.Message)
	case forge.CodeInvalid, forge.CodeTooLarge:
		return refusal.Wrap(err, refusal.Invalid, refused.Message)
	case forge.CodeForbidden:
		return refusal.Wrap(err, refusal.Forbidden, "Permission denied: "+refused.Message)
	case forge.CodeTaken:
		return refusal.Wrap(err, refusal.Conflict, refused.Message)
	case forge.CodeUnavailable:
	}
	return err
}
