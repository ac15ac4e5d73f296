package console

import (
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
)

// changesPerHour is how many forms of each budget one user may send: far above
// what hands do, far below what fills a disk. signInsPerHour is how many times
// users may sign in from one network; wrong tries are counted apart.
const (
	changesPerHour = 300
	signInsPerHour = 600
)

// The budgets of forms. What ends something has one of its own: whoever has used
// up the other, with a stolen session perhaps, does not keep the user from it.
const (
	changes = Name + ".changes"
	endings = Name + ".endings"
)

// spend charges a form to whoever sends it; the error is *limit.Exceeded.
func (c *Console) spend(r *route.Request, v visitor, name string) error {
	window := limit.Window{Name: name, Limit: changesPerHour, Per: time.Hour}
	_, err := c.world.Limits.Take(r.Context(), window, "user:"+strconv.FormatInt(v.user.ID, 10), 1)
	return err
}

// spendSignIn charges a right password, which begins a session, to the network.
func (c *Console) spendSignIn(r *route.Request) error {
	window := limit.Window{Name: Name + ".signIns", Limit: signInsPerHour, Per: time.Hour}
	_, err := c.world.Limits.Take(r.Context(), window, "network:"+route.Network(r.Request), 1)
	return err
}
