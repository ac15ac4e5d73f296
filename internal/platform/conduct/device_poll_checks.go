package conduct

import (
	"fmt"
	"time"
)

// Grant says how a service gives device codes and has them polled for (RFC 8628).
type Grant struct {
	// Start is the operation that gives a code, Poll the one that takes it.
	Start, Poll string
}

// code is a device code as its client polls for it.
type code struct {
	given    Past
	interval time.Duration
	expires  time.Duration
	last     Past
	slowed   int
	ended    string // why there is nothing left to poll for
	at       Past   // the answer that said so
}

// slowStep is what RFC 8628 adds to the interval at every slow_down.
const slowStep = 5 * time.Second

func (g Grant) check(judge func(*Breaches, *Request, code)) func(*Breaches) Check {
	return func(b *Breaches) Check {
		var codes Memory[string, code]
		return Each(func(r *Request) {
			switch r.Operation {
			case g.Start:
				if !r.OK() || r.AnswerText("/device_code") == "" {
					return
				}
				codes.Put(r.Digest(r.AnswerText("/device_code")), code{
					given:    r.Past(),
					interval: time.Duration(r.AnswerNumber("/interval")) * time.Second,
					expires:  time.Duration(r.AnswerNumber("/expires_in")) * time.Second,
				})
			case g.Poll:
				given := r.Form("device_code")
				if given == "" {
					given, _ = r.Body("/device_code").(string)
				}
				k := r.Digest(given)
				c, ok := codes.Get(k)
				if given == "" || !ok {
					return
				}
				judge(b, r, c)
				codes.Put(k, c.after(r))
			}
		})
	}
}

// after is the code once a poll was answered.
func (c code) after(r *Request) code {
	c.last = r.Past()
	switch word := r.AnswerText("/error"); {
	case word == "slow_down":
		c.slowed++
		c.interval += slowStep
	case c.ended != "":
	case r.OK() && !r.Lost():
		c.ended, c.at = "the token was given", r.Past()
	case word == "access_denied":
		c.ended, c.at = "access was denied", r.Past()
	case word == "expired_token" || word == "invalid_grant":
		c.ended, c.at = "the code was no longer good", r.Past()
	}
	return c
}

// Interval is a check that clients poll no faster than they are told.
func (g Grant) Interval() func(*Breaches) Check {
	return g.check(func(b *Breaches, r *Request, c code) {
		if c.slowed > 0 || !c.last.Known() || !r.Follows(c.last) || c.ended != "" {
			return
		}
		if r.Since(c.last) < c.interval-tolerance(c.interval) {
			b.Add(fmt.Sprintf("%s polled %s after the poll before; interval is %s",
				r.Line(), r.apart(c.last), seconds(c.interval)), c.last, r.Past())
		}
	})
}

// SlowsDown is a check that clients poll more slowly once they are told slow_down.
func (g Grant) SlowsDown() func(*Breaches) Check {
	return g.check(func(b *Breaches, r *Request, c code) {
		if c.slowed == 0 || !r.Follows(c.last) || c.ended != "" {
			return
		}
		// The interval itself is enough for a service that does not add to it.
		least := c.interval - time.Duration(c.slowed)*slowStep
		if r.Since(c.last) < least-tolerance(least) {
			b.Add(fmt.Sprintf("%s polled %s after the poll before although it was told slow_down",
				r.Line(), r.apart(c.last)), c.last, r.Past())
		}
	})
}

// Ends is a check that clients stop polling once there is nothing left to wait for.
func (g Grant) Ends() func(*Breaches) Check {
	return g.check(func(b *Breaches, r *Request, c code) {
		if c.ended != "" && r.Follows(c.at) {
			b.Add(fmt.Sprintf("%s polled on after %s", r.Line(), c.ended), c.at, r.Past())
		}
	})
}

// Expires is a check that clients stop by themselves when the code has expired.
func (g Grant) Expires() func(*Breaches) Check {
	return g.check(func(b *Breaches, r *Request, c code) {
		since := r.At.Sub(c.given.at)
		if c.ended == "" && c.expires > 0 && since > c.expires+2*max(c.interval, slowStep) {
			b.Add(fmt.Sprintf("%s polled %s after the code was given; expires_in is %s",
				r.Line(), seconds(since), seconds(c.expires)), c.given, r.Past())
		}
	})
}
