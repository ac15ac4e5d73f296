package tokens

import (
	"errors"
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/articles/refusal"
)

// Routes are the token flow below a prefix. Clients that exchange a code prove
// themselves in the request; who deactivates a token shows one of the same user.
func (t *Tokens) Routes(prefix string) []route.Route {
	row := func(method, pattern, name string, handle route.Handler) route.Route {
		return route.Route{Method: method, Pattern: prefix + pattern, Name: name, Handle: handle}
	}
	routes := []route.Route{
		row("GET", "oauth/authorize", "oauth.authorize", t.handleAuthorize(false)),
		row("GET", "oauth/team_authorize", "oauth.teamAuthorize", t.handleAuthorize(true)),
		row("POST", "access_tokens", "accessTokens.create", t.handleCreateToken(false)),
		row("DELETE", "access_tokens/{access_token}", "accessTokens.delete", t.handleDeleteToken(false)),
		row("POST", "team_access_tokens", "teamAccessTokens.create", t.handleCreateToken(true)),
		row("DELETE", "team_access_tokens/{access_token}", "teamAccessTokens.delete", t.handleDeleteToken(true)),
	}
	for n := range routes {
		if routes[n].Method == http.MethodDelete {
			routes[n].Access = route.Optional
		}
	}
	return routes
}

// tokenTeam is the team of the host, where team access tokens are asked for; nil
// for operations on ordinary ones.
func (t *Tokens) tokenTeam(r *route.Request, forTeam bool) (*identity.Team, error) {
	if !forTeam {
		return nil, nil
	}
	at, err := t.site(r)
	if err == nil && at.Team == nil {
		err = refusal.Missing()
	}
	return at.Team, err
}

// handleAuthorize shows the consent page, or what is wrong with the request.
func (t *Tokens) handleAuthorize(forTeam bool) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		team, err := t.tokenTeam(r, forTeam)
		if err != nil {
			return err
		}
		q := r.Query()
		a, err := t.authorize(r.Context(), authorizeRequest{
			ClientID: q.Get("client_id"), Scopes: strings.Fields(q.Get("scope")),
			State: q.Get("state"), HasState: q.Has("state"), RedirectURI: q.Get("redirect_uri"),
			Challenge: q.Get("code_challenge"), ChallengeMethod: q.Get("code_challenge_method"), Team: team,
		})
		if err != nil {
			return t.respondRefused(w, r, err)
		}
		page, err := t.identity.Consent(a)
		if err != nil {
			return err
		}
		return page(w, r)
	}
}

// respondRefused shows a page to browsers, and returns the error for all others.
func (t *Tokens) respondRefused(w http.ResponseWriter, r *route.Request, err error) error {
	var refused *refusal.Error
	if !errors.As(err, &refused) || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		return err
	}
	page, errPage := t.identity.ShowMessage(identity.Message{
		Status: http.StatusBadRequest, Title: "This application cannot be let in",
		Text: "Its request is wrong: " + refused.Message + ". Tell those who made it; nothing was given to it.",
	})
	if errPage != nil {
		return err
	}
	return page(w, r)
}

func (t *Tokens) handleCreateToken(forTeam bool) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		team, err := t.tokenTeam(r, forTeam)
		if err != nil {
			return err
		}
		var in createTokenRequest
		err = wire.ReadJSON(r.Request, &in, wire.RequireMediaType("application/json"))
		if err != nil {
			return err
		}
		tokens, err := t.create(r.Context(), tokenRequest{
			ClientID: in.ClientID, ClientSecret: in.ClientSecret, Code: in.Code, Verifier: in.CodeVerifier, Team: team,
		})
		if err != nil {
			return err
		}
		w.Header().Set("Cache-Control", "no-store")
		return wire.WriteJSON(w, r.Request, http.StatusCreated, t.toWire(r.Context(), tokens))
	}
}

func (t *Tokens) handleDeleteToken(forTeam bool) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		if identity.From(r) == nil {
			return route.ErrNoCredential
		}
		team, err := t.tokenTeam(r, forTeam)
		if err != nil {
			return err
		}
		if err := t.remove(r.Context(), identity.From(r), r.PathValue("access_token"), team); err != nil {
			return err
		}
		wire.NoContent(w, http.StatusNoContent)
		return nil
	}
}
