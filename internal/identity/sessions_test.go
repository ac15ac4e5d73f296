package identity_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/page"
)

func (h *fixture) session(user int64, replaces string) (identity.Session, string) {
	h.t.Helper()
	s, secret, err := h.StartSession(h.t.Context(), identity.SessionRequest{
		UserID: user, Address: "192.0.2.7", Agent: "Browser\x00/1\n" + strings.Repeat("x", 300),
		TTL: time.Hour, Replaces: replaces,
	})
	must(h.t, err)
	return s, secret
}

func TestSessions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ada, grace := h.user("ada"), h.user("grace")
		first, secret := h.session(ada.ID, "")
		got, user, err := h.SessionBySecret(t.Context(), secret)
		must(t, err)
		if got != first || user.ID != ada.ID {
			t.Errorf("session = %+v of %d, want %+v of %d", got, user.ID, first, ada.ID)
		}
		if strings.ContainsAny(got.Agent, "\x00\n") || len(got.Agent) > 200 {
			t.Errorf("agent = %q, want plain and bounded", got.Agent)
		}

		// Signing in again in the same browser ends what it held before.
		second, renewed := h.session(ada.ID, secret)
		_, _, err = h.SessionBySecret(t.Context(), secret)
		wantErr(t, err, identity.ErrUnknown)

		third, other := h.session(ada.ID, "")
		wantErr(t, h.EndSession(t.Context(), grace.ID, third.ID), identity.ErrNotFound)
		must(t, h.EndSessions(t.Context(), ada.ID, second.ID))
		_, _, err = h.SessionBySecret(t.Context(), other)
		wantErr(t, err, identity.ErrUnknown)
		list, err := h.Sessions(t.Context(), ada.ID)
		must(t, err)
		if len(list) != 1 || list[0].ID != second.ID {
			t.Errorf("sessions = %+v, want the second alone", list)
		}

		must(t, h.DisableUser(t.Context(), ada.ID, true))
		_, _, err = h.SessionBySecret(t.Context(), renewed)
		wantErr(t, err, identity.ErrDisabled)
		must(t, h.DisableUser(t.Context(), ada.ID, false))
		h.clock.Advance(time.Hour)
		_, _, err = h.SessionBySecret(t.Context(), renewed)
		wantErr(t, err, identity.ErrExpired)
		h.clock.Advance(time.Second)
		n, err := h.SweepSessions(t.Context(), h.clock.Now())
		must(t, err)
		if n != 1 {
			t.Errorf("swept %d, want 1", n)
		}
	})
}

// TestSessionClock: a world whose clock is moved by a year leaves browsers signed in, as
// their cookies stay.
func TestSessionClock(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	u, err := h.AddUser(t.Context(), identity.NewUser{Name: "ada", Password: "correct horse"})
	must(t, err)
	machine := clock.NewVirtual(h.clock.Now())
	i := identity.New(identity.Options{
		DB: h.db, Clock: h.clock, SessionClock: machine, IDs: ids.Random(), Passwords: cheapPasswords(),
	})
	t.Cleanup(func() { must(t, i.Close()) })
	_, secret, err := i.StartSession(t.Context(), identity.SessionRequest{UserID: u.ID, TTL: time.Hour})
	must(t, err)
	h.clock.Advance(365 * 24 * time.Hour)
	_, _, err = i.SessionBySecret(t.Context(), secret)
	must(t, err)
	machine.Advance(time.Hour)
	_, _, err = i.SessionBySecret(t.Context(), secret)
	wantErr(t, err, identity.ErrExpired)
}

func TestNewPasswordEndsSessions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		u, err := h.AddUser(t.Context(), identity.NewUser{Name: "ada", Password: "correct horse"})
		must(t, err)
		_, secret := h.session(u.ID, "")
		must(t, h.ChangePassword(t.Context(), "ada", "correct horse", "battery staple"))
		_, _, err = h.SessionBySecret(t.Context(), secret)
		wantErr(t, err, identity.ErrUnknown)
	})
}

func TestFormTokens(t *testing.T) {
	t.Parallel()
	must(t, identity.CheckFormToken("secret", identity.FormToken("secret")))
	for _, row := range [][2]string{
		{"secret", ""}, {"secret", identity.FormToken("other")}, {"", identity.FormToken("")},
	} {
		wantErr(t, identity.CheckFormToken(row[0], row[1]), identity.ErrForm)
	}
}

func TestSealedAuthorizations(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	a := identity.Authorization{
		Service: "labels", ClientID: "c", RedirectURI: "https://app.test/back", Scopes: []string{"storage.labels"},
		State: "s", HasState: true, CodeTTL: time.Minute, CodeFormat: identity.Hex40(),
	}
	sealed := h.SealAuthorization(a, time.Minute)
	got, err := h.OpenAuthorization(sealed)
	must(t, err)
	if got.State != "s" || got.CodeFormat != identity.Hex40() || got.Scopes[0] != "storage.labels" {
		t.Errorf("opened = %+v", got)
	}
	if _, err := h.OpenAuthorization(sealed[:len(sealed)-2] + "AA"); !errors.Is(err, page.ErrToken) {
		t.Errorf("changed: %v, want %v", err, page.ErrToken)
	}
	h.clock.Advance(time.Minute)
	if _, err := h.OpenAuthorization(sealed); !errors.Is(err, page.ErrTokenExpired) {
		t.Errorf("late: %v, want %v", err, page.ErrTokenExpired)
	}
}
