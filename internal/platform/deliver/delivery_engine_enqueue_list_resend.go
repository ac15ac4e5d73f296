package deliver

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver/hostlimit"
	"stoa.dev/stoa/internal/platform/deliver/receiver"
	"stoa.dev/stoa/internal/platform/deliver/tally"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/seal"
)

//go:embed migrations/*.sql
var files embed.FS

// Migrations create the delivery log.
func Migrations() database.Migrations { return database.Embedded("deliver", files) }

// Kinds of jobs, and the schedule of the second.
const (
	kindSend  = "deliver.send"
	kindClean = "deliver.clean"
)

const (
	// workers is how many calls a process makes at once.
	workers = 256
	// perOwner is how many of them one owner's messages make, perOwnerHost how many of these go to one host.
	perOwner     = workers / 8
	perOwnerHost = perOwner / 2
	// perHost is how many calls one host gets at once from all owners.
	perHost = workers / 4
	// maxWaiting is how many pending messages an owner may have, and maxWaitingThere for one host. One more is
	// recorded as failed at once: the change that it announces must not fail for its author.
	maxWaiting      = 40_000
	maxWaitingThere = 20_000
	// keep is how long finished deliveries stay in the log.
	keep = 30 * 24 * time.Hour
	// cleanBatch bounds one transaction of the cleaning.
	cleanBatch = 1000
)

// Errors of the log, for errors.Is.
var (
	ErrNotFound = errors.New("deliver: no such delivery")
	ErrPending  = errors.New("deliver: the delivery is still pending")
)

// Options are what an Engine is built on; all are needed.
type Options struct {
	DB     *database.DB
	Jobs   *jobs.Queue
	Clock  clock.Clock
	IDs    *ids.Source
	Seal   *seal.Box
	Client *Client
	// Fault says what happens to an attempt; nil lets all pass.
	Fault func(Delivery, Request) Fault
}

// Fault is what happens to an attempt to deliver a message. What is zero does not.
type Fault struct {
	// Drop loses the message on its way: the attempt fails and is repeated.
	Drop bool
	// Copies is how often it is sent in all.
	Copies int
	// Delay sends it later.
	Delay time.Duration
}

// Engine delivers messages. It is safe for concurrent use.
type Engine struct {
	db     *database.DB
	jobs   *jobs.Queue
	clock  clock.Clock
	ids    *ids.Source
	seal   *seal.Box
	client *Client
	fault  func(Delivery, Request) Fault
	hosts  *hostlimit.Limiter
	parts  waitingParts
	counts tally.Counter
	// maxWaiting and maxWaitingThere are the constants, unless a test lowers them.
	maxWaiting, maxWaitingThere int64
}

// Attempts counts those of this process.
func (e *Engine) Attempts() tally.Attempts { return e.counts.Read() }

// New makes an engine. Its Jobs are to be registered with the queue before anything is enqueued.
func New(o Options) *Engine {
	return &Engine{
		db: o.DB, jobs: o.Jobs, clock: o.Clock, ids: o.IDs, seal: o.Seal.For(tally.Purpose), client: o.Client, fault: o.Fault,
		hosts:      hostlimit.New(hostlimit.Limits{PerOwner: perOwnerHost, PerHost: perHost}),
		maxWaiting: maxWaiting, maxWaitingThere: maxWaitingThere,
	}
}

// sendPayload names the row; everything else is read when it is sent.
type sendPayload struct {
	ID string `json:"id"`
}

type cleanPayload struct{}

// Jobs are the engine's kinds of work.
func (e *Engine) Jobs() []jobs.Registration {
	return []jobs.Registration{
		jobs.Define(jobs.Kind[sendPayload]{
			Name: kindSend, About: "Sends one message to its address, and again after a failure.",
			Concurrency: workers, Timeout: 2 * totalTimeout, Run: e.send,
			PerOwner: jobs.Share{Running: perOwner},
			// The engine counts attempts itself.
			MaxAttempts: 1 << 30,
			// It sends bytes and reads none but a status: a message that was under
			// way whenever the process was killed must still arrive.
			Safe: true,
		}),
		jobs.Define(jobs.Kind[cleanPayload]{Name: kindClean, About: "Deletes what is kept of messages that were sent.",
			Safe: true, Run: e.clean}),
	}
}

