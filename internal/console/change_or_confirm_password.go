package console

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/route"
)

// passwordBody is the page for a new password.
type passwordBody struct{ Error string }

func (c *Console) handlePasswordForm(w http.ResponseWriter, r *route.Request, v viewer) error {
	return c.render(w, r, http.StatusOK, "password", v.view("Change password", "password", passwordBody{}))
}

func (c *Console) handlePassword(w http.ResponseWriter, r *route.Request, v viewer) error {
	refuse := func(text string) error {
		page := v.view("Change password", "password", passwordBody{Error: text})
		return c.render(w, r, http.StatusBadRequest, "password", page)
	}
	if v.form.Get("password") != v.form.Get("again") {
		return refuse("The two new passwords differ.")
	}
	err := c.tryPassword(r, v, func(ctx context.Context) error {
		return c.identity.ChangePassword(ctx, v.user.Name, v.form.Get("old"), v.form.Get("password"))
	})
	var invalid *identity.InvalidError
	switch {
	case errors.Is(err, identity.ErrWrongPassword):
		return refuse("The current password is wrong.")
	case errors.As(err, &invalid):
		return refuse(capitalize(invalid.Error()) + ".")
	case err != nil:
		return err
	}
	// Every session ended with the old password; this browser gets a new one.
	if _, err := c.startSession(w, r, v.user); err != nil {
		return err
	}
	return redirect(w, r, "/console/sessions?changed=password")
}

// confirmPassword compares the password of a form with that of the user who sent it.
func (c *Console) confirmPassword(r *route.Request, v viewer) error {
	return c.tryPassword(r, v, func(ctx context.Context) error {
		_, err := c.identity.CheckPassword(ctx, v.user.Name, v.form.Get("password"))
		return err
	})
}

// tryPassword runs check, which compares the password of the viewer, within the bounds
// for guessing. A good one costs no attempt, nor does a new password that may not be set.
func (c *Console) tryPassword(r *route.Request, v viewer, check func(context.Context) error) error {
	if !c.passwordAllowed(r) {
		return errPlainHTTP
	}
	attempts := c.passwordChangeAttempts(v.session.ID)
	if err := attempts.take(r.Context()); err != nil {
		return err
	}
	slot, err := c.passwordChecks.Take(r.Context(), budget.Caller("name:"+strings.ToLower(v.user.Name)), 1)
	if err != nil {
		return err
	}
	defer slot.Release()
	err = check(r.Context())
	if err != nil && !errors.As(err, new(*identity.InvalidError)) {
		return err
	}
	return errors.Join(err, attempts.refund(r.Context()))
}
