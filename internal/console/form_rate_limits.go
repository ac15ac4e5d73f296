package console

import (
	"net/http"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

// formsPerHour is how many forms of each limit one user may send: far above
// what a user types, far below what fills a disk. signInsPerHour is how many
// times users may sign in from one network; wrong passwords are counted apart.
const (
	formsPerHour   = 300
	signInsPerHour = 600
)

// The limits of forms. What revokes or deletes has a limit of its own, so that a
// stolen session that uses up the other cannot keep the user from revoking it.
const (
	changeLimit = Name + ".changes"
	deleteLimit = Name + ".endings"
)

// chargeForm charges a form to the user who sends it; the error is *limit.Exceeded.
func (c *Console) chargeForm(r *route.Request, v viewer, name string) error {
	window := limit.Window{Name: name, Limit: formsPerHour, Per: time.Hour}
	_, err := c.world.Limits.Take(r.Context(), window, "user:"+strconv.FormatInt(v.user.ID, 10), 1)
	return err
}

// chargeSignIn charges a right password, which begins a session, to the network.
func (c *Console) chargeSignIn(r *route.Request) error {
	window := limit.Window{Name: Name + ".signIns", Limit: signInsPerHour, Per: time.Hour}
	_, err := c.world.Limits.Take(r.Context(), window, "network:"+clientaddr.Network(r.Request), 1)
	return err
}

// changeForm is requireSignIn for a form, which must carry the session's token.
func (c *Console) changeForm(h handler) route.Handler { return c.limitedForm(changeLimit, h) }

// deleteForm is changeForm for ending sessions, credentials and applications.
func (c *Console) deleteForm(h handler) route.Handler { return c.limitedForm(deleteLimit, h) }

// limitedForm is a form that counts against a limit of its user.
func (c *Console) limitedForm(name string, h handler) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		v, err := c.viewer(r)
		if isAnonymous(err) {
			return errSignedOut
		}
		if err != nil {
			return err
		}
		if v.form, v.files, err = readForm(r.Request); err != nil {
			return err
		}
		if err := identity.CheckFormToken(v.secret, v.form.Get("form")); err != nil {
			return err
		}
		if err := c.chargeForm(r, v, name); err != nil {
			return err
		}
		return h(w, r.InContext(audit.With(r.Context(), v.actor(r))), v)
	}
}
