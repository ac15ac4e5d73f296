package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/cli/labclient"
	"stoa.dev/stoa/internal/app/cli/plain"
	"stoa.dev/stoa/internal/app/doctor"
	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/folderlock"
	"stoa.dev/stoa/internal/platform/module"
)

// asFailure gives every error an exit code.
func asFailure(err error) *module.CommandError {
	var failure *module.CommandError
	if errors.As(err, &failure) {
		return failure
	}
	var owned *folderlock.OwnedError
	if errors.As(err, &owned) {
		return asOwned(owned)
	}
	var refused *lab.Error
	if errors.As(err, &refused) {
		return labclient.Refused(refused)
	}
	if errors.Is(err, app.ErrConfig) {
		return module.Fail(module.Config, "correct the named settings", "%w", err)
	}
	if next := folderAdvice(err); next != "" {
		return module.Fail(module.Failed, next, "%w", err)
	}
	// cobra reports unknown commands and surplus arguments as plain errors.
	for _, start := range []string{"unknown command", "accepts ", "requires "} {
		if strings.HasPrefix(err.Error(), start) {
			return module.Fail(module.Usage, "see stoa --help", "%w", err)
		}
	}
	return module.Fail(module.Failed, "", "%w", err)
}

// folderAdvice is the next step where the system refuses the data folder, empty
// for everything else.
func folderAdvice(err error) string {
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return "there is a file where the folder should be; name another with --data"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, database.ErrDiskFull):
		return "the disk is full: free some space, or name a folder on another one with --data"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return doctor.ForbiddenAdvice
	}
	return ""
}

// asOwned says the cause and, once, what to do.
func asOwned(e *folderlock.OwnedError) *module.CommandError {
	owner := "another process"
	if e.PID != 0 {
		owner = fmt.Sprintf("process %d", e.PID)
	}
	return module.Fail(module.Owned, "stop it with stoa stop, or choose another folder with --data",
		"data folder %s is in use by %s", e.Dir, owner)
}

func (p *Program) printError(failure *module.CommandError) {
	failure.Message, failure.Next = module.PlainMessage(failure.Message), p.hint(module.PlainMessage(failure.Next))
	if p.json {
		_ = json.NewEncoder(p.Stderr).Encode(map[string]any{"error": failure}) // no other place to say it
		return
	}
	fmt.Fprintf(p.Stderr, "stoa: %s\n", plain.Lines(failure.Message))
	if failure.Next != "" {
		fmt.Fprintf(p.Stderr, "      %s\n", plain.Lines(failure.Next))
	}
}

// hint is a hint about the server that the flags of this command mean.
func (p *Program) hint(text string) string {
	return plain.Given{Data: p.data, Config: p.configFile, Database: p.database}.Hint(text)
}
