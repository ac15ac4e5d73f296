package oauthapps

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity/authorize"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/oauth"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/address"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
	"stoa.dev/stoa/internal/platform/route/hostmux"
	"stoa.dev/stoa/internal/platform/wire"
)

// Path is what the flows' addresses begin with.
const Path = "/login"

// maxForm is far above any form of the flows.
const maxForm = 64 << 10

// Handler serves the flows, and hands everything else to the API.
func (a *Apps) Handler(api http.Handler) http.Handler {
	mux := hostmux.New(api)
	mux.Prefix(Path, route.New(a.world.RouteOptions(route.Options{
		Service: a.service + "_oauth", WriteError: writeError, MaxBody: maxForm, Gate: a.gate,
	}), a.FlowRoutes()))
	return mux
}

// FlowRoutes are the operations of the flows. Clients prove themselves in the form.
func (a *Apps) FlowRoutes() []route.Route {
	return []route.Route{
		{Method: "GET", Pattern: Path + "/oauth/authorize", Name: "oauth_authorize", Handle: a.handleAuthorize},
		{Method: "POST", Pattern: Path + "/oauth/access_token", Name: "oauth_access_token", Handle: a.handleToken},
		{Method: "POST", Pattern: Path + "/device/code", Name: "oauth_device_code", Handle: a.handleDeviceCode},
		{Method: "GET", Pattern: Path + "/device", Name: "oauth_device_page", Handle: handleDevicePage},
	}
}

// gate charges the caller's network: the credential is in the form, which is read later.
func (a *Apps) gate(_ http.ResponseWriter, r *route.Request) (func(), error) {
	w := limit.Window{Name: a.service + "." + r.Route.Name, Limit: maxRequests, Per: time.Minute}
	_, err := a.world.Limits.Take(r.Context(), w, "network:"+clientaddr.Network(r.Request), 1)
	return nil, err
}

// writeError answers refusals as this host does, and the rest as OAuth says.
func writeError(w http.ResponseWriter, r *route.Request, err error) {
	var refused *oauth.Error
	if !errors.As(err, &refused) || r.Method == http.MethodGet {
		oauth.WriteError(w, r, err)
		return
	}
	answer := url.Values{"error": {string(refused.Code)}, "error_description": {oauth.Plain(refused.Description)}}
	if refused.Code == oauth.SlowDown {
		answer.Set("interval", strconv.Itoa(int(2*interval/time.Second)))
	}
	_ = write(w, r, answer) // the caller has gone away
}

func (a *Apps) handleAuthorize(w http.ResponseWriter, r *route.Request) error {
	asked, err := a.authorize(r.Context(), r.Query())
	var refused *oauth.Error
	switch {
	case errors.As(err, &refused) && authorize.AcceptsHTML(r):
		page, errPage := a.host.Identity.ShowMessage(authorize.Refusal(asked, refused))
		if errPage != nil {
			return err
		}
		return page(w, r)
	case err != nil:
		return err
	}
	page, err := a.host.Identity.Consent(*asked)
	if err != nil {
		return err
	}
	return page(w, r)
}

// handleDevicePage leads to the page where codes are typed.
func handleDevicePage(w http.ResponseWriter, r *route.Request) error {
	if len(r.Query()["user_code"]) > 1 {
		return oauth.BadRequest("user_code is given more than once")
	}
	to := "/device"
	if code := r.Query().Get("user_code"); code != "" {
		to += "?" + url.Values{"user_code": {code}}.Encode()
	}
	w.Header().Set("Location", address.To(r.Context(), to))
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

func (a *Apps) handleDeviceCode(w http.ResponseWriter, r *route.Request) error {
	form, err := readForm(r)
	if err != nil {
		return err
	}
	start, err := a.startDevice(r.Context(), clientaddr.Network(r.Request), form)
	if err != nil {
		return err
	}
	return write(w, r, url.Values{
		"device_code": {start.DeviceCode}, "user_code": {start.UserCode},
		"verification_uri": {a.world.URL(r.Context()) + Path + "/device"},
		"expires_in":       {seconds(deviceTTL)}, "interval": {seconds(interval)},
	})
}

func (a *Apps) handleToken(w http.ResponseWriter, r *route.Request) error {
	form, err := readForm(r)
	if err != nil {
		return err
	}
	tokens, err := a.token(r.Context(), oauth.ReadClient(r, form), form)
	if err != nil {
		return err
	}
	return write(w, r, a.answer(tokens))
}

// answer is what an exchange gives.
func (a *Apps) answer(t grants.Tokens) url.Values {
	out := url.Values{
		"access_token": {t.Access}, "token_type": {"bearer"}, "scope": {strings.Join(granted(t.Token.Scopes), ",")},
	}
	if t.Refresh != "" {
		now := a.host.Now()
		out.Set("expires_in", seconds(t.Token.ExpiresAt.Sub(now)))
		out.Set("refresh_token", t.Refresh)
		out.Set("refresh_token_expires_in", seconds(t.RefreshToken.ExpiresAt.Sub(now)))
	}
	return out
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }

// readForm reads a form, or an object of JSON as some clients send it.
func readForm(r *route.Request) (url.Values, error) {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return oauth.ReadForm(r)
	}
	var in map[string]any
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return nil, err
	}
	form := url.Values{}
	for name, value := range in {
		if text, ok := value.(string); ok {
			form.Set(name, text)
		}
	}
	return form, nil
}

// write answers in the form that the caller accepts; numbers are numbers in JSON.
func write(w http.ResponseWriter, r *route.Request, answer url.Values) error {
	oauth.NoStore(w)
	if !strings.Contains(r.Header.Get("Accept"), "json") {
		return wire.WriteBytes(w, r.Request, http.StatusOK, "application/x-www-form-urlencoded; charset=utf-8",
			[]byte(answer.Encode()))
	}
	out := map[string]any{}
	for name := range answer {
		out[name] = answer.Get(name)
		if n, err := strconv.Atoi(answer.Get(name)); err == nil && (strings.HasSuffix(name, "_in") || name == "interval") {
			out[name] = n
		}
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, out)
}
