package channel

import (
	"context"
	"errors"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/dialect"
)

// state is what a message says about the watched collection.
type state string

const (
	stateSync      state = "sync"
	stateExists    state = "exists"
	stateNotExists state = "not_exists"
)

// Changed tells every channel of a collection that it changed.
func (k *Channels) Changed(ctx context.Context, tx *database.Tx, resource string, now time.Time) error {
	channels, err := k.nextMessages(ctx, tx, resource, now)
	if err != nil {
		return err
	}
	return k.send(ctx, tx, stateExists, channels...)
}

// nextMessages gives every live channel of a collection its next number. Those of clients that their user has taken the
// consent from, and of tokens made by hand that were revoked, end. Those of a disabled user are told nothing until the
// user is enabled: the next message then tells of all that changed.
func (k *Channels) nextMessages(
	ctx context.Context, tx *database.Tx, resource string, now time.Time,
) (told []row, err error) {
	all, err := nextMessages(ctx, tx, resource, now)
	if err != nil {
		return nil, err
	}
	answers := map[Client]error{}
	for _, c := range all {
		by := Client{c.userID, c.clientID, c.keyID}
		if _, known := answers[by]; !known {
			answers[by] = k.config.MayGoOn(ctx, tx, by, now)
		}
		switch err := answers[by]; {
		case err == nil:
			told = append(told, c)
		case errors.Is(err, identity.ErrRevoked):
			if err := k.end(ctx, tx, c.id, now); err != nil {
				return nil, err
			}
		case !errors.Is(err, identity.ErrDisabled):
			return nil, err
		}
	}
	return told, nil
}

// Deleted tells the channels of a collection that it is gone, and ends them. The
// last message is still delivered.
func (k *Channels) Deleted(ctx context.Context, tx *database.Tx, resource string, now time.Time) error {
	told, err := k.nextMessages(ctx, tx, resource, now)
	if err != nil {
		return err
	}
	if err := k.send(ctx, tx, stateNotExists, told...); err != nil {
		return err
	}
	all, err := liveChannels(ctx, tx, resource, now)
	if err != nil {
		return err
	}
	for _, c := range all {
		if err := endChannel(ctx, tx, c.id, now); err != nil {
			return err
		}
	}
	return nil
}

// EndUnless ends the channels of a collection whose users may not watch it.
func (k *Channels) EndUnless(
	ctx context.Context, tx *database.Tx, resource string, now time.Time, may func(user int64) (bool, error),
) error {
	channels, err := liveChannels(ctx, tx, resource, now)
	if err != nil {
		return err
	}
	for _, c := range channels {
		if ok, err := may(c.userID); err != nil {
			return err
		} else if ok {
			continue
		}
		if err := k.end(ctx, tx, c.id, now); err != nil {
			return err
		}
	}
	return nil
}

// expiryForm is how a header writes the end of a channel (RFC 9110, 5.6.7).
const expiryForm = "Mon, 02 Jan 2006 15:04:05 GMT"

// send enqueues one message to each channel, in the transaction of what it tells.
func (k *Channels) send(ctx context.Context, tx *database.Tx, says state, channels ...row) error {
	messages := make([]deliver.Message, 0, len(channels))
	for _, c := range channels {
		m, err := k.message(c, says)
		if err != nil {
			return err
		}
		messages = append(messages, m)
	}
	return k.world.Deliver.EnqueueAll(ctx, tx, messages)
}

func (k *Channels) message(c row, says state) (deliver.Message, error) {
	to, err := k.receiver(c)
	if err != nil {
		return deliver.Message{}, err
	}
	word := k.world.Dialect.Says
	header := map[string]string{
		"User-Agent":                word(dialect.NotificationAgent),
		"Content-Type":              "application/json; utf-8",
		word(dialect.ChannelID):     c.id,
		word(dialect.MessageNumber): strconv.FormatInt(c.number, 10),
		word(dialect.ResourceID):    k.resourceID(c.resource),
		word(dialect.ResourceState): string(says),
		word(dialect.ResourceURI):   c.uri,
	}
	if to.Token != "" {
		header[word(dialect.ChannelToken)] = to.Token
	}
	if !c.expires.IsZero() {
		header[word(dialect.ChannelExpiration)] = c.expires.UTC().Format(expiryForm)
	}
	return deliver.Message{
		Service: k.config.Service, Channel: k.lane(c.id), Owner: strconv.FormatInt(c.userID, 10),
		URL: to.Address, Header: header, Deadline: c.expires,
	}, nil
}
