package articles

import (
	"errors"
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

func (s *Service) handleAuthorize(w http.ResponseWriter, r *route.Request) error {
	return s.askUser(w, r, nil)
}

// handleTeamAuthorize is served on team hosts only.
func (s *Service) handleTeamAuthorize(w http.ResponseWriter, r *route.Request) error {
	team, err := s.team(r)
	if err != nil {
		return err
	}
	return s.askUser(w, r, team)
}

// team is the team of the host; the public host has none.
func (s *Service) team(r *route.Request) (*identity.Team, error) {
	place, err := s.place(r)
	if err == nil && place.Team == nil {
		err = errNotFound()
	}
	return place.Team, err
}

// askUser shows the consent page, or what is wrong with the request.
func (s *Service) askUser(w http.ResponseWriter, r *route.Request, team *identity.Team) error {
	q := r.Query()
	a, err := s.Authorize(r.Context(), AuthorizeRequest{
		ClientID: q.Get("client_id"), Scopes: strings.Fields(q.Get("scope")), State: q.Get("state"), HasState: q.Has("state"),
		RedirectURI: q.Get("redirect_uri"), Challenge: q.Get("code_challenge"), ChallengeMethod: q.Get("code_challenge_method"), Team: team,
	})
	var refused *Error
	if errors.As(err, &refused) && strings.Contains(r.Header.Get("Accept"), "text/html") {
		page, errPage := s.identity.ShowMessage(identity.Message{
			Status: statusOf(refused.Type), Title: "This application cannot be let in",
			Text: "Its request is wrong: " + refused.Message + ". Tell the people who made it; nothing was given to it.",
		})
		if errPage == nil {
			return page(w, r)
		}
	}
	if err != nil {
		return err
	}

	page, err := s.identity.Consent(a)
	if err != nil {
		return err
	}
	return page(w, r)
}

func (s *Service) handleCreateToken(w http.ResponseWriter, r *route.Request) error {
	return s.createToken(w, r, nil)
}

func (s *Service) handleCreateTeamToken(w http.ResponseWriter, r *route.Request) error {
	team, err := s.team(r)
	if err != nil {
		return err
	}
	return s.createToken(w, r, team)
}

func (s *Service) createToken(w http.ResponseWriter, r *route.Request, team *identity.Team) error {
	var body createTokenRequest
	if err := wire.ReadJSON(r.Request, &body, wire.RequireMediaType("application/json")); err != nil {
		return err
	}

	tokens, err := s.CreateToken(r.Context(), TokenRequest{
		ClientID: body.ClientID, ClientSecret: body.ClientSecret, Code: body.Code, Verifier: body.CodeVerifier, Team: team,
	})
	if err != nil {
		return err
	}

	w.Header().Set("Cache-Control", "no-store")
	return wire.WriteJSON(w, r.Request, http.StatusCreated, s.tokenToWire(tokens))
}

func (s *Service) handleDeleteToken(w http.ResponseWriter, r *route.Request) error {
	if err := s.DeleteToken(r.Context(), r.PathValue("access_token"), nil); err != nil {
		return err
	}
	wire.NoContent(w, http.StatusNoContent)
	return nil
}

func (s *Service) handleDeleteTeamToken(w http.ResponseWriter, r *route.Request) error {
	team, err := s.team(r)
	if err != nil {
		return err
	}
	if err := s.DeleteToken(r.Context(), r.PathValue("access_token"), team); err != nil {
		return err
	}
	wire.NoContent(w, http.StatusNoContent)
	return nil
}
