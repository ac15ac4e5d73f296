// Package ahead finds jobs that may be claimed before they are due, when a virtual clock
// is on its way over their times: one claim then serves many of them.
//
// Who claims them runs each at its own time. That is the same run as if each were
// claimed at its time only while nothing comes in between: jobs that are due before the
// last of the batch (see Arrivals), and jobs whose place depends on what runs before
// them: those of a lane, and those that join later ones of the same dedupe word. The
// batch ends before the first of these.
package ahead
