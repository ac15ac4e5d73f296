package identity_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
)

func TestPasswords(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		u, err := h.AddUser(ctx, identity.NewUser{Name: "Ada", Password: "correct horse"})
		must(t, err)
		h.user("bob")
		for label, row := range map[string]struct {
			name, password string
			want           error
		}{
			"right":         {"ada", "correct horse", nil},
			"wrong":         {"ada", "correct Horse", identity.ErrWrongPassword},
			"empty":         {"ada", "", identity.ErrWrongPassword},
			"no user":       {"eve", "correct horse", identity.ErrWrongPassword},
			"no password":   {"bob", "", identity.ErrWrongPassword},
			"decoy":         {"bob", strings.Repeat("\x00", 32), identity.ErrWrongPassword},
			"endless":       {"ada", strings.Repeat("a", 1<<20), identity.ErrWrongPassword},
			"name as typed": {"ADA", "correct horse", nil},
		} {
			if _, err := h.CheckPassword(ctx, row.name, row.password); err != row.want {
				t.Errorf("%s: CheckPassword = %v, want %v", label, err, row.want)
			}
		}
		for _, short := range []string{"short", "ΨΨΨΨΨΨΨ"} {
			wantErr(t, h.ChangePassword(ctx, "ada", "correct horse", short), identity.ErrInvalid)
		}
		wantErr(t, h.ChangePassword(ctx, "ada", "wrong", "long enough"), identity.ErrWrongPassword)
		must(t, h.ChangePassword(ctx, "ada", "correct horse", "long enough"))
		_, err = h.CheckPassword(ctx, "ada", "correct horse")
		wantErr(t, err, identity.ErrWrongPassword)
		must(t, h.DisableUser(ctx, u.ID, true))
		_, err = h.CheckPassword(ctx, "ada", "long enough")
		wantErr(t, err, identity.ErrDisabled)
		_, err = h.CheckPassword(ctx, "ada", "wrong")
		wantErr(t, err, identity.ErrWrongPassword)
	})
}

func TestPasswordsAreHashedAnewAtTodaysCost(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, cheap *fixture) {
		ctx := t.Context()
		_, err := cheap.AddUser(ctx, identity.NewUser{Name: "ada", Password: "correct horse"})
		must(t, err)
		dear := build(t, cheap.db, cheap.clock, func(o *identity.Options) { o.Passwords.Passes = 3 })
		_, err = dear.CheckPassword(ctx, "ada", "correct horse")
		must(t, err)
		var hash string
		must(t, cheap.db.QueryRow(ctx, `SELECT password_hash FROM identity_users`).Scan(&hash))
		if !strings.HasPrefix(hash, "$argon2id$v=19$m=64,t=3,p=1$") {
			t.Errorf("hash begins %.30q, want three passes", hash)
		}
		_, err = cheap.CheckPassword(ctx, "ada", "correct horse")
		must(t, err)
	})
}

func TestNewPassword(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	one, two := h.NewPassword(), h.NewPassword()
	if len(one) != 20 || one == two || strings.ContainsAny(one+two, "0O1lI") {
		t.Errorf("passwords %q and %q: want 20 distinct clear characters", one, two)
	}
}

// TestOneRuleForEveryNewPassword tries each way in which a password is set.
func TestOneRuleForEveryNewPassword(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	ctx := t.Context()
	_, err := h.AddUser(ctx, identity.NewUser{Name: "ada", Password: "correct horse"})
	must(t, err)
	tries := 0
	ways := map[string]func(password string) error{
		"AddUser": func(password string) error {
			tries++
			_, err := h.AddUser(ctx, identity.NewUser{Name: fmt.Sprintf("user%d", tries), Password: password})
			return err
		},
		"CheckNewPassword": func(password string) error { return h.CheckNewPassword(password) },
		"SetPassword":      func(password string) error { return h.SetPassword(ctx, 1, password) },
		"ChangePassword":   func(password string) error { return h.ChangePassword(ctx, "ada", "correct horse", password) },
	}
	for password, want := range map[string]bool{
		"1234567": false, "ééééééé": false, "correct horse": true, "éééééééé": true,
		"correct\nhorse": false, "correct\x00horse": false, "correct\xffhorse": false,
		strings.Repeat("x", 1024): true, strings.Repeat("x", 1025): false,
	} {
		for name, way := range ways {
			must(t, h.SetPassword(ctx, 1, "correct horse"))
			if err := way(password); (err == nil) != want || (err != nil && !errors.Is(err, identity.ErrInvalid)) {
				t.Errorf("%s with %.20q: %v, want it taken: %v", name, password, err, want)
			}
		}
	}
}

// TestPasswordChangedMeanwhile: who knew the password of a moment ago neither signs in nor
// sets another.
func TestPasswordChangedMeanwhile(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		_, err := h.AddUser(ctx, identity.NewUser{Name: "ada", Password: "correct horse"})
		must(t, err)
		before, err := h.CheckPassword(ctx, "ada", "correct horse")
		must(t, err)
		must(t, h.SetPassword(ctx, before.ID, "battery staple"))
		_, _, err = h.StartSession(ctx, identity.SessionRequest{UserID: before.ID, By: before, TTL: time.Hour})
		wantErr(t, err, identity.ErrWrongPassword)
		wantErr(t, h.ReplacePassword(ctx, before, "stolen again"), identity.ErrWrongPassword)
		if list, err := h.Sessions(ctx, before.ID); err != nil || len(list) != 0 {
			t.Errorf("sessions %v, %v; want none", list, err)
		}

		now, err := h.CheckPassword(ctx, "ada", "battery staple")
		must(t, err)
		_, _, err = h.StartSession(ctx, identity.SessionRequest{UserID: now.ID, By: now, TTL: time.Hour})
		must(t, err)
		must(t, h.ReplacePassword(ctx, now, "the third one"))
		_, err = h.CheckPassword(ctx, "ada", "the third one")
		must(t, err)
	})
}

// TestSignInsAtOnceAfterACostChange: every one of those who sign in at the moment in which the stored hash is made
// anew, at today's cost, has the right password.
func TestSignInsAtOnceAfterACostChange(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		_, err := h.AddUser(ctx, identity.NewUser{Name: "ada", Password: "correct horse"})
		must(t, err)
		today := build(t, h.db, h.clock, func(o *identity.Options) { o.Passwords.Passes, o.Passwords.Concurrent = 2, 8 })
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				u, err := today.CheckPassword(ctx, "ada", "correct horse")
				if err == nil {
					_, _, err = today.StartSession(ctx, identity.SessionRequest{UserID: u.ID, By: u, TTL: time.Hour})
				}
				if err != nil {
					t.Errorf("sign-in: %v", err)
				}
			})
		}
		wait.Wait()
	})
}
