package console

import (
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
)

// changesPerHour is how often one person may make credentials, applications and
// decisions: far above what hands do, far below what fills a disk.
const changesPerHour = 300

// spend charges a change to whoever makes it; the error is *limit.Exceeded.
func (c *Console) spend(r *route.Request, v visitor) error {
	window := limit.Window{Name: Name + ".changes", Limit: changesPerHour, Per: time.Hour}
	_, err := c.world.Limits.Take(r.Context(), window, "user:"+strconv.FormatInt(v.user.ID, 10), 1)
	return err
}
