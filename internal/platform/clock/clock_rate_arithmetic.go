package clock

import (
	"math"
	"time"
)

// Last is where a clock that runs stands still: what is kept of later times, such as an
// expiry of some centuries, has to have four digits in its year.
func Last() time.Time { return time.Date(9000, 12, 31, 23, 59, 59, 0, time.UTC) }

// never is how long a time is waited for that does not come.
const never = time.Duration(math.MaxInt64)

// After is t after a time of the machine's at a rate, at most Last. It does not go back.
func After(t time.Time, elapsed time.Duration, rate float64) time.Time {
	const century = 36525 * 24 * time.Hour // a Duration holds almost three
	last, passed := Last(), float64(elapsed)*rate
	if !t.Before(last) || !(passed > 0) {
		return t
	}
	for ; passed > float64(century) && t.Before(last); passed -= float64(century) {
		t = t.Add(century)
	}
	if t.Before(last) {
		t = t.Add(time.Duration(passed))
	}
	if t.After(last) {
		return last
	}
	return t
}

// Until is how long the machine waits until the clock is at t; not positive means that it is.
func (v *Virtual) Until(t time.Time) time.Duration {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.until(t)
}

// until is Until for a holder of the lock.
func (v *Virtual) until(t time.Time) time.Duration {
	left := t.Sub(v.current())
	switch {
	case left <= 0 || v.mode == ModeReal:
		return left
	case v.mode == ModeFrozen || t.After(Last()) || !(v.rate > 0):
		return never
	}
	if wait := float64(left) / v.rate; wait < float64(never) {
		return time.Duration(wait)
	}
	return never
}
