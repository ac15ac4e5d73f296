// Package labpages holds a world of a lab in a browser: which worlds there are, the
// world's clock, faults, inboxes and conduct report.
//
// It asks the lab's control API (/lab/v1) inside the process. The lab hands the world's
// app a handler that has the lab's token; the token itself is in no page, cookie or
// answer. Who may use the pages is decided by the session: administrators of the world.
// They may do everything to their own world, and copy and save it; they see no other world
// and cannot delete or change one, whatever its name, because the paths of calls name the
// own world. One console is about all worlds: that of the world at the lab's own address,
// for requests from this machine. It lists, opens, makes and deletes others.
package labpages
