package calendar

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/dialect"
)

// Limits of a channel request.
const (
	maxChannelID    = 64
	maxChannelToken = 256
	maxAddress      = 2048
	// maxChannels is how many channels one user may have.
	maxChannels = 10_000
	// maxChannelsKept is how many there may be with those that have ended and
	// whose ids are remembered.
	maxChannelsKept = 2 * maxChannels
)

// addressTime bounds how long a watch waits for the receiver's certificate.
const addressTime = 5 * time.Second

// State is what a message says about the watched collection.
type State string

// The states of the contract.
const (
	StateSync      State = "sync"
	StateExists    State = "exists"
	StateNotExists State = "not_exists"
)

// eventsOf, aclOf, listOf and settingsOfUser name the four kinds of
// collections that can be watched.
func eventsOf(calendar string) string     { return "events " + calendar }
func aclOf(calendar string) string        { return "acl " + calendar }
func listOf(user int64) string            { return "list " + strconv.FormatInt(user, 10) }
func settingsOfUser(user int64) string    { return "settings " + strconv.FormatInt(user, 10) }
func (s *Service) base() string           { return s.world.URL() + "/calendar/v3" }
func calendarPath(calendar string) string { return "/calendars/" + url.PathEscape(calendar) }

// resourceID is opaque, the same for every channel of a collection and for
// every version of the API.
func (s *Service) resourceID(resource string) string {
	mac := hmac.New(sha256.New, s.resources)
	mac.Write([]byte(resource))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:20])
}

// receiver is the sealed part of a channel.
type receiver struct {
	Address string `json:"address"`
	Token   string `json:"token,omitempty"`
}

// watched is a collection that somebody may watch: one of a calendar, which
// needs a role there, or one of their own.
type watched struct {
	resource, path string
	calendar       string
	need           Role
}

// WatchEvents makes a channel on the events of a calendar.
func (s *Service) WatchEvents(ctx context.Context, p person, calendar string, in channelJSON) (*channelJSON, error) {
	c, _, err := s.open(ctx, p, calendar, RoleFreeBusy)
	if err != nil {
		return nil, err
	}
	return s.watch(ctx, p, watched{eventsOf(c.id), calendarPath(c.id) + "/events", c.id, RoleFreeBusy}, in)
}

// WatchACL makes a channel on the access rules of a calendar.
func (s *Service) WatchACL(ctx context.Context, p person, calendar string, in channelJSON) (*channelJSON, error) {
	c, _, err := s.open(ctx, p, calendar, RoleWriter)
	if err != nil {
		return nil, err
	}
	return s.watch(ctx, p, watched{aclOf(c.id), calendarPath(c.id) + "/acl", c.id, RoleWriter}, in)
}

// WatchCalendarList makes a channel on the caller's list of calendars.
func (s *Service) WatchCalendarList(ctx context.Context, p person, in channelJSON) (*channelJSON, error) {
	return s.watch(ctx, p, watched{resource: listOf(p.id), path: "/users/me/calendarList"}, in)
}

// WatchSettings makes a channel on the caller's settings.
func (s *Service) WatchSettings(ctx context.Context, p person, in channelJSON) (*channelJSON, error) {
	return s.watch(ctx, p, watched{resource: settingsOfUser(p.id), path: "/users/me/settings"}, in)
}

// watch makes a channel.
func (s *Service) watch(ctx context.Context, p person, on watched, in channelJSON) (*channelJSON, error) {
	now := s.moment()
	expires, err := s.checkChannel(in, now)
	if err != nil {
		return nil, err
	}
	if err := s.checkAddress(ctx, in.Address); err != nil {
		return nil, err
	}
	c := channelRow{
		id: in.ID, resource: on.resource, uri: s.base() + on.path + "?alt=json", userID: p.id, clientID: p.client,
		number: 1, created: now, expires: expires,
		sealed: s.secrets.Seal(stored(receiver{in.Address, in.Token}), []byte(in.ID)),
	}
	err = s.addChannel(ctx, p, on, c)
	var refused *Error
	if errors.As(err, &refused) && refused.Code == CodeManyChannels {
		// This is a transaction of its own, so that what it marks stays marked
		// when the channel is refused again, and the next refusal costs nothing.
		ended, endErr := s.endExpired(ctx, p.id, now)
		if endErr != nil {
			return nil, endErr
		}
		if ended > 0 {
			err = s.addChannel(ctx, p, on, c)
		}
	}
	if err != nil {
		return nil, err
	}
	return s.channelToWire(c, in.Token), nil
}

// addChannel makes a channel and its sync message in one transaction. It looks
// again whether the caller may: the receiver may have been asked for seconds.
func (s *Service) addChannel(ctx context.Context, p person, on watched, c channelRow) error {
	key := writeKey("channel " + on.resource)
	if on.calendar != "" {
		key = writeKey(on.calendar) // Rules of the calendar wait, too.
	}
	return s.world.DB.WriteKeyed(ctx, key, func(ctx context.Context, tx *database.Tx) error {
		if on.calendar != "" {
			if _, _, err := s.openIn(ctx, tx, p, on.calendar, on.need); err != nil {
				return err
			}
		}
		n, err := countChannels(ctx, tx, on.resource, c.created)
		if err != nil {
			return err
		}
		if n >= s.config.ChannelsPerResource {
			return refuse(CodeManyChannels, "", "one collection is watched by %d channels at most", s.config.ChannelsPerResource)
		}
		if err := mayWatchMore(ctx, tx, p.id); err != nil {
			return err
		}
		if err := insertChannel(ctx, tx, c); err != nil {
			return err
		}
		return s.send(ctx, tx, StateSync, c)
	})
}

