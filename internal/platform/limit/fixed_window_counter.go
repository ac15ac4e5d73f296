package limit

import "time"

// counter is the state of one key in a window. It has no pointer, so that a
// million of them cost the garbage collector nothing.
type counter struct {
	ends int64 // end of the current window; zero before the first charge
	used int64
	ban
}

// advance moves the counter to the window that now falls in. A clock that jumped back
// keeps what is used (nothing opens) but ends the window soon (nothing locks
// forever).
func (c *counter) advance(w *Window, now int64) {
	end := windowEnd(w, now)
	switch {
	case now >= c.ends:
		c.ends, c.used = end, 0
		if now >= c.until {
			c.strikes = 0
		}
	case c.ends > latestEnd(w, end):
		c.ends = end
	}
}

// latestEnd is how far ahead a window may end that was opened before now, where
// end is that of now's own. An aligned one may be the next: clocks of processes
// differ, and who is behind must not close the window that another one opened.
func latestEnd(w *Window, end int64) int64 {
	if w.Aligned {
		return end + int64(w.Per)
	}
	return end
}

// windowEnd is the end of a window that starts at (or around) now.
func windowEnd(w *Window, now int64) int64 {
	per := int64(w.Per)
	if !w.Aligned {
		return now + per
	}
	past := now % per
	if past < 0 {
		past += per
	}
	return now - past + per
}

// probe decides without charging; c is a copy.
func (c counter) probe(w *Window, now, cost int64) Decision {
	c.advance(w, now)
	banned := c.active(&w.Penalty, now)
	return c.decision(w, now, cost, banned)
}

// take decides and charges. With force the charge is made whatever is left.
func (c *counter) take(w *Window, now, cost int64, force bool) Decision {
	c.advance(w, now)
	banned := c.active(&w.Penalty, now)
	switch {
	case force:
		c.used = addSaturated(c.used, cost)
		return c.decision(w, now, 0, false)
	case !banned && fits(w.Limit, c.used, cost):
		c.used += cost
		c.strikes = 0
		return c.decision(w, now, 0, false)
	}
	banned = c.strike(&w.Penalty, now) || banned
	return c.decision(w, now, cost, banned)
}

// refuse notes the refusal d of a charge that was not tried.
func (c *counter) refuse(w *Window, now int64, d Decision) Decision {
	c.advance(w, now)
	c.strike(&w.Penalty, now)
	if now < c.until {
		d.Banned = true
		d.RetryAfter = max(d.RetryAfter, time.Duration(c.until-now))
	}
	return d
}

// refund gives back to the window that ends at mark, if it still runs.
func (c *counter) refund(w *Window, now, cost, mark int64) Decision {
	running := c.ends == mark
	c.advance(w, now)
	if running && c.ends == mark {
		c.used = max(c.used-cost, 0)
	}
	return c.decision(w, now, 0, c.active(&w.Penalty, now))
}

func (c *counter) decision(w *Window, now, cost int64, banned bool) Decision {
	d := Decision{
		Name: w.Name, Limit: max(w.Limit, 0), Used: c.used, Remaining: max(w.Limit-c.used, 0),
		Reset: timeAt(c.ends), Banned: banned, mark: c.ends,
	}
	full := !fits(w.Limit, c.used, cost)
	d.Allowed = !banned && !full
	if full {
		d.RetryAfter = time.Duration(c.ends - now)
	}
	if banned {
		d.RetryAfter = max(d.RetryAfter, time.Duration(c.until-now))
	}
	return d
}

// expires is when nothing of the counter is worth remembering.
func (c *counter) expires() int64 { return max(c.ends, c.keep) }

// fits reports whether cost more points may be used. Nothing always fits.
func fits(limit, used, cost int64) bool {
	return cost == 0 || (used < limit && cost <= limit-used)
}

// maxCost bounds one charge and maxUsed a sum of them, so that no arithmetic
// overflows, here or in SQL.
const (
	maxCost = 1 << 53
	maxUsed = 1 << 62
)

func addSaturated(a, b int64) int64 { return min(a+b, maxUsed) }

func timeAt(ns int64) time.Time { return time.Unix(0, ns).UTC() }
