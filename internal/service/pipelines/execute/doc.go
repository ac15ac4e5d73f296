// Package execute runs one node of one job.
//
// It takes a planned job (package recipe), opens one sandbox for it
// (platform/sandbox), runs the steps in order, streams what they print with
// secrets masked, and moves caches, artifacts, test results and workspaces
// between the sandbox and a Host. Every byte that a job names, links or
// packs is looked at from inside the sandbox, so that a link out of it leads
// nowhere.
//
// # How a node runs
//
// The sandbox starts with the first step that needs it; a checkout before that
// writes straight into the work folder. In the sandbox one plain shell takes
// commands from a pipe and runs them. A step's output goes through another pipe
// and ends with a marker, so that every byte is known to belong to one step;
// standard error is part of it, because order matters more than origin.
// Archives leave and enter through pipes of their own.
//
// A Remote runs the shell on another machine, with the same pipes (package kubernetes).
// Then the work folder is copied there, and so is each later checkout.
//
// A step that fails leaves the sandbox as it is, for those that follow with
// when: always or on_fail. A time-out, a cancel or a broken reporter kills it,
// with everything in it. Background steps end with the job and do not decide
// about it. A step that runs "stoa-agent step halt" and succeeds ends the job
// with success.
//
// A job can forge what is said about itself: the shell runs with its rights.
// It cannot reach beyond: whatever comes out is not trusted.
//
// The package knows no database and no HTTP: Host and Reporter are the
// service's. It does not decide what is run, retried or reported; it says how
// one run ended.
package execute
