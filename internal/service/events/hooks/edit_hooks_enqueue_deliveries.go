package hooks

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/seal"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// Hooks are those of all repositories and organizations.
type Hooks struct {
	host    operation.Host
	world   *world.World
	secrets *seal.Box
}

// New makes the hooks of a host.
func New(w *world.World, host operation.Host) *Hooks {
	k := &Hooks{host: host, world: w}
	if w.Seal != nil {
		k.secrets = w.Seal.For(purpose)
	}
	return k
}

// Occurrence is an event that hooks are told.
type Occurrence struct {
	Type       string
	Repository forge.Repository
	Actor      forge.Actor
	// Payload makes what the feed shows of it, with links that begin with base.
	Payload func(base string) (json.RawMessage, error)
}

// Tell enqueues an event for every hook that subscribes to it, in its transaction.
func (k *Hooks) Tell(ctx context.Context, tx *database.Tx, o Occurrence) error {
	word := words()[o.Type]
	list, err := k.hooksOf(ctx, tx, ofRepository(o.Repository))
	if err != nil {
		return err
	}
	if o.Repository.Owner.Kind == forge.OwnerOrg {
		more, err := k.hooksOf(ctx, tx, ofOrganization(o.Repository.Owner.ID))
		if err != nil {
			return err
		}
		list = append(list, more...)
	}
	var body []byte
	var action string
	for _, h := range list {
		if !h.takes(word) {
			continue
		}
		if body == nil {
			if body, action, err = k.body(ctx, o); err != nil {
				return err
			}
		}
		if err := k.send(ctx, tx, h, delivery{Word: word, Action: action, RepoID: o.Repository.ID}, body); err != nil {
			return err
		}
	}
	return nil
}

// send enqueues one message. What is too long to be sent is recorded with the reason:
// the change that it announces must not fail.
func (k *Hooks) send(ctx context.Context, tx *database.Tx, h Hook, d delivery, body []byte) error {
	d.HookID, d.GUID, d.At = h.ID, k.world.IDs.UUID(), k.host.Now()
	contentType := "application/json"
	if h.Form {
		contentType = "application/x-www-form-urlencoded"
		body = []byte(url.Values{"payload": {string(body)}}.Encode())
	}
	if len(body) > maxMessage {
		d.Problem = "the payload is too long to be sent"
		return insertDelivery(ctx, tx, d)
	}
	say := k.world.Dialect.Says
	header := map[string]string{
		"Content-Type": contentType, "User-Agent": say(dialect.HookAgent) + strconv.FormatInt(h.ID, 10),
		say(dialect.HookEvent): d.Word, say(dialect.HookDelivery): d.GUID,
		say(dialect.HookID):         strconv.FormatInt(h.ID, 10),
		say(dialect.HookTargetType): h.Owner.Kind, say(dialect.HookTargetID): strconv.FormatInt(h.Owner.ID, 10),
	}
	h.sign(header, body)
	var err error
	d.Message, err = k.world.Deliver.Enqueue(ctx, tx, deliver.Message{
		Service: "events", Channel: lane(h.ID), Owner: strconv.FormatInt(h.CreatedBy, 10), URL: h.Address,
		Header: header, Body: body, Deadline: d.At.Add(patience),
	})
	if err != nil {
		return err
	}
	return insertDelivery(ctx, tx, d)
}

// signature is the header of a message that its receiver compares.
const signature = "X-Hub-Signature-256"

// sign gives a message the signature of the hook's secret; without one it has none.
func (h Hook) sign(header map[string]string, body []byte) {
	delete(header, signature)
	if h.Secret != "" {
		header[signature] = Signature(h.Secret, body)
	}
}

// Signature is what a receiver compares: the body under the secret.
func Signature(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body) // cannot fail
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// lane keeps the messages of a hook in their order.
func lane(id int64) string { return "events/hook/" + strconv.FormatInt(id, 10) }

// create adds a hook and pings it.
func (k *Hooks) create(ctx context.Context, h Hook, pingBody func(Hook) ([]byte, error)) (Hook, error) {
	if err := k.checkHook(h); err != nil {
		return h, err
	}
	h.CreatedAt = k.host.Now()
	h.UpdatedAt = h.CreatedAt
	err := k.write(ctx, h.Owner, func(ctx context.Context, tx *database.Tx) error {
		have, err := k.hooksOf(ctx, tx, h.Owner)
		if err != nil {
			return err
		}
		if len(have) >= maxHooks {
			return refusal.Invalid("hooks", "there may be at most %d hooks", maxHooks)
		}
		if err := k.insert(ctx, tx, &h); err != nil || !h.Active {
			return err
		}
		body, err := pingBody(h)
		if err != nil {
			return err
		}
		return k.send(ctx, tx, h, delivery{Word: ping}, body)
	})
	return h, err
}

