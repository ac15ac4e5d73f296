package identity_test

import (
	"context"
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// exec changes a row as an older release might have left it.
func (h *fixture) exec(query string, args ...any) {
	h.t.Helper()
	must(h.t, h.db.Write(h.t.Context(), func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(h.t.Context(), query, args...)
		return err
	}))
}

// TestOperatorScopesAreTheCommandLines tries every scope that only the operator
// gives at every other way to a credential.
func TestOperatorScopesAreTheCommandLines(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		ada := h.user("ada")
		device := h.client(identity.ClientDevice)
		for _, s := range h.AllScopes(identity.AllServices) {
			if !s.Operator {
				continue
			}
			ways := map[string]func(scopes, services []string) error{}
			for _, kind := range append(identity.TokenKinds(), identity.KindRefresh) {
				ways["token of kind "+string(kind)] = func(scopes, services []string) error {
					_, _, err := h.IssueToken(ctx, identity.IssueOptions{
						Kind: kind, Services: services, Scopes: scopes, UserID: ada.ID, ClientID: device.ID, Repo: "ada/x",
					})
					return err
				}
			}
			for _, kind := range []identity.Kind{identity.KindAPI, identity.KindApplication} {
				ways["key of kind "+string(kind)] = func(scopes, _ []string) error {
					_, _, err := h.IssueKey(ctx, identity.KeyOptions{
						Kind: kind, Service: "kms", Scopes: scopes, UserID: ada.ID,
					})
					return err
				}
			}
			ways["registration"] = func(scopes, _ []string) error {
				_, _, err := h.AddClient(ctx, identity.NewClient{Name: "x", Type: identity.ClientDevice, Scopes: scopes})
				return err
			}
			for name, way := range ways {
				for _, services := range [][]string{{"kms"}, {identity.AllServices}, {"kms", "labels"}} {
					for _, scopes := range [][]string{{s.Name}, {"storage.labels", s.Name}} {
						if err := way(scopes, services); err == nil {
							t.Errorf("%s for %v with %v: given, want it refused", name, services, scopes)
						}
					}
				}
			}
		}
	})
}

// TestOperatorScopesOfOldRows checks that what an older release may have written
// opens nothing and becomes nothing.
func TestOperatorScopesOfOldRows(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		ada := h.user("ada")
		kms := identity.Requirement{Service: "kms", Kinds: identity.TokenKinds(), Scopes: []string{"vault"}}

		// Issued by the operator it counts; the same row without the mark does not.
		token, secret := h.token(identity.IssueOptions{
			UserID: ada.ID, Services: []string{"kms"}, Scopes: []string{"vault"}, Operator: true,
		})
		_, err := h.Verify(ctx, secret, kms)
		must(t, err)
		h.exec(`UPDATE identity_credentials SET operator = FALSE WHERE id = $1`, token.ID)
		must(t, h.DisableUser(ctx, ada.ID, false)) // makes the cache forget
		if _, err := h.Verify(ctx, secret, kms); err == nil {
			t.Error("a token that the operator did not issue holds the operator's scope")
		}

		// A key without a list holds every scope but the operator's.
		_, key := h.key(identity.KeyOptions{Service: "labels", UserID: ada.ID})
		if caller := h.resolves("labels", key, nil); caller.HasScope("vault") || !caller.HasScope("storage.labels") {
			t.Errorf("a key without a list: vault %v, labels %v; want false, true",
				caller.HasScope("vault"), caller.HasScope("storage.labels"))
		}
	})
}
