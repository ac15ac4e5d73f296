package device

import (
	"errors"
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/authorize"
	"stoa.dev/stoa/internal/platform/oauth"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/address"
)

func (s *Service) handleAuthorize(w http.ResponseWriter, r *route.Request) error {
	user, err := s.identity.SignedInUser(r)
	if err != nil {
		return err
	}
	var a *identity.Authorization
	request, err := authorize.Read(r.Query())
	if err == nil {
		a, err = s.Authorize(r.Context(), Visit{Request: request, Issuer: s.issuer(r), SignedIn: user != nil})
	}
	var refused *oauth.Error
	switch {
	case errors.As(err, &refused) && authorize.AcceptsHTML(r):
		page, errPage := s.identity.ShowMessage(authorize.Refusal(a, refused))
		if errPage != nil {
			return err
		}
		return page(w, r)
	case err != nil:
		return err
	}

	page, err := s.identity.Consent(*a)
	if err != nil {
		return err
	}
	return page(w, r)
}

// handleAuthorizeForm makes the request of a form one that the browser can come back
// to after signing in.
func (s *Service) handleAuthorizeForm(w http.ResponseWriter, r *route.Request) error {
	form, err := oauth.ReadForm(r)
	if err != nil {
		return err
	}

	oauth.NoStore(w)
	w.Header().Set("Location", address.To(r.Context(), authorizePath+"?"+form.Encode()))
	w.WriteHeader(http.StatusSeeOther)
	return nil
}
