// Package clock is the only source of time in the house.
//
// Every world owns one Clock. Production worlds run on Real; tests and lab
// worlds run on a Virtual clock that stands still until it is advanced, so
// that token expiry, limiter windows, retry back-off and schedules can be
// observed in milliseconds instead of days. Nothing else in the house calls
// time.Now, time.Sleep or time.NewTimer; the house rules hold that.
//
// The package does not know what is waited for. Running everything that
// became due when a virtual clock moves is the job queue's Settle.
package clock