// Start writes the engine's schedule. It runs after migrations, before the queue starts.
func (e *Engine) Start(ctx context.Context) error {
	return e.jobs.Schedule(ctx, jobs.Schedule{Name: kindClean, Spec: "@hourly", Kind: kindClean, Payload: cleanPayload{}})
}

// Enqueue writes a message in the transaction that caused it, and gives its delivery id.
func (e *Engine) Enqueue(ctx context.Context, tx *database.Tx, m Message) (string, error) {
	d, err := e.prepare(m)
	if err != nil {
		return "", err
	}
	return d.ID, e.enqueue(ctx, tx, []*prepared{d})
}

// EnqueueAll is Enqueue for many messages, which costs less than one call for each.
func (e *Engine) EnqueueAll(ctx context.Context, tx *database.Tx, messages []Message) error {
	all := make([]*prepared, 0, len(messages))
	for _, m := range messages {
		d, err := e.prepare(m)
		if err != nil {
			return err
		}
		all = append(all, d)
	}
	return e.enqueue(ctx, tx, all)
}

// prepared is a delivery that is not written yet.
type prepared struct {
	Delivery
	request stored
}

func (e *Engine) prepare(m Message) (*prepared, error) {
	m.Method = cmp.Or(m.Method, "POST")
	u, err := m.check(e.client)
	if err != nil {
		return nil, err
	}
	return &prepared{
		Delivery{
			ID: e.newID(), Service: m.Service, Channel: m.Channel, Owner: m.Owner, Address: shown(u), State: Pending,
			Created: e.clock.Now(), Deadline: m.Deadline,
		},
		stored{m.Method, u.String(), m.Header, m.Body},
	}, nil
}

func (e *Engine) newID() string { return ids.Stamp(e.clock.Now()) + e.ids.Hex(12) }

func (e *Engine) enqueue(ctx context.Context, tx *database.Tx, all []*prepared) error {
	if err := e.admit(ctx, tx, all); err != nil {
		return err
	}
	for _, d := range all {
		text, err := encodeStored(d.request)
		if err != nil {
			return err
		}
		if d.State == Pending {
			d.NextAttempt = d.Created
		}
		if err := insertDelivery(ctx, tx, d.Delivery, e.seal.Seal(text, []byte(d.ID))); err != nil {
			return err
		}
		tx.OnCommit(func() { journal.From(ctx).AddCause("delivery", d.ID) })
		if d.State == Failed {
			continue
		}
		job := jobs.Enqueue{Kind: kindSend, Payload: sendPayload{d.ID}, Owner: d.Owner, Key: lane(d.Channel)}
		if _, err := e.jobs.Enqueue(ctx, tx, job); err != nil {
			return fmt.Errorf("deliver: %w", err)
		}
		if err := e.hasten(ctx, tx, d.Channel); err != nil {
			return err
		}
	}
	return nil
}

// lane is the lane of a channel's jobs.
func lane(channel string) string {
	if channel == "" {
		return ""
	}
	return kindSend + " " + channel
}

// admit counts deliveries, and makes those fail whose owners have enough waiting.
func (e *Engine) admit(ctx context.Context, tx *database.Tx, all []*prepared) error {
	groups := map[waitingKey][]*prepared{}
	var order []waitingKey // as they come: callers keep one order of owners
	for _, d := range all {
		if d.Owner == "" {
			continue
		}
		key := waitingKey{d.Owner, receiver.Of(d.Address)}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], d)
	}
	for _, key := range order {
		if err := e.admitGroup(ctx, tx, key, groups[key]); err != nil {
			return err
		}
	}
	return nil
}

// admitGroup is admit for one owner and host.
func (e *Engine) admitGroup(ctx context.Context, tx *database.Tx, key waitingKey, group []*prepared) error {
	all, there, err := enter(ctx, tx, key, int64(len(group)))
	if err != nil {
		return err
	}
	beyond := min(max(there-e.maxWaitingThere, all-e.maxWaiting, 0), int64(len(group)))
	if beyond == 0 {
		return nil
	}
	all, there = all-beyond, there-beyond
	reason := fmt.Sprintf("the owner has %d messages waiting; %d are allowed", all, e.maxWaiting)
	if there >= e.maxWaitingThere {
		reason = fmt.Sprintf("the owner has %d messages waiting for %s; %d are allowed", there, key.host, e.maxWaitingThere)
	}
	for _, d := range group[len(group)-int(beyond):] {
		d.State, d.Finished, d.LastError = Failed, d.Created, reason
	}
	return addWaiting(ctx, tx, key, 0, -beyond)
}

