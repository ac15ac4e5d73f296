package grants_test

import (
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
)

// TestInitiators: what was begun goes on while its user is enabled and its client or key was not revoked.
func TestInitiators(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ada, web := h.User("ada"), h.client(identity.ClientWeb)
		tokens := h.redeemed(web, ada.ID)
		key, _, err := h.Identity.IssueKey(h.ctx, identity.KeyOptions{Service: "labels", UserID: ada.ID})
		must(t, err)
		check := func(user, client, byKey error) {
			t.Helper()
			for by, want := range map[grants.Initiator]error{
				{UserID: ada.ID}: user, {UserID: ada.ID, ClientID: web.ID}: client, {UserID: ada.ID, KeyID: key.ID}: byKey,
				{UserID: 999}: identity.ErrDisabled, {}: nil,
			} {
				err := by.MayGoOn(h.ctx, h.World.DB, h.Clock.Now())
				if want == nil {
					must(t, err)
				} else {
					wantErr(t, err, want)
				}
			}
		}
		check(nil, nil, nil)
		must(t, h.Identity.DisableUser(h.ctx, ada.ID, true))
		check(identity.ErrDisabled, identity.ErrDisabled, identity.ErrDisabled)
		must(t, h.Identity.DisableUser(h.ctx, ada.ID, false))
		must(t, h.Grants.Revoke(h.ctx, tokens.Access))
		must(t, h.Identity.RevokeToken(h.ctx, key.ID))
		check(nil, identity.ErrRevoked, identity.ErrRevoked)
	})
}
