package identity_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"stoa.dev/stoa/internal/identity"
)

func TestUsers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		made, err := h.AddUser(ctx, identity.NewUser{Name: "Ada", DisplayName: "Ada L.", Email: "ada@host.test", Admin: true})
		must(t, err)
		for _, spelling := range []string{"Ada", "ada", "ADA"} {
			got, err := h.UserByName(ctx, spelling)
			must(t, err)
			if diff := cmp.Diff(made, got, cmpopts.IgnoreUnexported(identity.User{})); diff != "" {
				t.Errorf("UserByName(%q) (-made +got):\n%s", spelling, diff)
			}
		}
		_, err = h.AddUser(ctx, identity.NewUser{Name: "aDA"})
		wantErr(t, err, identity.ErrTaken)
		_, err = h.AddOrg(ctx, "ada", false)
		wantErr(t, err, identity.ErrTaken)
		_, err = h.UserByName(ctx, "missing")
		wantErr(t, err, identity.ErrNotFound)

		name := "Countess"
		changed, err := h.UpdateUser(ctx, made.ID, identity.UserChange{DisplayName: &name})
		must(t, err)
		if changed.DisplayName != name || changed.Email != made.Email || !changed.Admin {
			t.Errorf("UpdateUser = %+v, want only the display name changed", changed)
		}
		_, err = h.UpdateUser(ctx, 999, identity.UserChange{DisplayName: &name})
		wantErr(t, err, identity.ErrNotFound)

		bob := h.user("bob")
		list, err := h.Users(ctx, made.ID, 10)
		must(t, err)
		if len(list) != 1 || list[0].ID != bob.ID {
			t.Errorf("Users after %d = %+v, want bob alone", made.ID, list)
		}
		if n, err := h.CountUsers(ctx); err != nil || n != 2 {
			t.Errorf("CountUsers = %d, %v, want 2", n, err)
		}
	})
}

func TestSeveralUsersAtOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		ada, eve := h.user("ada"), h.user("eve")
		list, err := h.UsersByID(ctx, []int64{eve.ID, ada.ID, 999})
		must(t, err)
		if len(list) != 2 || list[0].ID+list[1].ID != ada.ID+eve.ID {
			t.Errorf("UsersByID = %+v, want ada and eve", list)
		}
		list, err = h.UsersByID(ctx, nil)
		if must(t, err); len(list) != 0 {
			t.Errorf("UsersByID of no ids = %+v", list)
		}
		var heard []int64
		h.OnUserChange(func(id int64) { heard = append(heard, id) })
		name := "Ada L."
		_, err = h.UpdateUser(ctx, ada.ID, identity.UserChange{DisplayName: &name})
		must(t, err)
		_, err = h.UpdateUser(ctx, 999, identity.UserChange{DisplayName: &name})
		wantErr(t, err, identity.ErrNotFound)
		if len(heard) != 1 || heard[0] != ada.ID {
			t.Errorf("heard of %v, want %d alone", heard, ada.ID)
		}
	})
}

func TestOneOfManyTakesAName(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		var wg sync.WaitGroup
		errs := make([]error, 16)
		for j := range errs {
			wg.Go(func() {
				_, errs[j] = h.AddUser(t.Context(), identity.NewUser{Name: "ada"})
			})
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
				continue
			}
			wantErr(t, err, identity.ErrTaken)
		}
		if won != 1 {
			t.Errorf("%d of 16 took the name, want 1", won)
		}
	})
}

func TestNamesThatAreRefused(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	for label, n := range map[string]identity.NewUser{
		"empty":          {},
		"slash":          {Name: "a/b"},
		"space":          {Name: "a b"},
		"leading dash":   {Name: "-a"},
		"trailing dash":  {Name: "a-"},
		"dot":            {Name: "a.b"},
		"not ASCII":      {Name: "ädä"},
		"line break":     {Name: "ada\n"},
		"too long":       {Name: strings.Repeat("a", 40)},
		"bad mail":       {Name: "ada", Email: "nowhere"},
		"control":        {Name: "ada", DisplayName: "a\x00b"},
		"not UTF-8":      {Name: "ada", DisplayName: "\xff"},
		"long display":   {Name: "ada", DisplayName: strings.Repeat("a", 256)},
		"long password":  {Name: "ada", Password: strings.Repeat("a", 1025)},
		"mail with host": {Name: "ada", Email: "ada@"},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			_, err := h.AddUser(t.Context(), n)
			wantErr(t, err, identity.ErrInvalid)
		})
	}
}

func TestDisabledUsers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		u := h.user("ada")
		_, secret := h.token(identity.IssueOptions{UserID: u.ID})
		_, key := h.key(identity.KeyOptions{UserID: u.ID})
		h.resolves("labels", secret, nil)
		h.resolves("apikeys", key, nil)
		must(t, h.DisableUser(t.Context(), u.ID, true))
		h.resolves("labels", secret, identity.ErrDisabled)
		h.resolves("apikeys", key, identity.ErrDisabled)
		must(t, h.DisableUser(t.Context(), u.ID, false))
		h.resolves("labels", secret, nil)
	})
}

// TestTheLastAdministratorStays refuses to demote and to disable the only one who could
// undo it, also for two at once.
func TestTheLastAdministratorStays(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		ada, bob := h.user("ada"), h.user("bob")
		for _, id := range []int64{ada.ID, bob.ID} {
			_, err := h.UpdateUser(ctx, id, identity.UserChange{Admin: &yes})
			must(t, err)
		}
		var failed [2]error
		var done sync.WaitGroup
		done.Go(func() { _, failed[0] = h.UpdateUser(ctx, ada.ID, identity.UserChange{Admin: &no}) })
		done.Go(func() { failed[1] = h.DisableUser(ctx, bob.ID, true) })
		done.Wait()
		if (failed[0] == nil) == (failed[1] == nil) || !errors.Is(errors.Join(failed[:]...), identity.ErrLastAdmin) {
			t.Errorf("both at once: %v, want one refused", failed)
		}
		// Who is none may be disabled, and the last one may change the rest.
		carol := h.user("carol")
		must(t, h.DisableUser(ctx, carol.ID, true))
	})
}
