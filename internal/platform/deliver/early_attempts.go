package deliver

import (
	"context"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver/receiver"
	"stoa.dev/stoa/internal/platform/jobs"
)

// A message that waits for its next attempt holds up its channel. So it is tried before its time when there is a
// reason to: a newer message of its channel, or an answer of its receiver to another message. Such an attempt is an
// extra one. If it fails, what was planned still holds and no attempt is used up.

const (
	// earlyPause is between the reason and the attempt: however often a channel has something new, a receiver
	// that does not answer gets one call a second for it.
	earlyPause = time.Second
	// maxHastened is how many channels one answer wakes; the others wait for the answers of these.
	maxHastened = 256
)

// hasten tries the waiting message of a channel soon.
func (e *Engine) hasten(ctx context.Context, tx *database.Tx, channel string) error {
	if channel == "" {
		return nil
	}
	if err := e.jobs.Hasten(ctx, tx, lane(channel), e.clock.Now().Add(earlyPause)); err != nil {
		return fmt.Errorf("deliver: %w", err)
	}
	return nil
}

// hastenHost tries the waiting messages for a receiver soon that has just answered one.
func (e *Engine) hastenHost(ctx context.Context, tx *database.Tx, answered Delivery) error {
	channels, err := listRetrying(ctx, tx, answered.Owner, receiver.Of(answered.Address), e.clock.Now().Add(earlyPause))
	if err != nil {
		return err
	}
	for _, channel := range channels {
		if err := e.hasten(ctx, tx, channel); err != nil {
			return err
		}
	}
	return nil
}

// keepPlannedRetry leaves the next attempt where it was planned, after one before its time has failed.
func (e *Engine) keepPlannedRetry(ctx context.Context, d Delivery) error {
	if err := e.record(ctx, d); err != nil {
		return err
	}
	return jobs.RetryAfter(fmt.Errorf("%s; tried before its time", d.LastError), d.NextAttempt.Sub(e.clock.Now()))
}

// listRetrying are the first channels of an owner whose messages for a host failed before and wait for an attempt
// after a time.
func listRetrying(
	ctx context.Context, q database.Querier, owner, host string, after time.Time,
) (channels []string, err error) {
	return database.All(ctx, q, func(s database.Scanner) (channel string, err error) {
		err = s.Scan(&channel)
		return channel, err
	}, `SELECT channel FROM deliver_messages
		WHERE owner = $1 AND host = $2 AND state = 'pending' AND attempts > 0 AND channel <> '' AND next_attempt > $3
		ORDER BY next_attempt LIMIT $4`, owner, host, database.Time(after), maxHastened)
}

// hasNewer reports whether a channel got a message since a time: one that came during an attempt found nothing that
// waited.
func hasNewer(ctx context.Context, q database.Querier, d Delivery, since time.Time) (newer bool, err error) {
	if d.Channel == "" {
		return false, nil
	}
	err = q.QueryRow(ctx, `
		SELECT EXISTS (SELECT 1 FROM deliver_messages
			WHERE channel = $1 AND state = 'pending' AND created > $2 AND id <> $3)`,
		d.Channel, database.Time(since), d.ID).Scan(&newer)
	return newer, err
}