// write runs a change of the hooks of an owner, one at a time. Nothing is written for a repository that was deleted
// since it was found.
func (k *Hooks) write(ctx context.Context, o owner, fn database.TxFunc) error {
	key := "events/hooks/" + o.Kind
	if o.Kind == repository {
		return k.host.WriteBeside(ctx, key, &operation.Subject{Repo: forge.Repository{ID: o.ID}}, fn)
	}
	return k.host.DB.WriteKeyed(ctx, key+"/"+strconv.FormatInt(o.ID, 10), fn)
}

// checkHook checks the members and the form of the address. Whether the server may call
// it is looked at by every delivery.
func (k *Hooks) checkHook(h Hook) error {
	if err := h.check(); err != nil {
		return err
	}
	if _, err := k.world.Deliver.ParseAddress(h.Address); err != nil {
		return refusal.Invalid("url", "url must be an https address with a host")
	}
	return nil
}

// edit changes a hook in the name of a user. An address that was taken away is told nothing more, and neither is that
// of a hook that was turned off: what waits to be sent is given up.
func (k *Hooks) edit(ctx context.Context, o owner, id, by int64, change func(*Hook) error) (h Hook, err error) {
	err = k.write(ctx, o, func(ctx context.Context, tx *database.Tx) error {
		if h, err = k.hookByID(ctx, tx, o, id); err != nil {
			return found(err)
		}
		before := h
		if err := change(&h); err != nil {
			return err
		}
		if err := k.checkHook(h); err != nil {
			return err
		}
		moved := h.Address != before.Address
		if moved {
			h.CreatedBy = by // who registers an address answers for what is sent to it
		}
		if moved || !h.Active {
			if _, err := k.world.Deliver.Cancel(ctx, tx, lane(id)); err != nil {
				return err
			}
		}
		h.UpdatedAt = k.host.Now()
		return k.update(ctx, tx, h)
	})
	return h, err
}

// remove deletes a hook and gives up what it has not sent.
func (k *Hooks) remove(ctx context.Context, o owner, id int64) error {
	return k.write(ctx, o, func(ctx context.Context, tx *database.Tx) error {
		if _, err := k.hookByID(ctx, tx, o, id); err != nil {
			return found(err)
		}
		if _, err := k.world.Deliver.Cancel(ctx, tx, lane(id)); err != nil {
			return err
		}
		return deleteHook(ctx, tx, id)
	})
}

func found(err error) error {
	if errors.Is(err, database.ErrNotFound) || errors.Is(err, deliver.ErrNotFound) {
		return refusal.NotFound()
	}
	return err
}

// redeliver sends the bytes of a message once more, to where the hook points now and signed with its secret of now: an
// address that was taken away is told nothing more.
func (k *Hooks) redeliver(ctx context.Context, o owner, hookID, id int64) error {
	err := k.write(ctx, o, func(ctx context.Context, tx *database.Tx) error {
		h, err := k.hookByID(ctx, tx, o, hookID)
		if err != nil {
			return err
		}
		d, err := deliveryByID(ctx, tx, h.ID, id)
		if err != nil {
			return err
		}
		if d.Message == "" {
			return refusal.Invalid("delivery", "%s", d.Problem)
		}
		if d.Message, err = k.world.Deliver.ResendIn(ctx, tx, d.Message, func(m *deliver.Message) {
			m.URL, m.Owner = h.Address, strconv.FormatInt(h.CreatedBy, 10)
			h.sign(m.Header, m.Body)
		}); err != nil {
			return err
		}
		d.Again, d.At = true, k.host.Now()
		return insertDelivery(ctx, tx, d)
	})
	if errors.Is(err, deliver.ErrPending) {
		return refusal.Conflict("The delivery is still being tried.")
	}
	return found(err)
}

// sendPing enqueues a ping, to where the hook points now.
func (k *Hooks) sendPing(ctx context.Context, o owner, id int64, pingBody func(Hook) ([]byte, error)) error {
	return k.write(ctx, o, func(ctx context.Context, tx *database.Tx) error {
		h, err := k.hookByID(ctx, tx, o, id)
		if err != nil {
			return found(err)
		}
		body, err := pingBody(h)
		if err != nil {
			return err
		}
		return k.send(ctx, tx, h, delivery{Word: ping}, body)
	})
}
