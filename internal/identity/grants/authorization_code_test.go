package grants_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/database"
)

func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// TestRevocationsEndWhatIsAllowed: a code that the user allowed and the client has not redeemed yet is worth nothing
// once the user has ended the client's access, or has left the team that it is for.
func TestRevocationsEndWhatIsAllowed(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ctx, ada, web := t.Context(), h.User("ada"), h.client(identity.ClientWeb)
		team, err := h.Identity.AddTeam(ctx, identity.NewTeam{
			Name: "core", OwnerID: h.User("grace").ID, MemberIDs: []int64{ada.ID},
		})
		must(t, err)
		allow := func(team int64) grants.Redemption {
			t.Helper()
			code, err := h.Grants.IssueCode(ctx, grants.CodeRequest{
				Service: "labels", ClientID: web.ID, RedirectURI: "https://app.test/back", Scopes: []string{"storage.labels"},
				UserID: ada.ID, TeamID: team, TTL: 10 * time.Minute,
			})
			must(t, err)
			return grants.Redemption{Service: "labels", ClientID: web.ID, Code: code, TeamID: team}
		}
		redeem := func(r grants.Redemption) error {
			_, err := h.Grants.RedeemCode(ctx, r, pair())
			return err
		}
		must(t, redeem(allow(team.ID)))
		ofTeam, own := allow(team.ID), allow(0)
		must(t, h.Identity.RemoveTeamMember(ctx, team.ID, ada.ID))
		wantErr(t, redeem(ofTeam), grants.ErrDenied)
		must(t, redeem(own))
		tokens, late := h.redeemed(web, ada.ID), allow(0)
		must(t, h.World.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			return h.Grants.RevokeClientIn(ctx, tx, tokens.Token)
		}))
		wantErr(t, redeem(late), grants.ErrDenied)
		must(t, redeem(allow(0)))
	})
}

func TestCodeFlow(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ada, c := h.User("ada"), h.client(identity.ClientWeb)
		back, wrong := "https://app.test/back", "https://app.test/back/"
		proof := challenge("verifier")
		for name, row := range map[string]struct {
			proof string
			with  grants.Redemption
			want  error
		}{
			"plain":             {"", grants.Redemption{ClientID: c.ID, RedirectURI: &back}, nil},
			"without a URI":     {"", grants.Redemption{ClientID: c.ID}, nil},
			"with proof":        {proof, grants.Redemption{ClientID: c.ID, Verifier: "verifier"}, nil},
			"another client":    {"", grants.Redemption{ClientID: "x", RedirectURI: &back}, grants.ErrMismatch},
			"another URI":       {"", grants.Redemption{ClientID: c.ID, RedirectURI: &wrong}, grants.ErrMismatch},
			"no proof":          {proof, grants.Redemption{ClientID: c.ID, RedirectURI: &back}, grants.ErrMismatch},
			"wrong proof":       {proof, grants.Redemption{ClientID: c.ID, Verifier: "x"}, grants.ErrMismatch},
			"unrequested proof": {"", grants.Redemption{ClientID: c.ID, Verifier: "x"}, grants.ErrMismatch},
			"another team":      {"", grants.Redemption{ClientID: c.ID, TeamID: 1}, grants.ErrMismatch},
			"another service":   {"", grants.Redemption{Service: "articles", ClientID: c.ID}, grants.ErrUnknown},
		} {
			t.Run(name, func(t *testing.T) {
				r := row.with
				r.Code = h.code(c, ada.ID, row.proof)
				if r.Service == "" {
					r.Service = "labels"
				}
				tokens, err := h.Grants.RedeemCode(t.Context(), r, pair())
				if !errors.Is(err, row.want) {
					t.Fatalf("err = %v, want %v", err, row.want)
				}
				if row.want == nil {
					h.resolves(tokens.Access, nil)
				}
			})
		}
	})
}

func TestReplayedCodeEndsTheFamily(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		c := h.client(identity.ClientWeb)
		r := grants.Redemption{Service: "labels", ClientID: c.ID, Code: h.code(c, h.User("ada").ID, "")}
		tokens, err := h.Grants.RedeemCode(t.Context(), r, pair())
		must(t, err)
		_, err = h.Grants.RedeemCode(t.Context(), r, pair())
		wantErr(t, err, grants.ErrClaimed)
		h.resolves(tokens.Access, identity.ErrRevoked)
	})
}
