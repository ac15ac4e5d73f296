package deliver

import (
	"context"
	"sync/atomic"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver/receiver"
)

// The numbers of waiting messages are kept per owner and host, and, under an empty host, per owner. On PostgreSQL each
// is the sum of several rows: what is enqueued is added to part 0, so that transactions that enqueue for one owner take
// turns and the bound is exact; what has ended is taken off the others in turn, so that the calls of one owner, which
// end at the same time, do not wait for each other. SQLite has one writer and uses part 0 only.
const endedParts = perOwner

// waitingParts says which part is next.
type waitingParts struct{ last atomic.Uint32 }

func (p *waitingParts) next(e database.Engine) int64 {
	if e == database.SQLite {
		return 0
	}
	return 1 + int64(p.last.Add(1)%endedParts)
}

// waitingKey is an owner's messages for a host.
type waitingKey struct{ owner, host string }

// addWaiting counts n more messages, or fewer if n is negative.
func addWaiting(ctx context.Context, tx *database.Tx, key waitingKey, part, n int64) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO deliver_waiting AS w (owner, host, part, n) VALUES ($1, $2, $3, $4), ($1, '', $3, $4)
		ON CONFLICT (owner, host, part) DO UPDATE SET n = w.n + excluded.n`, key.owner, key.host, part, n)
	return err
}

// enter counts n more messages and gives how many the owner has waiting with them, in all and for the host.
func enter(ctx context.Context, tx *database.Tx, key waitingKey, n int64) (all, there int64, err error) {
	if err := addWaiting(ctx, tx, key, 0, n); err != nil {
		return 0, 0, err
	}
	err = tx.QueryRow(ctx, `
		SELECT CAST(SUM(CASE WHEN host = '' THEN n ELSE 0 END) AS BIGINT), CAST(SUM(CASE WHEN host = '' THEN 0 ELSE n END) AS BIGINT)
		FROM deliver_waiting WHERE owner = $1 AND host IN ('', $2)`, key.owner, key.host).Scan(&all, &there)
	return all, there, err
}

// leave counts deliveries off that wait no longer.
func (p *waitingParts) leave(ctx context.Context, tx *database.Tx, ended ...Delivery) error {
	number := map[waitingKey]int64{}
	for _, d := range ended {
		if d.Owner != "" {
			number[waitingKey{d.Owner, receiver.Of(d.Address)}]++
		}
	}
	for key, n := range number {
		if err := addWaiting(ctx, tx, key, p.next(tx.Engine()), -n); err != nil {
			return err
		}
	}
	return nil
}

// deleteIdle forgets the numbers that are zero.
func deleteIdle(ctx context.Context, tx *database.Tx) error {
	_, err := tx.Exec(ctx, `
		DELETE FROM deliver_waiting WHERE (owner, host) IN (
			SELECT owner, host FROM deliver_waiting GROUP BY owner, host HAVING SUM(n) = 0)`)
	return err
}
