// Package flight runs a piece of work once for all callers that ask for it at
// the same time. It adds to golang.org/x/sync/singleflight what a server needs:
//
//   - the work has the group's context, not that of the caller who happened to
//     come first, so it goes on when that caller leaves;
//   - a caller waits no longer than its own context lasts;
//   - a panic of the work is an error of the callers, not the end of the process;
//   - Close ends the work under way and waits for it.
package flight
