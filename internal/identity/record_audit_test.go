package identity_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/database"
)

// trail are the entries, oldest first, each as "actor action object".
func (h *fixture) trail() []string {
	h.t.Helper()
	entries, err := audit.List(h.t.Context(), h.db, audit.Filter{Limit: 1000})
	must(h.t, err)
	var lines []string
	for n := len(entries) - 1; n >= 0; n-- {
		e := entries[n]
		line := e.Actor + " " + e.Action + " " + e.Object
		if e.Outcome != audit.Done {
			line += " " + string(e.Outcome)
		}
		lines = append(lines, line)
	}
	return lines
}

// TestAuditTrail: every act leaves its entry, an act that fails leaves none, and no
// entry holds a secret.
func TestAuditTrail(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := audit.With(t.Context(), audit.Actor{Name: "root", Credential: "session 1", Network: "192.0.2.1"})
		var secrets []string
		no := false
		steps := []func() error{
			func() error {
				_, err := h.AddUser(ctx, identity.NewUser{Name: "ada", Password: "correct horse"})
				secrets = append(secrets, "correct horse")
				return err
			},
			func() error { _, err := h.AddOrg(ctx, "lyceum", false); return err },
			func() error { return h.SetOrgMember(ctx, 1, 1, identity.OrgOwner) },
			func() error { _, err := h.AddTeam(ctx, identity.NewTeam{Name: "stoics", OwnerID: 1}); return err },
			func() error {
				_, secret, err := h.AddClient(ctx, identity.NewClient{
					Name: "site", Type: identity.ClientWeb, OwnerID: 1, RedirectURIs: []string{"https://a.test/"},
				})
				secrets = append(secrets, secret)
				return err
			},
			func() error {
				_, secret, err := h.IssueToken(ctx, identity.IssueOptions{
					Kind: identity.KindPersonal, Services: []string{"labels"}, UserID: 1,
				})
				secrets = append(secrets, secret)
				return err
			},
			func() error { return h.RevokeToken(ctx, 1) },
			func() error { return h.RevokeToken(ctx, 1) }, // ended already: nothing is done
			func() error {
				_, secret, err := h.IssueKey(ctx, identity.KeyOptions{Service: "apikeys", UserID: 1})
				secrets = append(secrets, secret)
				return err
			},
			func() error {
				_, secret, err := h.StartSession(ctx, identity.SessionRequest{UserID: 1, TTL: time.Hour})
				secrets = append(secrets, secret)
				return err
			},
			func() error { return h.EndSession(ctx, 1, 1) },
			func() error { secrets = append(secrets, "new password"); return h.SetPassword(ctx, 1, "new password") },
			func() error { return h.RecordRefusedSignIn(ctx, "ADA", "wrong name or password") },
			func() error { return h.RecordRefusedSignIn(ctx, "new password", "wrong name or password") },
			func() error { return h.DisableUser(ctx, 1, true) },
			func() error { _, err := h.UpdateUser(ctx, 1, identity.UserChange{Admin: &no}); return err },
		}
		for n, step := range steps {
			if err := step(); err != nil {
				t.Fatalf("step %d: %v", n, err)
			}
		}
		if _, err := h.AddUser(ctx, identity.NewUser{Name: "ADA"}); !errors.Is(err, identity.ErrTaken) {
			t.Fatalf("err = %v, want a taken name", err)
		}
		want := strings.Split(`root user.add ada
root org.add lyceum
root org.member.add lyceum
root team.add stoics
root client.add site
root token.issue token 1
root token.revoke token 1
root key.issue key 2
ada session.start session 1
root session.end session 1
root user.password ada
root session.start ada refused
root session.start a name that no user has refused
root user.disable ada
root user.set ada`, "\n")
		if got := h.trail(); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		entries, err := audit.List(t.Context(), h.db, audit.Filter{})
		must(t, err)
		for _, e := range entries {
			for _, secret := range secrets {
				if strings.Contains(e.Object+e.Detail+e.Credential+e.Actor, secret) {
					t.Errorf("%s holds a secret: %+v", e.Action, e)
				}
			}
			if e.Network != "192.0.2.1" || !e.At.Equal(epoch) {
				t.Errorf("%s is from %s at %s", e.Action, e.Network, e.At)
			}
		}
	})
}

// TestAuditOfTheSameTransaction: an act that is rolled back is not on record.
func TestAuditOfTheSameTransaction(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		h.user("ada")
		stop := errors.New("stop")
		err := h.db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			_, _, err := h.IssueTokenIn(ctx, tx, identity.IssueOptions{
				Kind: identity.KindPersonal, Services: []string{"labels"}, UserID: 1,
			})
			return errors.Join(err, stop)
		})
		if !errors.Is(err, stop) {
			t.Fatalf("err = %v", err)
		}
		if got := strings.Join(h.trail(), ", "); got != "server user.add ada" {
			t.Errorf("the trail is %s", got)
		}
	})
}
