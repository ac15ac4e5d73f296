// Package clock is the only source of time in the program.
//
// Every world owns one Clock. Production worlds run on Real; tests and lab
// worlds run on a Virtual clock that stands still until it is advanced, so
// that token expiry, limiter windows, retry back-off and schedules can be
// observed in milliseconds instead of days. Nothing else calls
// time.Now, time.Sleep or time.NewTimer; the rules in test/ check it.
//
// The package does not know what is waited for. Running everything that
// became due when a virtual clock moves is the job queue's Settle.
package clock
