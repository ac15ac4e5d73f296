package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/locks"
	"stoa.dev/stoa/internal/platform/jobs/store"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/limit"
)

// Enqueue is a job to be written.
type Enqueue struct {
	// Kind is a registered kind's name.
	Kind string
	// Payload is of the kind's payload type and is written as JSON.
	Payload any
	// At is the earliest time to run; zero means now.
	At time.Time
	// Dedupe, when not empty, makes this the only waiting job of its kind
	// with that word: if one waits already, its id is returned instead, and if
	// it has not failed yet it runs at the earlier of the two times.
	Dedupe string
	// Key, when not empty, is a lane: its jobs run one at a time, in the order
	// they were enqueued, whatever their times; a job that waits for its time
	// or for a retry holds its own lane up and no other.
	Key string
	// Owner is whose work this is: the key of the user, project or application
	// that pays for it, the same for all its work of the kind. Kinds with a
	// PerOwner share choose by it; their jobs without one belong to the system.
	Owner string
	// Follows says that a running job of this kind and owner enqueues what comes after it:
	// the job takes the place of that one and is not refused, however many wait.
	Follows bool
}

// maxPayload keeps what belongs in a blob out of the queue.
const maxPayload = 1 << 20

// Enqueue writes a job in tx and wakes the workers once tx has committed.
func (q *Queue) Enqueue(ctx context.Context, tx *database.Tx, e Enqueue) (id string, err error) {
	k, err := q.kind(e.Kind)
	if err != nil {
		return "", err
	}
	if !k.accepts(e.Payload) {
		return "", fmt.Errorf("jobs: enqueue %s: payload has type %T, which is not the kind's", e.Kind, e.Payload)
	}
	payload, err := json.Marshal(e.Payload)
	if err != nil {
		return "", fmt.Errorf("jobs: enqueue %s: %w", e.Kind, err)
	}
	return q.enqueue(ctx, tx, k, e, payload)
}

func (q *Queue) enqueue(
	ctx context.Context, tx *database.Tx, k *Registration, e Enqueue, payload []byte,
) (string, error) {
	if len(payload) > maxPayload {
		return "", fmt.Errorf("jobs: enqueue %s: payload of %d bytes, at most %d are allowed; keep it in a blob",
			e.Kind, len(payload), maxPayload)
	}
	now := q.clock.Now()
	if e.At.IsZero() {
		e.At = now
	}
	if k.Share.Bounds() {
		if err := admit(ctx, tx, k, &e); err != nil {
			return "", err
		}
	}
	row, err := store.Insert(ctx, tx, store.NewJob{
		Kind: k.Kind.Kind, Payload: payload, Key: e.Key, Dedupe: e.Dedupe, Owner: e.Owner, At: e.At,
	}, now)
	if err != nil {
		return "", err
	}
	tx.OnCommit(func() {
		q.wake(e.Kind, row)
		journal.From(ctx).AddCause(e.Kind, row.ID)
	})
	return row.ID, nil
}

// fullPause is when an owner with too much waiting work is told to come back.
const fullPause = time.Minute

// admit refuses a job of an owner who has enough of the kind. Transactions that
// run at the same time take turns, so that the bound is exact.
func admit(ctx context.Context, tx *database.Tx, k *Registration, e *Enqueue) error {
	if e.Owner == "" {
		e.Owner = store.SystemOwner
		return nil
	}
	if k.Share.Waiting <= 0 || e.Follows {
		return nil
	}
	if err := locks.Owner(ctx, tx, e.Kind, e.Owner); err != nil {
		return err
	}
	n, err := store.CountOwned(ctx, tx, e.Kind, e.Owner, k.Share.Waiting)
	if err != nil || n < k.Share.Waiting {
		return err
	}
	if e.Dedupe != "" {
		if waits, err := store.HasDuplicate(ctx, tx, e.Kind, e.Dedupe); waits || err != nil {
			return err
		}
	}
	return &limit.Exceeded{Decision: limit.Decision{
		Name: e.Kind, Limit: int64(k.Share.Waiting), Used: int64(n), RetryAfter: fullPause,
	}}
}

// wake tells the dispatcher, and who walks, about a job that was written.
func (q *Queue) wake(kind string, row store.Inserted) {
	if row.Ready || row.Fresh { // others wait for a job that does
		q.arrivals.Note(row.ClaimAt)
	}
	d := q.dispatcher()
	switch {
	case d == nil:
	case row.Fresh:
		d.ExpectFresh()
	case row.Ready:
		d.Expect(kind, row.ClaimAt)
	}
}
