package lab

import (
	"context"

	"stoa.dev/stoa/internal/lab/audittrail"
	"stoa.dev/stoa/internal/platform/audit"
)

// Record adds an act to the lab's trail, at the machine's time. The act is done already:
// an entry that cannot be written is a line of the log.
func (l *Lab) Record(ctx context.Context, e audit.Entry) {
	if err := l.trail.Add(audit.Complete(ctx, l.clock.Now(), e)); err != nil {
		l.options.Log.Error("entry of the trail lost", "action", e.Action, "object", e.Object, "error", err.Error())
	}
}

// Acts lists what was done to the lab, the newest first, and whether there is more.
func (l *Lab) Acts(f audittrail.Filter) ([]audit.Entry, bool, error) { return l.trail.List(f) }
