package device

import (
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/oauth"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

func (s *Service) handleToken(w http.ResponseWriter, r *route.Request) error {
	form, err := oauth.ReadForm(r)
	if err != nil {
		return err
	}
	client := oauth.ReadClient(r, form)

	var tokens grants.Tokens
	switch grantType := GrantType(form.Get("grant_type")); grantType {
	case GrantDevice:
		tokens, err = s.Token(r.Context(), client, form.Get("device_code"))
	case GrantCode:
		redirectURI, verifier := form.Get("redirect_uri"), form.Get("code_verifier")
		tokens, err = s.RedeemCode(r.Context(), client, form.Get("code"), redirectURI, verifier)
	case GrantRefresh:
		tokens, err = s.Refresh(r.Context(), client, form.Get("refresh_token"), strings.Fields(form.Get("scope")))
	case "":
		err = oauth.BadRequest("grant_type is missing")
	default:
		err = &oauth.Error{Code: oauth.UnsupportedGrantType, Description: "Invalid grant_type"}
	}
	if err != nil {
		return err
	}
	idToken, err := s.IDToken(r.Context(), s.issuer(r), tokens)
	if err != nil {
		return err
	}

	oauth.NoStore(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, s.tokensToWire(r.Context(), tokens, idToken))
}

// handleRevoke also takes the token from the query, where clients of the
// public service send it.
func (s *Service) handleRevoke(w http.ResponseWriter, r *route.Request) error {
	token := r.URL.Query().Get("token")
	if token == "" {
		form, err := oauth.ReadForm(r)
		if err != nil {
			return err
		}
		token = form.Get("token")
	}

	if err := s.Revoke(r.Context(), token); err != nil {
		return err
	}

	oauth.NoStore(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, struct{}{})
}
