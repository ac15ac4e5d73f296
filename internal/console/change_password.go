package console

import (
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
	if !c.passwordAllowed(r) {
		return errPlainHTTP
	}
	if v.form.Get("password") != v.form.Get("again") {
		return refuse("The two new passwords differ.")
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
	err = c.identity.ChangePassword(r.Context(), v.user.Name, v.form.Get("old"), v.form.Get("password"))
	var invalid *identity.InvalidError
	switch {
	case errors.Is(err, identity.ErrWrongPassword):
		return refuse("The current password is wrong.")
	case errors.As(err, &invalid):
		return refuse(capitalize(invalid.Error()) + ".")
	case err != nil:
		return err
	}
	if err := attempts.refund(r.Context()); err != nil {
		return err
	}
	// Every session ended with the old password; this browser gets a new one.
	if _, err := c.startSession(w, r, v.user.ID); err != nil {
		return err
	}
	return redirect(w, r, "/console/sessions?changed=password")
}
