package commands

import (
	"errors"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
)

// commandError gives the operator the cause and, when it helps, the next step.
func commandError(err error, next string) error {
	switch {
	case errors.Is(err, identity.ErrNotFound):
		return module.Fail(module.NotFound, next, "%w", err)
	case errors.Is(err, identity.ErrTaken):
		return module.Fail(module.Conflict, "choose another name", "%w", err)
	case errors.Is(err, identity.ErrLastAdmin):
		return module.Fail(module.Conflict, "make another user an administrator first (stoa user set NAME --admin yes)",
			"%w", err)
	case errors.Is(err, identity.ErrLastOwner):
		return module.Fail(module.Conflict, "make another user its owner first (stoa team member add)", "%w", err)
	case errors.Is(err, identity.ErrInvalid):
		return module.Fail(module.Usage, next, "%w", err)
	}
	return err
}
