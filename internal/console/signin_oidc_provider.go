package console

import (
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/oidc"
	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/actor"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

const (
	providerPath  = "/console/sign-in/provider"
	answerPath    = "/console/sign-in/provider/answer"
	stateBinding  = "sign-in at a provider"
	stateCookie   = "stoa_signin_"
	stateLength   = 32
	stateTTL      = 15 * time.Minute
	providerCalls = 600 // an hour from one network: starts and answers
)

// pendingSignIn is what the browser keeps while the user is at the provider.
type pendingSignIn struct {
	State string `json:"s"`
	Next  string `json:"n"`
}

// answerHost is the host of a service that a sign-in was begun on.
type answerHost struct {
	Host string `json:"h"`
}

// stateCookieName is a name of its own for each sign-in, so that two tabs do not
// disturb each other.
func stateCookieName(state string) string { return stateCookie + state[:8] }

// provider is where the user can sign in; without one there are no such pages.
func (c *Console) provider(r *route.Request) (*oidc.Provider, error) {
	p := c.identity.SignInProvider()
	if p == nil {
		return nil, route.ErrNoRoute
	}
	if !c.passwordAllowed(r) {
		return nil, errPlainHTTP
	}
	window := limit.Window{Name: Name + ".provider", Limit: providerCalls, Per: time.Hour}
	_, err := c.world.Limits.Take(r.Context(), window, "network:"+clientaddr.Network(r.Request), 1)
	return p, err
}

// handleProvider sends the browser to the provider.
func (c *Console) handleProvider(w http.ResponseWriter, r *route.Request) error {
	return c.startAtProvider(w, r, c.world.IDs.Hex(stateLength))
}

// handleHostProvider is handleProvider on a host of a service. The provider knows one
// address, so its answer comes to another host than the cookie is for; the state says,
// sealed, where it is passed on to. Only here, behind the routing of hosts: a host name
// that a request made up is not sent the answer of another browser.
func (c *Console) handleHostProvider(w http.ResponseWriter, r *route.Request) error {
	state := c.world.IDs.Hex(stateLength)
	if base, err := url.Parse(c.world.URL(r.Context())); err == nil && !strings.EqualFold(base.Host, r.Host) {
		state += "." + c.sealer().SealUntil(answerHost{r.Host}, state, c.world.Clock.Now().Add(stateTTL))
	}
	return c.startAtProvider(w, r, state)
}

func (c *Console) startAtProvider(w http.ResponseWriter, r *route.Request, state string) error {
	p, err := c.provider(r)
	if err != nil {
		return err
	}
	pending := pendingSignIn{State: state, Next: safeNext(r.Query().Get("next"))}
	to, err := p.StartURL(r.Context(), pending.State, c.world.URL(r.Context())+answerPath)
	if err != nil {
		return c.showProviderError(w, r, pending.Next, err)
	}
	sealed := c.sealer().SealUntil(pending, stateBinding, c.world.Clock.Now().Add(stateTTL))
	c.writeCookie(w, r, stateCookieName(pending.State), sealed, stateTTL)
	w.Header().Set("Location", to)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// handleProviderAnswer signs the user in with whom the provider names.
func (c *Console) handleProviderAnswer(w http.ResponseWriter, r *route.Request) error {
	p, err := c.provider(r)
	if err != nil {
		return err
	}
	if to := c.answerElsewhere(r); to != "" {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusSeeOther)
		return nil
	}
	pending, err := c.pendingSignIn(w, r)
	if err != nil {
		return err
	}
	account, err := p.Finish(r.Context(), pending.State, c.world.URL(r.Context())+answerPath, r.Query())
	if err != nil {
		return c.showProviderError(w, r, pending.Next, err)
	}
	u, missing, err := c.identity.SignInExternal(audit.With(r.Context(), actor.Of(r.Request, r.ID, nil)), account)
	if errors.Is(err, identity.ErrDisabled) {
		const text = "This account is disabled. Ask your administrator."
		if err := c.recordRefused(r, u.Name, "the user is disabled"); err != nil {
			return err
		}
		return c.showSignIn(w, r, http.StatusForbidden, signInBody{Next: pending.Next, Error: text})
	}
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		const text = "identity.oidc.groups names what does not exist: make it with stoa org add or stoa team add"
		c.world.Telemetry.Log.Warn(text, "user", u.Name, "missing", strings.Join(missing, ", "))
	}
	if err := c.chargeSignIn(r); err != nil {
		return err
	}
	if _, err := c.startSession(w, r, u); err != nil {
		return err
	}
	c.rememberBrowser(w, r, u.Name)
	return redirect(w, r, pending.Next)
}

// answerElsewhere is the address that an answer is passed on to, because the browser has
// its cookie there; empty where the answer is for this host.
func (c *Console) answerElsewhere(r *route.Request) string {
	state, sealed, ok := strings.Cut(r.Query().Get("state"), ".")
	var begun answerHost
	if !ok || c.sealer().OpenAt(sealed, state, c.world.Clock.Now(), &begun) != nil {
		return ""
	}
	if strings.EqualFold(begun.Host, r.Host) {
		return ""
	}
	to := url.URL{Scheme: "http", Host: begun.Host, Path: answerPath, RawQuery: r.URL.RawQuery}
	if c.secure(r) {
		to.Scheme = "https"
	}
	return to.String()
}

// pendingSignIn reads the cookie of the sign-in that the answer belongs to, and
// removes it: an answer is taken once.
func (c *Console) pendingSignIn(w http.ResponseWriter, r *route.Request) (pendingSignIn, error) {
	var pending pendingSignIn
	state := r.Query().Get("state")
	random, _, _ := strings.Cut(state, ".")
	if len(random) != stateLength || strings.Trim(random, "0123456789abcdef") != "" {
		return pending, errSignInOver
	}
	cookie, err := r.Cookie(c.cookieName(r, stateCookieName(state)))
	if err != nil {
		return pending, errSignInOver
	}
	if c.sealer().OpenAt(cookie.Value, stateBinding, c.world.Clock.Now(), &pending) != nil ||
		subtle.ConstantTimeCompare([]byte(pending.State), []byte(state)) != 1 {
		return pending, errSignInOver
	}
	c.writeCookie(w, r, stateCookieName(state), "", -time.Second)
	return pending, nil
}

// showProviderError is the sign-in page with what went wrong at the provider. The
// cause is for the administrator alone.
func (c *Console) showProviderError(w http.ResponseWriter, r *route.Request, next string, err error) error {
	var refused *oidc.Error
	if !errors.As(err, &refused) {
		return err
	}
	c.world.Telemetry.Log.Warn("sign-in at the provider failed", "request", r.ID, "cause", err.Error())
	status := http.StatusForbidden
	if refused.Unavailable {
		status = http.StatusBadGateway
	}
	return c.showSignIn(w, r, status, signInBody{Next: next, Error: refused.Text})
}
