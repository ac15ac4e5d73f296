package calendar

import (
	"context"
	"errors"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/calendar/freebusy"
	"stoa.dev/stoa/internal/service/calendar/invitation"
	"stoa.dev/stoa/internal/service/calendar/listing"
	"stoa.dev/stoa/internal/service/calendar/refusal"
	"stoa.dev/stoa/internal/service/calendar/timespan"
)

// busyPage is how many events of one calendar are looked at at a time.
const busyPage = 2500

// QueryFreeBusy is when calendars are busy. What the caller may not see
// and what there is not are answered alike.
func (s *Service) QueryFreeBusy(ctx context.Context, u user, q freebusy.Query) (*freebusy.Response, error) {
	out := &freebusy.Response{
		Kind: "calendar#freeBusy", TimeMin: q.Window.From.In(q.Zone).Format(time.RFC3339),
		TimeMax:   q.Window.To.In(q.Zone).Format(time.RFC3339),
		Calendars: map[string]*freebusy.Calendar{}, Groups: map[string]*freebusy.Group{},
	}
	var ids []string
	groups := 0
	for _, id := range q.IDs {
		if _, done := out.Groups[id]; done {
			continue
		}
		if namesGroup(id) {
			if groups++; groups > freebusy.MaxGroups {
				out.Groups[id] = &freebusy.Group{Errors: freebusy.NewProblem("tooManyCalendarsRequested")}
				continue
			}
		}
		members, isGroup, err := s.groupMembers(ctx, u, id)
		switch {
		case err != nil:
			return nil, err
		case !isGroup:
			ids = append(ids, id)
		case len(members) > q.Groups:
			out.Groups[id] = &freebusy.Group{Errors: freebusy.NewProblem("groupTooBig")}
		default:
			out.Groups[id] = &freebusy.Group{Calendars: members}
			ids = append(ids, members...)
		}
	}
	slot, err := s.expanding.Take(ctx, u.owner(), 1)
	if err != nil {
		return nil, err
	}
	defer slot.Release()
	steps := newSteps(ctx)
	for n, id := range ids {
		if _, done := out.Calendars[id]; done {
			continue
		}
		if len(out.Calendars) >= q.Expanded {
			problem := freebusy.NewProblem("tooManyCalendarsRequested")
			out.Calendars[id] = &freebusy.Calendar{Busy: []freebusy.Period{}, Errors: problem}
			continue
		}
		// A quarter at least: most calendars take little, and what they leave is for those that follow.
		given := steps.Left() / min(int64(len(ids)-n), 4)
		part := budget.NewSteps(ctx, given)
		busy, err := s.busyWithin(ctx, u, id, q, part, len(ids) == 1)
		if err == nil {
			err = steps.Take(given - part.Left())
		}
		if err != nil {
			return nil, err
		}
		out.Calendars[id] = busy
	}
	return out, nil
}

// busyWithin is busyPeriods within a part of a question's steps. One of several calendars
// that takes more has no answer, and does not keep the others from theirs.
func (s *Service) busyWithin(
	ctx context.Context, u user, id string, q freebusy.Query, part *budget.Steps, alone bool,
) (*freebusy.Calendar, error) {
	busy, err := s.busyPeriods(ctx, u, id, q, part)
	if !alone && errors.As(err, new(*budget.StepsError)) {
		return &freebusy.Calendar{Busy: []freebusy.Period{}, Errors: freebusy.NewProblem("quotaExceeded")}, nil
	}
	return busy, err
}

// groupMembers are the calendars of a team, when the id names one of the caller's.
// A caller who is not a member is not told who is.
func (s *Service) groupMembers(ctx context.Context, u user, id string) (addresses []string, isGroup bool, err error) {
	if !namesGroup(id) {
		return nil, false, nil
	}
	name, _, _ := strings.Cut(id, "@")
	team, err := s.identity.TeamByName(ctx, name)
	if err == nil {
		_, err = s.identity.TeamMember(ctx, team.ID, u.id)
	}
	if errors.Is(err, identity.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	members, _, err := s.identity.TeamMembers(ctx, team.ID, 0, freebusy.MaxGroupMembers+1)
	if err != nil {
		return nil, false, err
	}
	for _, m := range members {
		member, err := s.ensureUser(ctx, m.User.ID)
		if err != nil {
			return nil, false, err
		}
		addresses = append(addresses, member.address)
	}
	return addresses, true, nil
}

// groupDomain stands behind the name of a team in a group's address.
const groupDomain = "groups." + defaultDomain

// namesGroup reports whether an address is that of a group.
func namesGroup(id string) bool {
	_, domain, _ := strings.Cut(id, "@")
	return domain == groupDomain
}

// busyPeriods are the busy periods of one calendar.
func (s *Service) busyPeriods(
	ctx context.Context, u user, id string, q freebusy.Query, steps *budget.Steps,
) (*freebusy.Calendar, error) {
	out := &freebusy.Calendar{Busy: []freebusy.Period{}}
	u.unrestricted = true // The scope that opened the question is enough for the answer.
	c, role, err := s.calendarRole(ctx, s.world.DB, u, id)
	if missing, err := refusal.IsMissing(err); err != nil {
		return nil, err
	} else if missing || role == RoleNone {
		out.Errors = freebusy.NewProblem("notFound")
		return out, nil
	}
	var periods []timespan.Span
	err = s.world.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		for next := (&listing.Cursor{From: q.Window.From, To: q.Window.To}); next != nil; {
			var rows []eventRow
			reader := s.eventReader(tx, c, *next, eventFilter{single: true, busy: true, steps: steps})
			if rows, next, err = reader.listPage(ctx, busyPage); err != nil {
				return err
			}
			periods = timespan.Merge(append(periods, busyIn(rows, q.Window)...))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, period := range periods {
		out.Busy = append(out.Busy, freebusy.Period{
			Start: period.From.In(q.Zone).Format(time.RFC3339), End: period.To.In(q.Zone).Format(time.RFC3339),
		})
	}
	return out, nil
}

// busyIn makes periods of events that take time, cut to the window.
func busyIn(rows []eventRow, w timespan.Span) (periods []timespan.Span) {
	for _, e := range rows {
		if e.cancelled || e.doc.Transparency == "transparent" || invitation.Declined(e.doc, e.calendar) ||
			!e.starts.Before(e.ends) {
			continue
		}
		periods = append(periods, timespan.Span{
			From: timespan.Later(e.starts, w.From), To: timespan.Earlier(e.ends, w.To),
		})
	}
	return periods
}
