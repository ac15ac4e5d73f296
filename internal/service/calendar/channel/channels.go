package channel

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/seal"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

const (
	// maxChannels is how many channels one user may have.
	maxChannels = 10_000
	// maxChannelsKept is how many there may be with those that have ended and
	// whose ids are remembered.
	maxChannelsKept = 2 * maxChannels
)

// Config is what channels may be.
type Config struct {
	// Service is the name that messages are delivered under.
	Service string
	// Lifetime is how long a channel lives at most; 0 lets channels live for ever.
	Lifetime time.Duration
	// PerResource is how many channels may watch one collection.
	PerResource int64
	// MayGoOn is nil while a channel is told of changes: identity.ErrDisabled for one whose user is disabled,
	// identity.ErrRevoked for one whose client or token may not act for the user any more.
	MayGoOn func(ctx context.Context, q database.Querier, by Client, now time.Time) error
}

// Channels makes and ends channels and sends their messages.
type Channels struct {
	world  *world.World
	config Config
	// secrets seals addresses and tokens; resources is the key behind opaque
	// resource ids.
	secrets   *seal.Box
	resources []byte
}

// New makes Channels.
func New(w *world.World, c Config) *Channels {
	k := &Channels{world: w, config: c}
	if w.Seal != nil {
		k.secrets, k.resources = w.Seal.For(c.Service), w.Seal.Derive(c.Service+".resources")
	}
	return k
}

// Client is whose channel it is: a user, and the client that acts for them, or the
// token that was made by hand.
type Client struct {
	UserID   int64
	ClientID string
	KeyID    int64
}

// resourceID is opaque, the same for every channel of a collection and for
// every version of the API.
func (k *Channels) resourceID(resource string) string {
	mac := hmac.New(sha256.New, k.resources)
	mac.Write([]byte(resource))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:20])
}

// receiver is the sealed part of a channel.
type receiver struct {
	Address string `json:"address"`
	Token   string `json:"token,omitempty"`
}

// Add makes a channel on a collection and its sync message.
func (k *Channels) Add(
	ctx context.Context, tx *database.Tx, by Client, resource, uri string, r Request, now time.Time,
) (*Channel, error) {
	n, err := countChannels(ctx, tx, resource, now)
	if err != nil {
		return nil, err
	}
	if n >= k.config.PerResource {
		return nil, errTooMany("one collection is watched by %d channels at most", k.config.PerResource)
	}
	if err := countChannel(ctx, tx, by.UserID); err != nil {
		return nil, err
	}
	text, err := json.Marshal(receiver{r.in.Address, r.in.Token})
	if err != nil {
		return nil, err
	}
	c := row{
		id: r.in.ID, resource: resource, uri: uri, userID: by.UserID, clientID: by.ClientID, keyID: by.KeyID,
		number: 1, created: now, expires: r.expires, sealed: k.secrets.Seal(text, []byte(r.in.ID)),
	}
	if err := insertChannel(ctx, tx, c); err != nil {
		return nil, err
	}
	return k.toWire(c, r.in.Token), k.send(ctx, tx, stateSync, c)
}

// EndExpired marks a user's channels as ended that have expired, in a transaction
// of its own, and says how many.
func (k *Channels) EndExpired(ctx context.Context, user int64, now time.Time) (ended int64, err error) {
	err = k.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		ended, err = endExpired(ctx, tx, user, now)
		return err
	})
	return ended, err
}

// countChannel counts a channel, and refuses it beyond those that a user may have.
func countChannel(ctx context.Context, tx *database.Tx, user int64) error {
	n, err := countRows(ctx, tx, user, counts{channels: 1, unended: 1})
	switch {
	case err != nil:
		return err
	case n.unended > maxChannels:
		return errTooMany("one user has %d channels at most", maxChannels)
	case n.channels > maxChannelsKept:
		return errTooMany("one user makes %d channels at most in the time that ended ones are remembered",
			maxChannelsKept)
	}
	return nil
}

// NotFound refuses to stop a channel that a client has not. A token made by hand is no client's.
func NotFound(id, client string) *refusal.Error {
	if client == "" {
		return refusal.New(refusal.CodeNotFound, "", "Channel '%s' not found", refusal.Clip(id))
	}
	return refusal.New(refusal.CodeNotFound, "", "Channel '%s' not found for project '%s'", refusal.Clip(id),
		refusal.Clip(client))
}

func errTooMany(format string, args ...any) error {
	return refusal.New(refusal.CodeManyChannels, "", format, args...)
}

// Stop ends a live channel of a client, and reports whether there is one: users
// of the client that made the channel stop it. Tokens made by hand have no client;
// their user stands for it.
func (k *Channels) Stop(
	ctx context.Context, tx *database.Tx, by Client, id, resourceID string, now time.Time,
) (bool, error) {
	c, found, err := liveChannel(ctx, tx, id, now)
	if err != nil || !found || k.resourceID(c.resource) != resourceID || c.clientID != by.ClientID {
		return false, err
	}
	if c.clientID == "" && c.userID != by.UserID {
		return false, nil
	}
	return true, k.end(ctx, tx, c.id, now)
}

// end stops a channel and gives up what it has not sent.
func (k *Channels) end(ctx context.Context, tx *database.Tx, id string, now time.Time) error {
	if err := endChannel(ctx, tx, id, now); err != nil {
		return err
	}
	_, err := k.world.Deliver.Cancel(ctx, tx, k.lane(id))
	return err
}

// lane keeps the messages of a channel in their order.
func (k *Channels) lane(id string) string { return k.config.Service + "/" + id }
