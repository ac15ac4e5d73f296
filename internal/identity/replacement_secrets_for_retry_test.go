package identity_test

import (
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
)

func TestAReplacedKeyIsToldItsReplacement(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		ada := h.user("ada")
		old, oldSecret := h.key(identity.KeyOptions{UserID: ada.ID})
		renewal := identity.KeyRenewal{Days: 60, Old: oldSecret, Grace: time.Minute, Request: "60"}
		_, err := h.ReplacedKey(ctx, "apikeys", oldSecret)
		wantErr(t, err, identity.ErrRevoked) // it is alive, and nothing replaced it
		first, secret, err := h.ReplaceKey(ctx, old.ID, renewal)
		must(t, err)
		again, same, err := h.ReplaceKey(ctx, old.ID, renewal)
		must(t, err)
		if same != secret || again.ID != first.ID {
			t.Errorf("the second answer is another key")
		}
		caller, err := h.ReplacedKey(ctx, "apikeys", oldSecret)
		must(t, err)
		if caller.UserID != ada.ID || caller.TokenID != old.ID {
			t.Errorf("caller = %+v", caller)
		}
		_, err = h.ReplacedKey(ctx, "labels", oldSecret)
		wantErr(t, err, identity.ErrUnknown)
		_, err = h.ReplacedKey(ctx, "apikeys", "nothing")
		wantErr(t, err, identity.ErrUnknown)

		other := renewal
		other.Request = "30"
		_, _, err = h.ReplaceKey(ctx, old.ID, other)
		wantErr(t, err, identity.ErrKeyGone)

		h.clock.Advance(time.Minute)
		_, _, err = h.ReplaceKey(ctx, old.ID, renewal)
		wantErr(t, err, identity.ErrKeyGone)
		_, err = h.ReplacedKey(ctx, "apikeys", oldSecret)
		wantErr(t, err, identity.ErrRevoked)
		n, err := h.SweepReplacements(ctx, h.clock.Now().Add(time.Second))
		must(t, err)
		if n != 1 {
			t.Errorf("%d replacements were swept, want 1", n)
		}
	})
}

// Who revokes a key by its id ends the keys that replaced it too: a holder of a copy may have replaced it.
func TestReplacementsEndWithTheirKey(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx, ada := t.Context(), h.user("ada")
		first, secret := h.key(identity.KeyOptions{UserID: ada.ID})
		other, kept := h.key(identity.KeyOptions{UserID: ada.ID})
		last := first
		for range 2 {
			var err error
			last, secret, err = h.ReplaceKey(ctx, last.ID, identity.KeyRenewal{Old: secret})
			must(t, err)
		}
		h.resolves("apikeys", secret, nil)
		must(t, h.RevokeToken(ctx, first.ID))
		h.resolves("apikeys", secret, identity.ErrRevoked)
		h.resolves("apikeys", kept, nil)
		if got, err := h.Key(ctx, other.ID); err != nil || !got.RevokedAt.IsZero() {
			t.Errorf("another key = %+v, %v; want it alive", got, err)
		}
	})
}

// A replacement that was itself revoked is not given again.
func TestARevokedReplacementStaysRevoked(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		old, oldSecret := h.key(identity.KeyOptions{UserID: h.user("ada").ID})
		renewal := identity.KeyRenewal{Old: oldSecret, Grace: time.Minute}
		fresh, _, err := h.ReplaceKey(ctx, old.ID, renewal)
		must(t, err)
		must(t, h.RevokeToken(ctx, fresh.ID))
		_, _, err = h.ReplaceKey(ctx, old.ID, renewal)
		wantErr(t, err, identity.ErrKeyGone)
	})
}
