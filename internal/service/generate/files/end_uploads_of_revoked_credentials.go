package files

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
)

// checkCredential refuses a session whose user is disabled, and ends one whose credential was revoked: its address is
// all that is shown, so who made it has to be asked.
func (s *Service) checkCredential(ctx context.Context, u Upload) error {
	err := grants.Initiator{UserID: u.UserID, KeyID: u.KeyID}.MayGoOn(ctx, s.world.DB, s.now())
	switch {
	case errors.Is(err, identity.ErrDisabled):
		return ErrNoSession("the user of this upload session is disabled")
	case !errors.Is(err, identity.ErrRevoked):
		return err
	}
	const message = "the key that began this upload was revoked or replaced"
	if u.State == UploadFinal {
		return &SessionError{StatusGone, UploadFinal, message + "; its user finds the file among the others"}
	}
	return errors.Join(s.cancelActive(ctx, u),
		&SessionError{StatusGone, UploadCancelled, message + "; start a new one"})
}

// cancelActive is Cancel that does not mind a session which is over.
func (s *Service) cancelActive(ctx context.Context, u Upload) error {
	err := s.Cancel(ctx, u)
	if errors.As(err, new(*SessionError)) {
		return nil
	}
	return err
}

// CancelRevoked ends the sessions of credentials that were revoked: what they reserve is their user's again, also where
// no request comes any more.
func (s *Service) CancelRevoked(ctx context.Context) error {
	keys, err := keysOfUploads(ctx, s.world.DB, s.now())
	if err != nil {
		return err
	}
	for _, id := range keys {
		revoked, err := grants.CredentialRevoked(ctx, s.world.DB, id)
		if err != nil {
			return err
		}
		if !revoked {
			continue
		}
		uploads, err := uploadsOfKey(ctx, s.world.DB, id, s.now())
		for _, u := range uploads {
			err = errors.Join(err, s.cancelActive(ctx, u))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
