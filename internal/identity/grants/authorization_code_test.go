package grants_test

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
)

func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
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
