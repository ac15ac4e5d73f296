package discussions

import (
	"time"

	"stoa.dev/stoa/internal/forge"
)

// setState opens or closes an issue.
func (i *Issue) setState(to State, reason *string, by forge.Actor, at time.Time) {
	i.State = to
	if to == Open {
		i.Reason, i.ClosedAt, i.ClosedBy = "reopened", nil, nil
		return
	}
	i.Reason, i.ClosedAt, i.ClosedBy = "completed", &at, &by
	if reason != nil && *reason != "" {
		i.Reason = *reason
	}
}