// endExpired marks a user's channels as ended that have expired, and says how many.
func (s *Service) endExpired(ctx context.Context, user int64, now time.Time) (ended int64, err error) {
	err = s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		ended, err = endExpiredChannels(ctx, tx, user, now)
		return err
	})
	return ended, err
}

// mayWatchMore counts a channel, and refuses it beyond those that a user may have.
func mayWatchMore(ctx context.Context, tx *database.Tx, user int64) error {
	n, err := addRows(ctx, tx, user, rowCount{channels: 1, unended: 1})
	switch {
	case err != nil:
		return err
	case n.unended > maxChannels:
		return refuse(CodeManyChannels, "", "one user has %d channels at most", maxChannels)
	case n.channels > maxChannelsKept:
		return refuse(CodeManyChannels, "", "one user makes %d channels at most in the time that ended ones are remembered", maxChannelsKept)
	}
	return nil
}

// checkChannel holds the rules for a request and gives the channel's end.
func (s *Service) checkChannel(in channelJSON, now time.Time) (time.Time, error) {
	for _, member := range [][2]string{{"id", in.ID}, {"type", in.Type}, {"address", in.Address}} {
		if member[1] == "" {
			return time.Time{}, errRequired(member[0])
		}
	}
	switch {
	case utf8.RuneCountInString(in.ID) > maxChannelID || !printable(in.ID):
		return time.Time{}, errInvalid("id", "a channel id has at most %d characters, all of them visible", maxChannelID)
	case in.Type != "web_hook" && in.Type != "webhook":
		return time.Time{}, refuse(CodeChannelType, "type", "Channel type %s is not supported; use web_hook", clip(in.Type))
	case utf8.RuneCountInString(in.Token) > maxChannelToken || !printable(in.Token):
		return time.Time{}, errInvalid("token", "a channel token has at most %d characters, all of them visible", maxChannelToken)
	case len(in.Address) > maxAddress:
		return time.Time{}, errInvalid("address", "an address has at most %d characters", maxAddress)
	}
	return s.expiry(in, now)
}

// printable reports whether text can stand in a header as it is.
func printable(text string) bool {
	for _, c := range text {
		if c < ' ' || c == 0x7f || c == utf8.RuneError {
			return false
		}
	}
	return true
}

// expiry is the earliest of what was asked for and the configured life.
func (s *Service) expiry(in channelJSON, now time.Time) (time.Time, error) {
	var expires time.Time
	sooner := func(t time.Time) {
		if expires.IsZero() || t.Before(expires) {
			expires = t
		}
	}
	if s.config.ChannelLifetime > 0 {
		sooner(now.Add(s.config.ChannelLifetime))
	}
	if in.Expiration != "" {
		asked := earlier(in.Expiration.time(), farFuture())
		if !asked.After(now) {
			return expires, refuse(CodeChannelTTL, "expiration", "Invalid ttl value for channel %d", int64(asked.Sub(now).Seconds()))
		}
		sooner(asked)
	}
	if ttl := in.Params["ttl"]; ttl != "" {
		seconds, err := strconv.ParseInt(ttl, 10, 64)
		if err != nil || seconds <= 0 {
			return expires, refuse(CodeChannelTTL, "params.ttl", "Invalid ttl value for channel %s", clip(ttl))
		}
		// Beyond a hundred years, which still fit a duration, nobody counts.
		sooner(now.Add(time.Duration(min(seconds, 100*366*24*60*60)) * time.Second))
	}
	return expires, nil
}

// checkAddress looks at the address and, if somebody answers there, at the
// certificate. A receiver that is away is no reason to refuse: its certificate
// is looked at again by every delivery.
func (s *Service) checkAddress(ctx context.Context, address string) error {
	bounded, cancel := context.WithTimeout(ctx, addressTime)
	defer cancel()
	err := s.world.Deliver.CheckAddress(bounded, address)
	switch {
	case err == nil, errors.Is(err, deliver.ErrConnection):
		return ctx.Err()
	case errors.Is(err, deliver.ErrNotHTTPS):
		return refuse(CodeNotHTTPS, "address", "WebHook callback must be HTTPS: %s", clip(address))
	case errors.Is(err, deliver.ErrMalformed):
		return refuse(CodeNoHost, "address", "WebHook callback has no usable host: %s", clip(address))
	case errors.Is(err, deliver.ErrForbidden):
		return refuse(CodeAddress, "address", "Unauthorized WebHook callback channel: %s", clip(address))
	case errors.Is(err, deliver.ErrCertificate):
		return refuse(CodeCertificate, "address", "the certificate of the WebHook callback is not valid: %s", clip(address))
	}
	return err
}

