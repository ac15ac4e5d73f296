// Package labpages holds a world of a lab in a browser: which worlds there are, the
// world's clock, faults, inboxes and conduct report.
//
// It asks the lab's control API (/lab/v1) inside the process. The lab hands the world's
// app a handler that has the lab's token; the token itself is in no page, cookie or
// answer. Who may use the pages is decided by the session: administrators of the world.
// They may do everything to their own world, and list, make and open others; they cannot
// delete or change another world from here, whatever its name, because the paths of
// calls that change something name the own world.
package labpages
