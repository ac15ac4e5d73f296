package admin

import (
	"errors"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
)

// asFailure gives every error of a command an exit code, and the next step where it is what the server stores in that
// does not answer.
func asFailure(err error) *module.CommandError {
	var failure *module.CommandError
	if errors.As(err, &failure) {
		return failure
	}
	return module.Fail(module.Failed, storageAdvice(err), "%w", err)
}

func storageAdvice(err error) string {
	switch {
	case errors.Is(err, database.ErrUnavailable):
		return "start the database, or wait for it: the server needs no restart, and /readyz says when it is back"
	case errors.Is(err, database.ErrUnknown):
		return "look whether it is done before you repeat it: the connection to the database was lost meanwhile"
	case errors.Is(err, database.ErrBusy):
		return "try again: the database has too much to do"
	case errors.Is(err, database.ErrReadOnly):
		return "see that database.url names the primary, and that the folder may be written"
	case errors.Is(err, blob.ErrUnavailable):
		return "start the store of files (blob.store), or wait for it: the server needs no restart"
	case errors.Is(err, database.ErrDiskFull), errors.Is(err, blob.ErrFull):
		return "free some space where the server stores its data, and try again"
	}
	return ""
}
