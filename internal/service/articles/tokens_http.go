package articles

import (
	"errors"
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// tokenTeam is the team of the host, where team access tokens are asked for; nil
// for operations on ordinary ones.
func (s *Service) tokenTeam(r *route.Request, forTeam bool) (*identity.Team, error) {
	if !forTeam {
		return nil, nil
	}
	edition, err := s.edition(r)
	if err == nil && edition.Team == nil {
		err = errNotFound("Not found")
	}
	return edition.Team, err
}

// handleAuthorize shows the consent page, or what is wrong with the request.
func (s *Service) handleAuthorize(forTeam bool) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		team, err := s.tokenTeam(r, forTeam)
		if err != nil {
			return err
		}
		q := r.Query()
		a, err := s.Authorize(r.Context(), AuthorizeRequest{
			ClientID: q.Get("client_id"), Scopes: strings.Fields(q.Get("scope")),
			State: q.Get("state"), HasState: q.Has("state"), RedirectURI: q.Get("redirect_uri"),
			Challenge: q.Get("code_challenge"), ChallengeMethod: q.Get("code_challenge_method"), Team: team,
		})
		if err != nil {
			return s.respondRefused(w, r, err)
		}
		page, err := s.identity.Consent(a)
		if err != nil {
			return err
		}
		return page(w, r)
	}
}

// respondRefused shows a page to browsers, and returns the error for all others.
func (s *Service) respondRefused(w http.ResponseWriter, r *route.Request, err error) error {
	var refused *Error
	if !errors.As(err, &refused) || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		return err
	}
	page, errPage := s.identity.ShowMessage(identity.Message{
		Status: statusOf(refused.Type), Title: "This application cannot be let in",
		Text: "Its request is wrong: " + refused.Message + ". Tell those who made it; nothing was given to it.",
	})
	if errPage != nil {
		return err
	}
	return page(w, r)
}

func (s *Service) handleCreateToken(forTeam bool) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		team, err := s.tokenTeam(r, forTeam)
		if err != nil {
			return err
		}
		var in createTokenRequest
		if err := readBody(r, &in); err != nil {
			return err
		}
		tokens, err := s.CreateToken(r.Context(), TokenRequest{
			ClientID: in.ClientID, ClientSecret: in.ClientSecret, Code: in.Code, Verifier: in.CodeVerifier, Team: team,
		})
		if err != nil {
			return err
		}
		w.Header().Set("Cache-Control", "no-store")
		return wire.WriteJSON(w, r.Request, http.StatusCreated, s.tokenToWire(tokens))
	}
}

func (s *Service) handleDeleteToken(forTeam bool) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		team, err := s.tokenTeam(r, forTeam)
		if err != nil {
			return err
		}
		if err := s.DeleteToken(r.Context(), r.PathValue("access_token"), team); err != nil {
			return err
		}
		wire.NoContent(w, http.StatusNoContent)
		return nil
	}
}
