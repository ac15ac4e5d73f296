package calendar

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/calendar/channel"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// eventsOf, aclOf, listOf and settingsOf name the four kinds of collections that
// can be watched.
func eventsOf(calendar string) string              { return "events " + calendar }
func aclOf(calendar string) string                 { return "acl " + calendar }
func listOf(user int64) string                     { return "list " + strconv.FormatInt(user, 10) }
func settingsOf(user int64) string                 { return "settings " + strconv.FormatInt(user, 10) }
func calendarPath(calendar string) string          { return "/calendars/" + url.PathEscape(calendar) }
func (s *Service) base(ctx context.Context) string { return s.world.URL(ctx) + pathBase }

// watchTarget is a collection that a user may watch: one of a calendar, which
// needs a role there, or one of their own.
type watchTarget struct {
	resource, path string
	calendar       string
	need           Role
}

// Watch makes a channel.
func (s *Service) Watch(ctx context.Context, u user, on watchTarget, in channel.Channel) (*channel.Channel, error) {
	now := s.now()
	request, err := s.channels.Check(ctx, in, now)
	if err != nil {
		return nil, err
	}
	out, err := s.addChannel(ctx, u, on, request, now)
	var refused *Error
	if errors.As(err, &refused) && refused.Code == refusal.CodeManyChannels {
		// This is a transaction of its own, so that what it marks stays marked
		// when the channel is refused again, and the next refusal costs nothing.
		ended, endErr := s.channels.EndExpired(ctx, u.id, now)
		if endErr != nil {
			return nil, endErr
		}
		if ended > 0 {
			out, err = s.addChannel(ctx, u, on, request, now)
		}
	}
	return out, err
}

// addChannel makes a channel and its sync message in one transaction. It checks
// the role again there: the receiver may have been asked for seconds.
func (s *Service) addChannel(
	ctx context.Context, u user, on watchTarget, request channel.Request, now time.Time,
) (out *channel.Channel, err error) {
	key := writeKey("channel " + on.resource)
	if on.calendar != "" {
		key = writeKey(on.calendar) // Rules of the calendar wait, too.
	}
	uri := s.base(ctx) + on.path + "?alt=json"
	err = s.world.DB.WriteKeyed(ctx, key, func(ctx context.Context, tx *database.Tx) error {
		if on.calendar != "" {
			if _, _, err := s.openCalendarIn(ctx, tx, u, on.calendar, on.need); err != nil {
				return err
			}
		}
		out, err = s.channels.Add(ctx, tx, u.channelClient(), on.resource, uri, request, now)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (u user) channelClient() channel.Client {
	if u.client != "" {
		return channel.Client{UserID: u.id, ClientID: u.client}
	}
	return channel.Client{UserID: u.id, KeyID: u.keyID}
}

// StopChannel ends a channel. A caller who may not is told that there is none.
func (s *Service) StopChannel(ctx context.Context, u user, in channel.Channel) error {
	if in.ID == "" {
		return refusal.Required("id")
	}
	if in.ResourceID == "" {
		return refusal.Required("resourceId")
	}
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		stopped, err := s.channels.Stop(ctx, tx, u.channelClient(), in.ID, in.ResourceID, s.now())
		if err == nil && !stopped {
			return channel.NotFound(in.ID, u.client)
		}
		return err
	})
}

// endWithoutAccess ends the channels of users who may see a calendar no longer.
func (s *Service) endWithoutAccess(ctx context.Context, tx *database.Tx, calendar string, now time.Time) error {
	for resource, need := range map[string]Role{eventsOf(calendar): RoleFreeBusy, aclOf(calendar): RoleWriter} {
		err := s.channels.EndUnless(ctx, tx, resource, now, func(id int64) (bool, error) {
			u, err := userByID(ctx, tx, id)
			if err != nil {
				return false, err
			}
			role, _, err := s.rules.RoleOf(ctx, tx, u.id, u.address, calendar)
			return role.Allows(need), err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
