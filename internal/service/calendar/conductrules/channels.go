package conductrules

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/conduct"
)

// channelRules are what is asked of clients that have channels.
func channelRules() []conduct.Rule {
	return []conduct.Rule{
		{
			ID: "calendar.channel-expired", Severity: conduct.Warning, Title: "Renew a channel before it expires",
			Why: "Nothing is sent after the end of a channel, and nothing says so: changes are missed in " +
				"silence.",
			Contract: "H-33: there is no automatic renewal; before expiry the client creates a new channel with a new id.",
			Example:  "A channel ends after seven days, the client goes on without a new one.",
			New:      expired,
		},
		{
			ID: "calendar.channel-left", Severity: conduct.Info, Title: "Stop a channel that another one replaced",
			Why:      "Both channels deliver: every change arrives twice until the old one ends.",
			Contract: "H-17: a new watch on the same resource before expiration gives two active channels, and both deliver.",
			Example:  "A second channel is made for the same calendar, and the first is never stopped.",
			New:      left,
		},
		{
			ID: "calendar.channel-id", Severity: conduct.Error, Title: "Give every channel an id of its own",
			Why:      "The watch is refused, and the client waits for messages that never come.",
			Contract: "H-02: a channel's id is unique.",
			Example:  "A second watch is made with the id of the first.",
			New: func(b *conduct.Breaches) conduct.Check {
				return conduct.Each(func(r *conduct.Request) {
					if isWatch(r) && r.Status == 400 && strings.Contains(r.Raw().AnswerBody(), "channelIdNotUnique") {
						b.Add(r.Line()+" has the id of another channel", r.Past())
					}
				})
			},
		},
		{
			ID: "calendar.channel-token", Severity: conduct.Info, Title: "Give a channel a token",
			Why:      "The receiver's address is public: only the token tells the calendar's messages from forged ones.",
			Contract: "H-27: a token that was given comes with every message.",
			Example:  "A watch is made without token.",
			New: func(b *conduct.Breaches) conduct.Check {
				return conduct.Each(func(r *conduct.Request) {
					if isWatch(r) && r.OK() && !r.RequestCut && r.Body("/token") == nil {
						b.Add(r.Line()+" made a channel without a token", r.Past())
					}
				})
			},
		},
	}
}

func isWatch(r *conduct.Request) bool { return strings.HasSuffix(r.Operation, ".watch") }

// watched is a channel as its client knows it.
type watched struct {
	client   string
	made     conduct.Past
	expires  time.Time
	replaced bool // by a newer channel for the same
}

// channels are those that were neither stopped nor reported.
type channels struct {
	conduct.Memory[string, watched]

	newest conduct.Memory[string, string] // ids by client and resource
}

// see follows what is made and stopped, and returns when a new channel ends.
func (c *channels) see(r *conduct.Request) (ends time.Time) {
	switch {
	case isWatch(r) && r.OK():
		milliseconds, err := strconv.ParseInt(r.AnswerText("/expiration"), 10, 64)
		if err != nil {
			return ends // it lives for ever
		}
		ends = time.UnixMilli(milliseconds)
		key := r.Who() + "\x00" + r.AnswerText("/resourceId")
		if older, ok := c.newest.Get(key); ok {
			if w, ok := c.Get(older); ok && r.At.Before(w.expires) {
				w.replaced = true
				c.Put(older, w)
			}
		}
		c.newest.Put(key, r.AnswerText("/id"))
		c.Put(r.AnswerText("/id"), watched{client: r.Who(), made: r.Past(), expires: ends})
	case strings.HasSuffix(r.Operation, ".stop") && r.OK():
		id, _ := r.Body("/id").(string)
		c.Delete(id)
	}
	return ends
}

// expired reports channels that ended while their client went on.
func expired(b *conduct.Breaches) conduct.Check {
	var open channels
	var next time.Time // no channel ends before
	return conduct.Each(func(r *conduct.Request) {
		if ends := open.see(r); !ends.IsZero() && ends.Before(next) {
			next = ends
		}
		if r.At.Before(next) {
			return
		}
		next = r.At.Add(365 * 24 * time.Hour)
		var over []string
		open.Each(func(id string, w watched) {
			switch {
			case r.At.Before(w.expires) && w.expires.Before(next):
				next = w.expires
			case !r.At.Before(w.expires) && (w.replaced || w.client == r.Who()):
				over = append(over, id)
			}
		})
		slices.Sort(over)
		for _, id := range over {
			if w, _ := open.Get(id); !w.replaced {
				b.Add(fmt.Sprintf("the channel ended at %s without a new one, and %s came after",
					w.expires.UTC().Format(time.RFC3339), r.Line()), w.made, r.Past())
			}
			open.Delete(id)
		}
	})
}

// left reports channels that were replaced and go on until the end of the journal.
func left(b *conduct.Breaches) conduct.Check {
	var open channels
	var last time.Time
	return conduct.Check{
		See: func(r *conduct.Request) {
			open.see(r)
			last = r.At
		},
		End: func() {
			var still []watched
			open.Each(func(_ string, w watched) {
				if w.replaced && last.Before(w.expires) {
					still = append(still, w)
				}
			})
			slices.SortFunc(still, func(a, b watched) int { return cmp.Compare(a.made.Number(), b.made.Number()) })
			for _, w := range still {
				b.Add("a newer channel delivers the same, and this one was not stopped", w.made)
			}
		},
	}
}
