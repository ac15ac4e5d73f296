// Package execute runs one node of one job.
//
// It takes a planned job (package recipe), opens one sandbox for it
// (platform/sandbox), runs the steps in order, streams what they print with
// secrets masked, and moves caches, artifacts, test results and workspaces
// between the sandbox and a Host. Every byte that a job names, links or
// packs is looked at from inside the sandbox, so that a link out of it leads
// nowhere.
//
// The package knows no database and no HTTP: Host and Reporter are the
// service's. It does not decide what is run, retried or reported; it says how
// one run ended.
package execute
