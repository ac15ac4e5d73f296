package console

import (
	"errors"
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// signInBody is the sign-in page. For says what it is needed for; Plain that no
// password is taken here.
type signInBody struct {
	Name, Next, For string
	Problem         string
	Plain           bool
}

func (c *Console) handleSignInForm(w http.ResponseWriter, r *route.Request) error {
	next := safeNext(r.Query().Get("next"))
	if _, err := c.visitor(r); err == nil {
		return redirect(w, r, next)
	} else if !isStranger(err) {
		return err
	}
	return c.showSignIn(w, r, http.StatusOK, signInBody{Next: next})
}

func (c *Console) showSignIn(w http.ResponseWriter, r *route.Request, status int, body signInBody) error {
	if body.Plain = !c.private(r); body.Plain {
		status = http.StatusForbidden
	}
	return c.render(w, r, status, "signin", view{Title: "Sign in", Body: body})
}

func (c *Console) handleSignIn(w http.ResponseWriter, r *route.Request) error {
	form, err := wire.ReadForm(r.Request)
	if err != nil {
		return err
	}
	name, next := form.Get("name"), safeNext(form.Get("next"))
	if !c.private(r) {
		return c.showSignIn(w, r, http.StatusForbidden, signInBody{Next: next})
	}
	tries, owner, err := c.signInTries(r, name)
	if err != nil {
		return err
	}
	u, err := c.checkPassword(r, owner, name, form.Get("password"))
	switch {
	case errors.Is(err, identity.ErrBadPassword):
		return c.showSignIn(w, r, http.StatusUnauthorized, signInBody{Name: name, Next: next, Problem: "The name or the password is wrong."})
	case errors.As(err, new(*limit.Exceeded)):
		// It was not looked at, so it does not count.
		return errors.Join(err, tries.giveBack(r.Context()))
	case errors.Is(err, identity.ErrDisabled):
		return c.showSignIn(w, r, http.StatusForbidden, signInBody{Name: name, Next: next, Problem: "This account is disabled. Ask your administrator."})
	case err != nil:
		return err
	}
	if err := tries.giveBack(r.Context()); err != nil {
		return err
	}
	if err := c.spendSignIn(r); err != nil {
		return err
	}
	if err := c.startSession(w, r, u.ID); err != nil {
		return err
	}
	c.rememberBrowser(w, r, u.Name)
	return redirect(w, r, next)
}

// checkPassword is identity's, in a place of its owner.
func (c *Console) checkPassword(r *route.Request, owner budget.Owner, name, password string) (identity.User, error) {
	place, err := c.checks.Take(r.Context(), owner, 1)
	if err != nil {
		return identity.User{}, err
	}
	defer place.Release()
	return c.identity.CheckPassword(r.Context(), name, password)
}

// startSession signs the browser in with a new secret, whatever it held before.
func (c *Console) startSession(w http.ResponseWriter, r *route.Request, userID int64) error {
	_, secret, err := c.identity.StartSession(r.Context(), identity.SessionRequest{
		UserID: userID, Address: route.Address(r.Request), Agent: r.UserAgent(), TTL: c.config.SessionTTL, Replaces: c.cookie(r),
	})
	if err != nil {
		return err
	}
	c.setCookie(w, r, secret)
	return nil
}

func (c *Console) handleSignOut(w http.ResponseWriter, r *route.Request, v visitor) error {
	if err := c.identity.EndSession(r.Context(), v.user.ID, v.session.ID); err != nil && !errors.Is(err, identity.ErrNotFound) {
		return err
	}
	c.setCookie(w, r, "")
	// Whoever signs out on the way to something can go on as somebody else.
	return redirect(w, r, "/console/sign-in?next="+escape(safeNext(v.form.Get("next"))))
}

// passwordBody is the page for a new password.
type passwordBody struct{ Problem, Done string }

func (c *Console) handlePasswordForm(w http.ResponseWriter, r *route.Request, v visitor) error {
	return c.render(w, r, http.StatusOK, "password", v.view("Change password", "password", passwordBody{}))
}

func (c *Console) handlePassword(w http.ResponseWriter, r *route.Request, v visitor) error {
	problem := func(text string) error {
		return c.render(w, r, http.StatusBadRequest, "password", v.view("Change password", "password", passwordBody{Problem: text}))
	}
	if !c.private(r) {
		return errPlain
	}
	if v.form.Get("password") != v.form.Get("again") {
		return problem("The new password and its repetition differ.")
	}
	tries := c.changeTries(v.session.ID)
	if err := tries.take(r.Context()); err != nil {
		return err
	}
	place, err := c.checks.Take(r.Context(), budget.Caller("name:"+strings.ToLower(v.user.Name)), 1)
	if err != nil {
		return err
	}
	defer place.Release()
	err = c.identity.ChangePassword(r.Context(), v.user.Name, v.form.Get("old"), v.form.Get("password"))
	var invalid *identity.InvalidError
	switch {
	case errors.Is(err, identity.ErrBadPassword):
		return problem("The current password is wrong.")
	case errors.As(err, &invalid):
		return problem(upper(invalid.Error()) + ".")
	case err != nil:
		return err
	}
	if err := tries.giveBack(r.Context()); err != nil {
		return err
	}
	// Every session ended with the old password; this browser goes on in a new
	// one.
	if err := c.startSession(w, r, v.user.ID); err != nil {
		return err
	}
	return redirect(w, r, "/console/sessions?changed=password")
}