// StopChannel ends a channel. Whoever may not is told that there is none.
func (s *Service) StopChannel(ctx context.Context, p person, in channelJSON) error {
	if in.ID == "" {
		return errRequired("id")
	}
	if in.ResourceID == "" {
		return errRequired("resourceId")
	}
	now := s.moment()
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		c, found, err := liveChannel(ctx, tx, in.ID, now)
		if err != nil {
			return err
		}
		if !found || s.resourceID(c.resource) != in.ResourceID || !c.stoppableBy(p) {
			return refuse(CodeNotFound, "", "Channel '%s' not found for project '%s'", clip(in.ID), clip(p.client))
		}
		return s.end(ctx, tx, c.id, now)
	})
}

// stoppableBy holds the rule of the contract: users of the client that made
// the channel. Tokens made by hand have no client; their user stands for it.
func (c channelRow) stoppableBy(p person) bool {
	if c.clientID == "" {
		return p.client == "" && p.id == c.userID
	}
	return c.clientID == p.client
}

// end stops a channel and gives up what it has not sent.
func (s *Service) end(ctx context.Context, tx *database.Tx, id string, now time.Time) error {
	if err := endChannel(ctx, tx, id, now); err != nil {
		return err
	}
	_, err := s.world.Deliver.Cancel(ctx, tx, lane(id))
	return err
}

// lane keeps the messages of a channel in their order.
func lane(id string) string { return Name + "/" + id }

// announce tells every channel of a collection that it changed.
func (s *Service) announce(ctx context.Context, tx *database.Tx, resource string, now time.Time) error {
	channels, err := nextMessages(ctx, tx, resource, now)
	if err != nil {
		return err
	}
	return s.send(ctx, tx, StateExists, channels...)
}

// vanish tells the channels of a calendar that it is gone, and ends them. The
// last message is still delivered.
func (s *Service) vanish(ctx context.Context, tx *database.Tx, calendar string, now time.Time) error {
	for _, resource := range []string{eventsOf(calendar), aclOf(calendar)} {
		channels, err := nextMessages(ctx, tx, resource, now)
		if err != nil {
			return err
		}
		if err := s.send(ctx, tx, StateNotExists, channels...); err != nil {
			return err
		}
		for _, c := range channels {
			if err := endChannel(ctx, tx, c.id, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// endLost ends the channels of people who may see a calendar no longer.
func (s *Service) endLost(ctx context.Context, tx *database.Tx, calendar string, now time.Time) error {
	for resource, need := range map[string]Role{eventsOf(calendar): RoleFreeBusy, aclOf(calendar): RoleWriter} {
		channels, err := liveChannels(ctx, tx, resource, now)
		if err != nil {
			return err
		}
		for _, c := range channels {
			p, err := personByID(ctx, tx, c.userID)
			if err != nil {
				return err
			}
			role, _, err := s.roleOf(ctx, tx, p, calendar)
			if err != nil {
				return err
			}
			if role.allows(need) {
				continue
			}
			if err := s.end(ctx, tx, c.id, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// expiryForm is how people read the end of a channel (RFC 9110, 5.6.7).
const expiryForm = "Mon, 02 Jan 2006 15:04:05 GMT"

// send enqueues one message to each channel, in the transaction of what it tells.
func (s *Service) send(ctx context.Context, tx *database.Tx, state State, channels ...channelRow) error {
	messages := make([]deliver.Message, 0, len(channels))
	for _, c := range channels {
		m, err := s.message(c, state)
		if err != nil {
			return err
		}
		messages = append(messages, m)
	}
	return s.world.Deliver.EnqueueAll(ctx, tx, messages)
}

func (s *Service) message(c channelRow, state State) (deliver.Message, error) {
	plain, err := s.secrets.Open(c.sealed, []byte(c.id))
	if err != nil {
		return deliver.Message{}, fmt.Errorf("open the address of channel %s: %w", c.id, err)
	}
	var to receiver
	if err := json.Unmarshal(plain, &to); err != nil {
		return deliver.Message{}, fmt.Errorf("read the address of channel %s: %w", c.id, err)
	}
	says := s.world.Dialect.Says
	header := map[string]string{
		"User-Agent":                says(dialect.NotificationAgent),
		"Content-Type":              "application/json; utf-8",
		says(dialect.ChannelID):     c.id,
		says(dialect.MessageNumber): strconv.FormatInt(c.number, 10),
		says(dialect.ResourceID):    s.resourceID(c.resource),
		says(dialect.ResourceState): string(state),
		says(dialect.ResourceURI):   c.uri,
	}
	if to.Token != "" {
		header[says(dialect.ChannelToken)] = to.Token
	}
	if !c.expires.IsZero() {
		header[says(dialect.ChannelExpiration)] = c.expires.UTC().Format(expiryForm)
	}
	return deliver.Message{
		Service: Name, Channel: lane(c.id), Owner: strconv.FormatInt(c.userID, 10), URL: to.Address, Header: header,
		Deadline: c.expires,
	}, nil
}
