package identity_test

import (
	"errors"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route/credential"
)

// TestSessionCredential: it speaks for one user to one service, for a minute.
func TestSessionCredential(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ada := h.user("ada")
		tasks := identity.Requirement{Service: "tasks", Kinds: identity.TokenKinds()}
		secret := h.SessionCredential(ada, "tasks")
		if _, err := h.Verify(t.Context(), secret, tasks); !errors.Is(err, identity.ErrUnknown) {
			t.Errorf("from the network: %v, want ErrUnknown", err)
		}
		inside := credential.With(t.Context(), credential.Credential{Value: secret})
		c, err := h.Verify(inside, secret, tasks)
		if err != nil || c.UserID != ada.ID || c.String() != "console user=ada" {
			t.Fatalf("caller = %v, %v", c, err)
		}
		other := identity.Requirement{Service: "calendar", Kinds: identity.TokenKinds()}
		if _, err := h.Verify(inside, secret, other); !errors.Is(err, identity.ErrService) {
			t.Errorf("at another service: %v, want ErrService", err)
		}
		if _, err := h.Verify(inside, secret+"x", tasks); !errors.Is(err, identity.ErrUnknown) {
			t.Errorf("changed: %v, want ErrUnknown", err)
		}
		if err := h.DisableUser(t.Context(), ada.ID, true); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Verify(inside, secret, tasks); !errors.Is(err, identity.ErrDisabled) {
			t.Errorf("of a disabled user: %v, want ErrDisabled", err)
		}
		h.clock.Advance(2 * time.Minute)
		if _, err := h.Verify(inside, secret, tasks); !errors.Is(err, identity.ErrExpired) {
			t.Errorf("two minutes later: %v, want ErrExpired", err)
		}
	})
}
