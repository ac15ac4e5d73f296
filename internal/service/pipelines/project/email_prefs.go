package project

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
)

// EmailPrefs says which mails a user wants.
type EmailPrefs string

// The contract's values.
const (
	EmailSmart EmailPrefs = "smart"
	EmailNone  EmailPrefs = "none"
	EmailAll   EmailPrefs = "all"
)

// EmailPrefs are a user's; smart unless the user has chosen.
func (p *Projects) EmailPrefs(ctx context.Context, userID int64) (EmailPrefs, error) {
	prefs, err := emailPrefs(ctx, p.world.DB, userID)
	if errors.Is(err, database.ErrNotFound) {
		return EmailSmart, nil
	}
	return prefs, err
}

// SetEmailPrefs keeps a user's choice.
func (p *Projects) SetEmailPrefs(ctx context.Context, userID int64, prefs EmailPrefs) error {
	return p.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return setEmailPrefs(ctx, tx, userID, prefs)
	})
}
