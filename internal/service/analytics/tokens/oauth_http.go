package tokens

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/authorize"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/oauth"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/address"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
	"stoa.dev/stoa/internal/platform/wire"
)

func (f *Flows) handleDeviceCode(w http.ResponseWriter, r *route.Request) error {
	form, err := oauth.ReadForm(r)
	if err != nil {
		return err
	}

	client, scopes := oauth.ReadClient(r, form), splitScopes(form.Get("scope"))
	start, err := f.startDevice(r.Context(), client, scopes, clientaddr.Network(r.Request))
	if err != nil {
		return err
	}

	oauth.NoStore(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, f.deviceCodeToWire(r.Context(), start))
}

func (f *Flows) handleDeviceToken(w http.ResponseWriter, r *route.Request) error {
	form, err := oauth.ReadForm(r)
	if err != nil {
		return err
	}
	switch grantType(form.Get("grant_type")) {
	case grantDevice:
	case "":
		return oauth.BadRequest("grant_type is missing")
	case grantCode, grantRefresh:
		return errCode(oauth.UnsupportedGrantType, "Use /oauth2/access_token for this grant_type.")
	default:
		return errCode(oauth.UnsupportedGrantType, "Invalid grant_type")
	}

	tokens, err := f.redeemDevice(r.Context(), oauth.ReadClient(r, form), form.Get("device_code"))
	if err != nil {
		return err
	}

	oauth.NoStore(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, tokensToWire(tokens))
}

// handleVerifyCode is where verification_uri leads: to the page that shows the
// code for comparison.
func (f *Flows) handleVerifyCode(w http.ResponseWriter, r *route.Request) error {
	return redirect(w, r, "/device?"+url.Values{"user_code": {r.Query().Get("code")}}.Encode())
}

func (f *Flows) handleAuthorize(w http.ResponseWriter, r *route.Request) error {
	var a *identity.Authorization
	request, err := authorize.Read(r.Query())
	if err == nil {
		a, err = f.authorize(r.Context(), request)
	}
	var refused *oauth.Error
	switch {
	case errors.As(err, &refused) && authorize.AcceptsHTML(r):
		page, errPage := f.identity.ShowMessage(authorize.Refusal(a, refused))
		if errPage != nil {
			return err
		}
		return page(w, r)
	case err != nil:
		return err
	}

	page, err := f.identity.Consent(*a)
	if err != nil {
		return err
	}
	return page(w, r)
}

// handleSuccess is a redirect address on this server, for programs that read
// the code from the browser's address line.
func (f *Flows) handleSuccess(w http.ResponseWriter, r *route.Request) error {
	m := identity.Message{
		Status: http.StatusOK, Title: "You can close this window", Text: "The application has its answer.",
	}
	if r.Query().Get("error") != "" {
		m.Text = "The application was told that you said no."
	}
	page, err := f.identity.ShowMessage(m)
	if err != nil {
		return err
	}
	return page(w, r)
}

func (f *Flows) handleAccessToken(w http.ResponseWriter, r *route.Request) error {
	form, err := oauth.ReadForm(r)
	if err != nil {
		return err
	}
	client := oauth.ReadClient(r, form)

	var tokens grants.Tokens
	switch grantType(form.Get("grant_type")) {
	case grantCode:
		redirect, verifier := form.Get("redirect_uri"), form.Get("code_verifier")
		tokens, err = f.redeemCode(r.Context(), client, form.Get("code"), redirect, verifier)
	case grantRefresh:
		tokens, err = f.refresh(r.Context(), client, form.Get("refresh_token"), splitScopes(form.Get("scope")))
	case "":
		err = oauth.BadRequest("grant_type is missing")
	case grantDevice:
		err = errCode(oauth.UnsupportedGrantType, "Use /dag/device/token for this grant_type.")
	default:
		err = errCode(oauth.UnsupportedGrantType, "Invalid grant_type")
	}
	if err != nil {
		return err
	}

	oauth.NoStore(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, tokensToWire(tokens))
}

// splitScopes takes both separators that the documentation has known.
func splitScopes(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' })
}

func redirect(w http.ResponseWriter, r *route.Request, to string) error {
	oauth.NoStore(w)
	w.Header().Set("Location", address.To(r.Context(), to))
	w.WriteHeader(http.StatusFound)
	return nil
}
