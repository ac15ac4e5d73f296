package batches

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/files"
)

const batchColumns = `id, user_id, key_id, method, model, display_name, state, input_file, output_file, error,
	size, requests, succeeded, failed, created_at, updated_at, expires_at`

func scanBatch(s database.Scanner) (b Batch, err error) {
	err = s.Scan(&b.ID, &b.UserID, &b.KeyID, (*string)(&b.Method), &b.Model, &b.DisplayName, (*string)(&b.State),
		&b.InputFile, &b.OutputFile, &b.Error, &b.Size, &b.Requests, &b.Answered, &b.Refused,
		database.ScanTime(&b.CreatedAt), database.ScanTime(&b.UpdatedAt), database.ScanTime(&b.ExpiresAt))
	return b, err
}

func batchByID(ctx context.Context, q database.Querier, userID int64, id string, now time.Time) (Batch, error) {
	b, err := database.One(ctx, q, scanBatch, `SELECT `+batchColumns+` FROM generate_batches
		WHERE id = $1 AND user_id = $2 AND expires_at > $3`, id, userID, database.Time(now))
	if errors.Is(err, database.ErrNotFound) {
		return b, &api.Error{Code: api.CodeNotFound, Message: "the batch " + Prefix + id + " is not found or has expired"}
	}
	return b, err
}

func listBatches(
	ctx context.Context, q database.Querier, userID int64, after files.Cursor, now time.Time, limit int,
) ([]Batch, error) {
	return database.All(ctx, q, scanBatch, `SELECT `+batchColumns+` FROM generate_batches
		WHERE user_id = $1 AND expires_at > $2 AND (created_at < $3 OR (created_at = $3 AND id < $4))
		ORDER BY created_at DESC, id DESC LIMIT $5`,
		userID, database.Time(now), database.Time(after.CreatedAt), after.ID, limit)
}

func insertBatch(ctx context.Context, q database.Querier, b Batch) error {
	_, err := q.Exec(ctx, `INSERT INTO generate_batches (`+batchColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
		b.ID, b.UserID, b.KeyID, string(b.Method), b.Model, b.DisplayName, string(b.State), b.InputFile, b.OutputFile,
		b.Error, b.Size, b.Requests, b.Answered, b.Refused,
		database.Time(b.CreatedAt), database.Time(b.UpdatedAt), database.Time(b.ExpiresAt))
	return err
}

// beginBatch notes how many requests there are, once they are all known.
func beginBatch(ctx context.Context, q database.Querier, b Batch) error {
	_, err := q.Exec(ctx, `UPDATE generate_batches SET state = $1, requests = $2, failed = $3, updated_at = $4
		WHERE id = $5 AND state = $6`,
		string(Running), b.Requests, b.Refused, database.Time(b.UpdatedAt), b.ID, string(Pending))
	return err
}

// endBatch writes a final state and reports whether the batch had none.
func endBatch(ctx context.Context, q database.Querier, b Batch, state State) (bool, error) {
	r, err := q.Exec(ctx, `UPDATE generate_batches SET state = $1, output_file = $2, error = $3, updated_at = $4
		WHERE id = $5 AND state IN ($6, $7)`, string(state), b.OutputFile, b.Error, database.Time(b.UpdatedAt), b.ID,
		string(Pending), string(Running))
	return err == nil && r.RowsAffected > 0, err
}

