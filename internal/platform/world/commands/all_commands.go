package commands

import (
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
)

// All are the commands about a world.
func All(w *world.World) []module.Command {
	return []module.Command{
		auditList(w), auditShow(w),
		deliveriesList(w), deliveriesShow(w), deliveriesResend(w),
		jobsList(w), jobsSchedules(w), jobsShow(w), jobsRetry(w), jobsDiscard(w), requestsTail(w),
	}
}
