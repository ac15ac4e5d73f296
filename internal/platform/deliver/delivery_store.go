package deliver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver/receiver"
)

const columns = `id, service, channel, owner, address, state, attempts, status, duration_us, last_error, created, deadline,
	next_attempt, finished, resend_of`

func scanDelivery(row database.Scanner) (d Delivery, err error) {
	var micros int64
	err = row.Scan(&d.ID, &d.Service, &d.Channel, &d.Owner, &d.Address, &d.State, &d.Attempts, &d.Status, &micros,
		&d.LastError, database.ScanTime(&d.Created), database.ScanNullTime(&d.Deadline),
		database.ScanNullTime(&d.NextAttempt), database.ScanNullTime(&d.Finished), &d.ResendOf)
	d.Duration = time.Duration(micros) * time.Microsecond
	return d, err
}

func insertDelivery(ctx context.Context, tx *database.Tx, d Delivery, sealed []byte) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO deliver_messages (id, service, channel, address, request, state, attempts, status, duration_us,
			last_error, created, deadline, next_attempt, finished, resend_of, owner, host)
		VALUES ($1, $2, $3, $4, $5, $6, 0, 0, 0, $11, $7, $8, $9, $12, $10, $13, $14)`,
		d.ID, d.Service, d.Channel, d.Address, sealed, string(d.State), database.Time(d.Created),
		database.NullTime(d.Deadline), database.NullTime(d.NextAttempt), d.ResendOf, d.LastError,
		database.NullTime(d.Finished), d.Owner, receiver.Of(d.Address))
	return err
}

func delivery(ctx context.Context, q database.Querier, id string) (Delivery, error) {
	d, err := database.One(ctx, q, scanDelivery, `SELECT `+columns+` FROM deliver_messages WHERE id = $1`, id)
	return d, named(id, err)
}

func deliveriesByID(ctx context.Context, q database.Querier, ids []string) ([]Delivery, error) {
	in, args := database.In(1, ids)
	return database.All(ctx, q, scanDelivery, `SELECT `+columns+` FROM deliver_messages WHERE id IN `+in, args...)
}

func named(id string, err error) error {
	if errors.Is(err, database.ErrNotFound) {
		return fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return err
}

// outgoing is a delivery and its sealed request, in one read.
func outgoing(ctx context.Context, q database.Querier, id string) (d Delivery, sealed []byte, err error) {
	err = q.QueryRow(ctx, `
		SELECT service, channel, owner, address, state, attempts, last_error, deadline, next_attempt, request
		FROM deliver_messages WHERE id = $1`, id).
		Scan(&d.Service, &d.Channel, &d.Owner, &d.Address, &d.State, &d.Attempts, &d.LastError,
			database.ScanNullTime(&d.Deadline), database.ScanNullTime(&d.NextAttempt), &sealed)
	d.ID = id
	return d, sealed, named(id, err)
}

// updateDelivery leaves a row alone that is no longer pending: what was canceled during a call stays canceled.
func updateDelivery(ctx context.Context, tx *database.Tx, d Delivery) (ended bool, err error) {
	result, err := tx.Exec(ctx, `
		UPDATE deliver_messages SET state = $2, attempts = $3, status = $4, duration_us = $5, last_error = $6,
			next_attempt = $7, finished = $8
		WHERE id = $1 AND state = 'pending'`,
		d.ID, string(d.State), d.Attempts, d.Status, d.Duration.Microseconds(), d.LastError,
		database.NullTime(d.NextAttempt), database.NullTime(d.Finished))
	return d.State != Pending && result.RowsAffected > 0, err
}

// cancelChannel gives owner and address of what it ended.
func cancelChannel(ctx context.Context, tx *database.Tx, channel string, now time.Time) ([]Delivery, error) {
	return database.All(ctx, tx, func(s database.Scanner) (d Delivery, err error) {
		err = s.Scan(&d.Owner, &d.Address)
		return d, err
	}, `UPDATE deliver_messages SET state = 'canceled', next_attempt = NULL, finished = $2
		WHERE channel = $1 AND state = 'pending' RETURNING owner, address`, channel, database.Time(now))
}

// listDeliveries gives what comes after from, newest first. An empty filter field matches every row.
func listDeliveries(ctx context.Context, q database.Querier, f Filter, from Delivery) ([]Delivery, error) {
	return database.All(ctx, q, scanDelivery, `
		SELECT `+columns+` FROM deliver_messages
		WHERE (created < $1 OR (created = $1 AND id < $2))
			AND ($3 = '' OR state = $3) AND ($4 = '' OR service = $4) AND ($5 = '' OR channel = $5)
		ORDER BY created DESC, id DESC LIMIT $6`,
		database.Time(from.Created), from.ID, string(f.State), f.Service, f.Channel, f.Limit)
}

func deleteFinished(ctx context.Context, tx *database.Tx, before time.Time, limit int) (int64, error) {
	result, err := tx.Exec(ctx, `
		DELETE FROM deliver_messages WHERE id IN (
			SELECT id FROM deliver_messages WHERE state <> 'pending' AND finished < $1 LIMIT $2)`,
		database.Time(before), limit)
	return result.RowsAffected, err
}
