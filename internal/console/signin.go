package console

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/actor"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
	"stoa.dev/stoa/internal/platform/wire"
)

// signInBody is the sign-in page.
type signInBody struct {
	Name, Next string
	// Application asks for consent once the user has signed in.
	Application string
	Error       string
	// PlainHTTP means that no password is accepted at this address.
	PlainHTTP bool
	// Provider is the name of where users can sign in besides here, empty for none.
	Provider string
	// Demo means that a file beside the data has a name and a password; LabWorld is the
	// name of the world of a lab, which prints them.
	Demo     bool
	LabWorld string
}

func (c *Console) handleSignInForm(w http.ResponseWriter, r *route.Request) error {
	next := safeNext(r.Query().Get("next"))
	if _, err := c.viewer(r); err == nil {
		return redirect(w, r, next)
	} else if !isAnonymous(err) {
		return err
	}
	return c.showSignIn(w, r, http.StatusOK, signInBody{Next: next})
}

func (c *Console) showSignIn(w http.ResponseWriter, r *route.Request, status int, body signInBody) error {
	if body.PlainHTTP = !c.passwordAllowed(r); body.PlainHTTP {
		status = http.StatusForbidden
	}
	if p := c.identity.SignInProvider(); p != nil {
		body.Provider = p.Name()
	}
	body.Demo = c.hasDemoFile()
	_, body.LabWorld = c.labControl()
	return c.render(w, r, status, "signin", view{Title: "Sign in", Body: body})
}

// hasDemoFile reports whether the world is a demo, whose users stand in a file.
func (c *Console) hasDemoFile() bool {
	if c.world.Dir == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(c.world.Dir, "demo.env"))
	return err == nil
}

func (c *Console) handleSignIn(w http.ResponseWriter, r *route.Request) error {
	form, err := wire.ReadForm(r.Request)
	if err != nil {
		return err
	}
	name, next := form.Get("name"), safeNext(form.Get("next"))
	if !c.passwordAllowed(r) {
		return c.showSignIn(w, r, http.StatusForbidden, signInBody{Next: next})
	}
	attempts, owner, err := c.signInAttempts(r, name)
	if err != nil {
		return err
	}
	u, err := c.checkPassword(r, owner, name, form.Get("password"))
	if err == nil {
		err = c.chargeSignIn(r)
	}
	if err == nil {
		// The password may have been changed while it was compared.
		_, err = c.startSession(w, r, u)
	}
	switch {
	case errors.Is(err, identity.ErrWrongPassword):
		const text = "The name or the password is wrong."
		if err := c.recordRefused(r, name, "wrong name or password"); err != nil {
			return err
		}
		return c.showSignIn(w, r, http.StatusUnauthorized, signInBody{Name: name, Next: next, Error: text})
	case errors.As(err, new(*limit.Exceeded)):
		// The password was not checked, so it does not count.
		return errors.Join(err, attempts.refund(r.Context()))
	case errors.Is(err, identity.ErrDisabled):
		const text = "This account is disabled. Ask your administrator."
		if err := c.recordRefused(r, name, "the user is disabled"); err != nil {
			return err
		}
		return c.showSignIn(w, r, http.StatusForbidden, signInBody{Name: name, Next: next, Error: text})
	case err != nil:
		return err
	}
	if err := attempts.refund(r.Context()); err != nil {
		return err
	}
	c.rememberBrowser(w, r, u.Name)
	return redirect(w, r, next)
}

// checkPassword checks a password in a slot of its owner.
func (c *Console) checkPassword(r *route.Request, owner budget.Owner, name, password string) (identity.User, error) {
	slot, err := c.passwordChecks.Take(r.Context(), owner, 1)
	if err != nil {
		return identity.User{}, err
	}
	defer slot.Release()
	return c.identity.CheckPassword(r.Context(), name, password)
}

// refusalsPerHour bounds how many refused sign-ins are recorded: an attacker with many
// networks must not fill the disk.
const refusalsPerHour = 1000

// recordRefused puts a refused sign-in in the audit trail.
func (c *Console) recordRefused(r *route.Request, name, reason string) error {
	window := limit.Window{Name: Name + ".refusals", Limit: refusalsPerHour, Per: time.Hour}
	_, err := c.world.Limits.Take(r.Context(), window, "all", 1)
	switch {
	case errors.As(err, new(*limit.Exceeded)):
		return nil
	case err != nil:
		return err
	}
	return c.identity.RecordRefusedSignIn(audit.With(r.Context(), actor.Of(r.Request, r.ID, nil)), name, reason)
}

// startSession signs the browser in with a new secret, whatever it held before.
func (c *Console) startSession(w http.ResponseWriter, r *route.Request, u identity.User) (secret string, err error) {
	ctx := audit.With(r.Context(), actor.Of(r.Request, r.ID, nil))
	_, secret, err = c.identity.StartSession(ctx, identity.SessionRequest{
		UserID: u.ID, By: u, Address: clientaddr.Address(r.Request), Agent: r.UserAgent(), TTL: c.config.SessionTTL,
		Replaces: c.cookie(r),
	})
	if err != nil {
		return "", err
	}
	c.setCookie(w, r, secret)
	return secret, nil
}

func (c *Console) handleSignOut(w http.ResponseWriter, r *route.Request, v viewer) error {
	err := c.identity.EndSession(r.Context(), v.user.ID, v.session.ID)
	if err != nil && !errors.Is(err, identity.ErrNotFound) {
		return err
	}
	c.setCookie(w, r, "")
	// A user who signs out of a consent page returns to it with another account.
	return redirect(w, r, "/console/sign-in?next="+url.QueryEscape(safeNext(v.form.Get("next"))))
}

// passwordAllowed reports whether a password may be sent: over HTTPS, or without
// leaving the machine. The host counts too, because what a browser calls localhost
// goes to its own machine, also where that forwards it into a container.
func (c *Console) passwordAllowed(r *route.Request) bool {
	return c.secure(r) || clientaddr.Loopback(r.Request) || clientaddr.LoopbackHost(r.Host)
}

const maxNext = 6 << 10

// safeNext is where to go after signing in, if that is a path of this server,
// else the console.
func safeNext(raw string) string {
	const home = "/console"
	if len(raw) > maxNext || !strings.HasPrefix(raw, "/") || strings.HasPrefix(raw, "//") {
		return home
	}
	// Browsers read a backslash as a slash and drop tabs and line breaks, so
	// "/\t/host" would leave the server.
	if strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }) {
		return home
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || strings.HasPrefix(u.Path, "//") {
		return home
	}
	return raw
}
