package calendar

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
)

// Limits of one question.
const (
	maxGroupMembers  = 100
	maxBusyCalendars = 50
	// busyPage is how many events of one calendar are looked at at a time.
	busyPage = 2500
)

// busyQuestion asks when calendars are busy.
type busyQuestion struct {
	window           span
	zone             *time.Location
	groups, expanded int
	ids              []string
	steps            *budget.Steps // for all calendars together
}

// QueryFreeBusy tells when calendars are busy. What the caller may not see
// and what there is not are answered alike.
func (s *Service) QueryFreeBusy(ctx context.Context, p person, q busyQuestion) (*freeBusyJSON, error) {
	out := &freeBusyJSON{
		Kind: "calendar#freeBusy", TimeMin: q.window.from.In(q.zone).Format(time.RFC3339), TimeMax: q.window.to.In(q.zone).Format(time.RFC3339),
		Calendars: map[string]*busyJSON{}, Groups: map[string]*groupJSON{},
	}
	var ids []string
	for _, id := range q.ids {
		members, isGroup, err := s.members(ctx, p, id)
		switch {
		case err != nil:
			return nil, err
		case !isGroup:
			ids = append(ids, id)
		case len(members) > q.groups:
			out.Groups[id] = &groupJSON{Errors: busyError("groupTooBig")}
		default:
			out.Groups[id] = &groupJSON{Calendars: members}
			ids = append(ids, members...)
		}
	}
	turn, err := s.expanding.Take(ctx, p.owner(), 1)
	if err != nil {
		return nil, err
	}
	defer turn.Release()
	q.steps = newSteps(ctx)
	for _, id := range ids {
		if _, done := out.Calendars[id]; done {
			continue
		}
		if len(out.Calendars) >= q.expanded {
			out.Calendars[id] = &busyJSON{Busy: []periodJSON{}, Errors: busyError("tooManyCalendarsRequested")}
			continue
		}
		busy, err := s.busyOf(ctx, p, id, q)
		if err != nil {
			return nil, err
		}
		out.Calendars[id] = busy
	}
	return out, nil
}

// members are the calendars of a team, when the id names one of the caller's.
// Whoever is not in it is not told who is.
func (s *Service) members(ctx context.Context, p person, id string) (addresses []string, isGroup bool, err error) {
	name, domain, _ := strings.Cut(id, "@")
	if domain != groupDomain {
		return nil, false, nil
	}
	team, err := s.identity.TeamByName(ctx, name)
	if err == nil {
		_, err = s.identity.TeamMember(ctx, team.ID, p.id)
	}
	if errors.Is(err, identity.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	members, _, err := s.identity.TeamMembers(ctx, team.ID, 0, maxGroupMembers+1)
	if err != nil {
		return nil, false, err
	}
	for _, m := range members {
		member, err := s.personOf(ctx, m.User.ID)
		if err != nil {
			return nil, false, err
		}
		addresses = append(addresses, member.address)
	}
	return addresses, true, nil
}

// groupDomain stands behind the name of a team in a group's address.
const groupDomain = "groups." + noMail

// busyOf are the busy periods of one calendar.
func (s *Service) busyOf(ctx context.Context, p person, id string, q busyQuestion) (*busyJSON, error) {
	out := &busyJSON{Busy: []periodJSON{}}
	p.wide = true // The scope that opened the question is enough for the answer.
	c, role, err := s.access(ctx, s.world.DB, p, id)
	if missing, err := none(err); err != nil {
		return nil, err
	} else if missing || role == RoleNone {
		out.Errors = busyError("notFound")
		return out, nil
	}
	var periods []span
	err = s.world.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		for next := (&cursor{From: q.window.from, To: q.window.to}); next != nil; {
			var rows []eventRow
			if rows, next, err = s.page(ctx, tx, c, *next, eventFilter{single: true, steps: q.steps}, busyPage); err != nil {
				return err
			}
			periods = join(append(periods, busyIn(rows, q.window)...))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, period := range periods {
		out.Busy = append(out.Busy, periodJSON{period.from.In(q.zone).Format(time.RFC3339), period.to.In(q.zone).Format(time.RFC3339)})
	}
	return out, nil
}

// busyIn makes periods of events that take time, cut to the window.
func busyIn(rows []eventRow, w span) (periods []span) {
	for _, e := range rows {
		if e.cancelled || e.doc.Transparency == "transparent" || !e.starts.Before(e.ends) {
			continue
		}
		periods = append(periods, span{later(e.starts, w.from), earlier(e.ends, w.to)})
	}
	return periods
}

// join makes one of periods that meet.
func join(periods []span) []span {
	slices.SortFunc(periods, func(a, b span) int { return a.from.Compare(b.from) })
	var out []span
	for _, one := range periods {
		if n := len(out); n > 0 && !one.from.After(out[n-1].to) {
			out[n-1].to = later(out[n-1].to, one.to)
			continue
		}
		out = append(out, one)
	}
	return out
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
