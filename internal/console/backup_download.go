package console

import (
	"errors"
	"io"
	"net/http"
	"strconv"

	"stoa.dev/stoa/internal/console/administration"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
)

// handleBackup makes a backup and sends it. What goes wrong before the first byte is a
// page; after it the connection is cut, so that half of a backup looks like none. One is
// made at a time: each takes the space of a copy of the data folder.
//
// It holds the root key, so a session that was left open is not enough: the password is
// asked for again.
func (c *Console) handleBackup(w http.ResponseWriter, r *route.Request, v viewer) (err error) {
	around := c.around.Load()
	if around.Backup == nil {
		return route.ErrNoRoute
	}
	refuse := func(text string) error {
		return c.showErrorPage(w, r, errorPage{
			Message: identity.Message{Status: http.StatusConflict, Title: "No backup was made", Text: text},
			Link:    administration.Base + "/backup", LinkText: "Back to backups",
		})
	}
	switch err := c.confirmPassword(r, v); {
	case errors.Is(err, identity.ErrWrongPassword):
		return refuse("The password is wrong; a user without one makes backups with stoa backup.")
	case err != nil:
		return err
	}
	if !c.backingUp.CompareAndSwap(false, true) {
		return refuse("Another backup is being downloaded; wait until it has ended.")
	}
	defer c.backingUp.Store(false)
	file, err := around.Backup(r.Context())
	if failure, ok := errors.AsType[*module.CommandError](err); ok {
		return refuse(failure.Sentences())
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	name := "stoa-backup-" + c.world.Clock.Now().UTC().Format("2006-01-02T150405Z") + ".tar"
	header := w.Header()
	header.Set("Content-Type", "application/x-tar")
	header.Set("Content-Length", strconv.FormatInt(file.Size, 10))
	header.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	_, err = io.Copy(w, file)
	return err
}
