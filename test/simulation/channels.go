package simulation

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// channel is one that a user opened, with what it must be told.
type channel struct {
	id            string
	acked, unsure int // changes since, of which the answer came and of which it did not
}

const eventsPath = "/calendar/v3/calendars/primary/events"

// watch opens a channel to the receiver.
func (s *simulated) watch(u *user) int {
	u.count++
	id := fmt.Sprintf("%s-%d", u.name, u.count)
	w, met := s.do("POST", eventsPath+"/watch", u.calendar,
		fmt.Sprintf(`{"id":%q,"type":"web_hook","address":"%s/x"}`, id, s.receiver.server.URL))
	if w.Code == http.StatusOK {
		u.channels = append(u.channels, &channel{id: id})
	}
	return met
}

// announce changes a calendar, which its channels must be told.
func (s *simulated) announce(u *user) int {
	if len(u.channels) == 0 {
		return s.watch(u)
	}
	w, met := s.do("POST", eventsPath, u.calendar, `{"start":{"date":"2026-03-10"},"end":{"date":"2026-03-11"}}`)
	for _, c := range u.channels {
		switch {
		case w.Code == http.StatusOK:
			c.acked++
		case w.Code >= http.StatusInternalServerError:
			c.unsure++
		}
	}
	return met
}

// pass lets time go by, and what is due run, with faults of the store.
func (s *simulated) pass(ctx context.Context, d time.Duration) int {
	ctx = s.store.begin(ctx, "jobs")
	err := s.app.World().Jobs.AdvanceJobsTo(ctx, s.clock, s.clock.Now().Add(d))
	met := s.store.faults()
	s.disturbed += met
	s.comeBack(context.WithoutCancel(ctx))
	if err != nil && met == 0 {
		s.violate("P4: jobs do not run: %v", err)
	}
	return met
}

// auditChannels lets all messages arrive, and holds them against the changes (P3, P4).
func (s *simulated) auditChannels(ctx context.Context) error {
	s.store.arm(false)
	s.receiver.recover()
	var failed []error
	for range 3 { // leases of a crash, then what waited behind them
		failed = append(failed, s.app.World().Jobs.AdvanceJobsTo(ctx, s.clock, s.clock.Now().Add(2*time.Hour)))
	}
	s.receiver.mu.Lock()
	defer s.receiver.mu.Unlock()
	repeated := 0
	for _, u := range s.users {
		for _, c := range u.channels {
			h := s.receiver.heard[c.id]
			if h == nil {
				s.violate("P4: channel %s heard nothing, not even sync", c.id)
				continue
			}
			for _, wrong := range h.wrong {
				s.violate("%s: channel %s", wrong, c.id)
			}
			if told := int(h.last) - 1; told < c.acked || told > c.acked+c.unsure {
				s.violate("P4: channel %s was told of %d changes, want %d to %d", c.id, told, c.acked, c.acked+c.unsure)
			}
			for number := int64(1); number <= h.last; number++ {
				if h.attempts[number] == 0 {
					s.violate("P4: channel %s never heard number %d", c.id, number)
				}
			}
			repeated += h.repeated
		}
	}
	// A message is under way once for each channel, and comes again only where its end
	// was not written: after a crash, or a fault of the store.
	if most := (s.starts - 1 + s.disturbed) * max(1, s.channels()); repeated > most {
		s.violate("P4: %d messages came again, want at most %d", repeated, most)
	}
	return errors.Join(failed...)
}

func (s *simulated) channels() (n int) {
	for _, u := range s.users {
		n += len(u.channels)
	}
	return n
}