// Cancel gives up everything a channel has not sent yet, and says how much that was. A call that is being made is
// not taken back.
func (e *Engine) Cancel(ctx context.Context, tx *database.Tx, channel string) (int64, error) {
	ended, err := cancelChannel(ctx, tx, channel, e.clock.Now())
	if err != nil {
		return 0, err
	}
	return int64(len(ended)), e.parts.leave(ctx, tx, ended...)
}

// Filter selects deliveries; a zero field selects all.
type Filter struct {
	State   State
	Service string
	Channel string
	// After is the id of the last delivery of the page before.
	After string
	// Limit is 100 when zero.
	Limit int
}

// Get gives one delivery, whatever its age.
func (e *Engine) Get(ctx context.Context, id string) (Delivery, error) {
	return delivery(ctx, e.db, id)
}

// ByID gives those of the deliveries that are on record, by their ids.
func (e *Engine) ByID(ctx context.Context, ids []string) (map[string]Delivery, error) {
	list, err := deliveriesByID(ctx, e.db, ids)
	out := make(map[string]Delivery, len(list))
	for _, d := range list {
		out[d.ID] = d
	}
	return out, err
}

// List gives deliveries, newest first.
func (e *Engine) List(ctx context.Context, f Filter) ([]Delivery, error) {
	f.Limit = cmp.Or(max(f.Limit, 0), 100)
	from := Delivery{Created: database.MaxTime()}
	if f.After != "" {
		var err error
		if from, err = delivery(ctx, e.db, f.After); err != nil {
			return nil, err
		}
	}
	return listDeliveries(ctx, e.db, f, from)
}

// Resend sends a finished delivery's message once more, as a new delivery at the end of its channel, and gives that
// one's id. The bytes are the same, so that a receiver knows the message again.
func (e *Engine) Resend(ctx context.Context, id string) (again string, err error) {
	err = e.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		again, err = e.ResendIn(ctx, tx, id, func(*Message) {})
		return err
	})
	return again, err
}

// ResendIn is Resend inside the caller's transaction. renew changes what has changed since the message was first sent:
// its address, its owner and what signs it.
func (e *Engine) ResendIn(ctx context.Context, tx *database.Tx, id string, renew func(*Message)) (string, error) {
	old, sealed, err := outgoing(ctx, tx, id)
	if err != nil {
		return "", err
	}
	if old.State == Pending {
		return "", fmt.Errorf("%w: %s", ErrPending, id)
	}
	s, err := e.unseal(id, sealed)
	if err != nil {
		return "", err
	}
	m := Message{old.Service, old.Channel, old.Owner, s.URL, s.Method, s.Header, s.Body, time.Time{}}
	renew(&m)
	d, err := e.prepare(m)
	if err != nil {
		return "", err
	}
	d.ResendOf = id
	return d.ID, e.enqueue(ctx, tx, []*prepared{d})
}

// unseal opens the sealed part of a row.
func (e *Engine) unseal(id string, sealed []byte) (stored, error) {
	text, err := e.seal.Open(sealed, []byte(id))
	if err != nil {
		return stored{}, fmt.Errorf("deliver: %s: %w", id, err)
	}
	var s stored
	if err := json.Unmarshal(text, &s); err != nil {
		return stored{}, fmt.Errorf("deliver: %s: %w", id, err)
	}
	return s, nil
}

// clean forgets deliveries that were finished long ago, and owners who have nothing waiting.
func (e *Engine) clean(ctx context.Context, _ jobs.Job, _ cleanPayload) error {
	before := e.clock.Now().Add(-keep)
	for {
		var n int64
		err := e.db.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
			n, err = deleteFinished(ctx, tx, before, cleanBatch)
			return err
		})
		if err != nil {
			return err
		}
		if n < cleanBatch {
			return e.db.Write(ctx, deleteIdle)
		}
	}
}

// ParseAddress checks the form of an address without any network. Worlds of a lab take plain HTTP to this machine too.
func (e *Engine) ParseAddress(raw string) (*url.URL, error) { return e.client.parse(raw) }

// CheckAddress connects to an address, verifies its certificate and sends nothing: the user who registers it can be
// told at once what is wrong with it.
func (e *Engine) CheckAddress(ctx context.Context, raw string) error {
	return e.client.CheckAddress(ctx, raw)
}
