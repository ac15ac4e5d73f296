package console

import (
	"errors"
	"net/http"
	"net/url"
	"slices"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/route"
)

// consentBody asks about an application.
type consentBody struct {
	// Application is empty for a flow without a client.
	Application string
	// Service is empty for a plain sign-in.
	Service string
	Scopes  []scopeText
	// Action is where the decision goes; Request is what it is about, sealed.
	Action, Request string
	// Code is the device's, shown for comparison.
	Code string
	// RedirectHost is where the browser goes afterwards.
	RedirectHost string
	Team         string
}

// scopeText is one scope with its description.
type scopeText struct {
	Description, Scope string
	// Chosen says that a form which was refused asked for it.
	Chosen bool
}

// newConsentBody gathers what both kinds of consent pages show.
func (c *Console) newConsentBody(r *route.Request, service, clientID string, scopes []string) (consentBody, error) {
	body := consentBody{Service: c.serviceTitle(service)}
	if clientID != "" {
		client, err := c.identity.Client(r.Context(), clientID)
		if err != nil {
			return body, err
		}
		body.Application = client.Name
	}
	for _, name := range scopes {
		w := scopeText{Description: name, Scope: c.identity.Full(r.Context(), name)}
		if s, err := c.identity.Expand(r.Context(), name); err == nil && s.Description != "" {
			w.Description = capitalize(s.Description)
		}
		body.Scopes = append(body.Scopes, w)
	}
	if plainSignIn(scopes) {
		body.Service = "" // it gets who the user is, and nothing of a service
	}
	return body, nil
}

// plainSignIn reports whether an application only asks who the user is.
func plainSignIn(scopes []string) bool {
	return len(scopes) > 0 && !slices.ContainsFunc(scopes, func(s string) bool {
		return !slices.Contains([]string{"openid", "email", "profile", "groups"}, s)
	})
}

// consentHandler is the page that a service shows at its own address.
func (c *Console) consentHandler(a identity.Authorization) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		client, err := c.identity.Client(r.Context(), a.ClientID)
		if err != nil {
			return err
		}
		v, err := c.viewer(r)
		if isAnonymous(err) || err == nil && v.session.CreatedAt.Before(a.SignInAfter) {
			return c.showSignIn(w, r, http.StatusOK, signInBody{
				Name: v.user.Name, Next: c.afterSignIn(r, a), Application: client.Name,
			})
		}
		if err != nil {
			return err
		}
		return c.showConsent(w, r, v, a)
	}
}

// afterSignIn is where the browser returns to: the service's address, or, where that
// would ask for yet another sign-in, the request as it is.
func (c *Console) afterSignIn(r *route.Request, a identity.Authorization) string {
	if a.SignInAfter.IsZero() {
		return r.URL.RequestURI()
	}
	sealed := c.identity.SealAuthorization(a, c.config.ConsentTTL)
	return "/console/consent?" + url.Values{"request": {sealed}}.Encode()
}

// handleConsentForm shows a sealed request at the console's own address.
func (c *Console) handleConsentForm(w http.ResponseWriter, r *route.Request) error {
	a, err := c.identity.OpenAuthorization(r.Query().Get("request"))
	if err != nil {
		return err
	}
	return c.consentHandler(a)(w, r)
}

func (c *Console) showConsent(w http.ResponseWriter, r *route.Request, v viewer, a identity.Authorization) error {
	team, stop, err := c.checkTeam(r, v, a)
	if err != nil {
		return err
	}
	if stop != nil {
		return c.showErrorPage(w, r, *stop)
	}
	body, err := c.newConsentBody(r, a.Service, a.ClientID, a.Scopes)
	if err != nil {
		return err
	}
	body.Action, body.Team = "/console/consent", team
	body.Request = c.identity.SealAuthorization(a, c.config.ConsentTTL)
	body.RedirectHost = identity.RedirectHost(a.RedirectURI)
	page := v.view("Authorize access", "", body)
	page.formTarget, page.Current = a.RedirectURI, r.URL.RequestURI()
	return c.render(w, r, http.StatusOK, "consent", page)
}

// checkTeam checks that only members grant access to a team.
func (c *Console) checkTeam(
	r *route.Request, v viewer, a identity.Authorization,
) (title string, stop *errorPage, err error) {
	if a.TeamID == 0 {
		return "", nil, nil
	}
	team, err := c.identity.Team(r.Context(), a.TeamID)
	if err != nil {
		return "", nil, err
	}
	_, err = c.identity.TeamMember(r.Context(), a.TeamID, v.user.ID)
	if errors.Is(err, identity.ErrNotFound) {
		return "", &errorPage{Message: identity.Message{
			Status: http.StatusForbidden, Title: "Not a member of this team",
			Text: "Only members of " + team.Title + " can grant access to it. " +
				"Ask one of its owners to add you, or sign in with another account.",
		}}, nil
	}
	return team.Title, nil, err
}

func (c *Console) handleConsent(w http.ResponseWriter, r *route.Request, v viewer) error {
	a, err := c.identity.OpenAuthorization(v.form.Get("request"))
	if err != nil {
		return err
	}
	yes, err := decision(v)
	if err != nil {
		return err
	}
	// The application may have changed while the page was open.
	client, err := c.identity.Client(r.Context(), a.ClientID)
	if err != nil {
		return err
	}
	if !client.HasRedirect(a.RedirectURI) {
		return &identity.InvalidError{
			Field: "redirect URI", Reason: "of the application has changed; start again from there",
		}
	}
	if v.session.CreatedAt.Before(a.SignInAfter) {
		return &identity.InvalidError{
			Field: "sign-in", Reason: "is older than the application allows; start again from there",
		}
	}
	if _, stop, err := c.checkTeam(r, v, a); err != nil || stop != nil {
		if err != nil {
			return err
		}
		return c.showErrorPage(w, r, *stop)
	}
	if !yes {
		return redirect(w, r, a.RedirectWith(url.Values{
			"error": {"access_denied"}, "error_description": {"The user denied the request."},
		}))
	}
	code, err := c.grants.IssueCode(r.Context(), grants.CodeRequest{
		Service: a.Service, ClientID: a.ClientID, RedirectURI: a.RedirectURI, Scopes: a.Scopes, UserID: v.user.ID,
		TeamID: a.TeamID, Challenge: a.Challenge, TTL: a.CodeTTL, Format: a.CodeFormat,
		Nonce: a.Nonce, SignedInAt: v.session.CreatedAt,
	})
	switch {
	case errors.Is(err, grants.ErrPolicy), errors.Is(err, grants.ErrInternal):
		return redirect(w, r, a.RedirectWith(url.Values{
			"error": {"access_denied"}, "error_description": {"A rule of an organization forbids this permission."},
		}))
	case err != nil:
		return err
	}
	return redirect(w, r, a.RedirectWith(url.Values{"code": {code}}))
}