// deleteBatch also deletes the items.
func deleteBatch(ctx context.Context, tx *database.Tx, id string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM generate_batch_items WHERE batch_id = $1`, id); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `DELETE FROM generate_batches WHERE id = $1`, id)
	return err
}

// DeleteExpired deletes rows of batches that have expired, items before their batch and so many at most, and returns
// how many.
func DeleteExpired(ctx context.Context, tx *database.Tx, now time.Time, limit int) (n int, err error) {
	ids, err := database.All(ctx, tx, func(s database.Scanner) (id string, err error) {
		err = s.Scan(&id)
		return id, err
	}, `SELECT id FROM generate_batches WHERE expires_at <= $1 ORDER BY expires_at, id LIMIT $2`, database.Time(now), limit)
	for _, id := range ids {
		r, err := tx.Exec(ctx, `DELETE FROM generate_batch_items WHERE batch_id = $1 AND position IN (
			SELECT position FROM generate_batch_items WHERE batch_id = $1 ORDER BY position LIMIT $2)`, id, limit-n)
		if err != nil {
			return n, err
		}
		if n += int(r.RowsAffected); n >= limit {
			return n, nil // the batch itself goes when it has no items left
		}
		if _, err := tx.Exec(ctx, `DELETE FROM generate_batches WHERE id = $1`, id); err != nil {
			return n, err
		}
		if n++; n >= limit {
			return n, nil
		}
	}
	return n, err
}

const itemColumns = `position, item_key, metadata, request, response, error`

// storedError is why an item has no response.
type storedError struct {
	Code    api.Code `json:"code"`
	Message string   `json:"message"`
}

func scanItem(s database.Scanner) (i Item, err error) {
	var metadata, request, response, failure string
	if err = s.Scan(&i.Position, &i.Key, &metadata, &request, &response, &failure); err != nil {
		return i, err
	}
	i.Metadata, i.Request, i.Response = json.RawMessage(metadata), json.RawMessage(request), json.RawMessage(response)
	if failure != "" {
		var e storedError
		err = json.Unmarshal([]byte(failure), &e)
		i.Code, i.Message = e.Code, e.Message
	}
	return i, err
}

func (i Item) failure() (string, error) {
	if i.Code == "" {
		return "", nil
	}
	b, err := json.Marshal(storedError{i.Code, i.Message})
	return string(b), err
}

func insertItems(ctx context.Context, q database.Querier, batch string, items []Item) error {
	for _, i := range items {
		failure, err := i.failure()
		if err != nil {
			return err
		}
		if _, err := q.Exec(ctx, `INSERT INTO generate_batch_items (batch_id, `+itemColumns+`)
			VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (batch_id, position) DO NOTHING`, batch, i.Position, i.Key, string(i.Metadata), string(i.Request),
			string(i.Response), failure); err != nil {
			return err
		}
	}
	return nil
}

// listItems gives items from a position on.
func listItems(ctx context.Context, q database.Querier, batch string, from int64, limit int) ([]Item, error) {
	return database.All(ctx, q, scanItem, `SELECT `+itemColumns+` FROM generate_batch_items
		WHERE batch_id = $1 AND position >= $2 ORDER BY position LIMIT $3`, batch, from, limit)
}

// updateItem stores what became of an item, unless the batch has ended or another run of the step has stored it. The
// request is not needed any more.
func updateItem(ctx context.Context, q database.Querier, b Batch, i Item) error {
	failure, err := i.failure()
	if err != nil {
		return err
	}
	r, err := q.Exec(ctx, `UPDATE generate_batch_items SET response = $1, error = $2, request = ''
		WHERE batch_id = $3 AND position = $4 AND response = '' AND error = ''
			AND EXISTS (SELECT 1 FROM generate_batches WHERE id = $3 AND state = $5)`,
		string(i.Response), failure, b.ID, i.Position, string(Running))
	if err != nil || r.RowsAffected == 0 {
		return err
	}
	succeeded, failed := int64(1), int64(0)
	if failure != "" {
		succeeded, failed = 0, 1
	}
	_, err = q.Exec(ctx, `UPDATE generate_batches SET succeeded = succeeded + $1, failed = failed + $2, size = size + $3,
		updated_at = $4 WHERE id = $5 AND state = $6`, succeeded, failed,
		int64(len(i.Response)+len(failure)-len(i.Request)), database.Time(b.UpdatedAt), b.ID, string(Running))
	return err
}

// endWithFile ends a batch whose results are in a file, and reports whether it had not ended yet. The items go: the
// file has them now. One that was cancelled meanwhile keeps them.
func endWithFile(ctx context.Context, tx *database.Tx, b Batch) (ended bool, err error) {
	if ended, err = endBatch(ctx, tx, b, Succeeded); err != nil || !ended {
		return ended, err
	}
	return ended, dropItems(ctx, tx, b)
}

// dropItems deletes the items of a batch whose results are in a file.
func dropItems(ctx context.Context, tx *database.Tx, b Batch) error {
	if _, err := tx.Exec(ctx, `DELETE FROM generate_batch_items WHERE batch_id = $1`, b.ID); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE generate_batches SET size = 0 WHERE id = $1`, b.ID)
	return err
}
