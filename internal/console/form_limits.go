package console

import (
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
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
	_, err := c.world.Limits.Take(r.Context(), window, "network:"+route.Network(r.Request), 1)
	return err
}
