package files

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

const uploadColumns = `digest, user_id, key_id, file_id, display_name, mime_type, length, received, blob, state,
	created_at, expires_at`

func scanUpload(s database.Scanner) (u Upload, err error) {
	err = s.Scan(&u.Digest, &u.UserID, &u.KeyID, &u.FileID, &u.DisplayName, &u.MimeType, &u.Length, &u.Received, &u.Blob,
		(*string)(&u.State), database.ScanTime(&u.CreatedAt), database.ScanTime(&u.ExpiresAt))
	return u, err
}

func uploadByDigest(ctx context.Context, q database.Querier, digest string, now time.Time) (Upload, error) {
	return database.One(ctx, q, scanUpload, `SELECT `+uploadColumns+` FROM generate_uploads
		WHERE digest = $1 AND expires_at > $2`, digest, database.Time(now))
}

func insertUpload(ctx context.Context, q database.Querier, u Upload) error {
	_, err := q.Exec(ctx, `INSERT INTO generate_uploads (`+uploadColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		u.Digest, u.UserID, u.KeyID, u.FileID, u.DisplayName, u.MimeType, u.Length, u.Received, u.Blob, string(u.State),
		database.Time(u.CreatedAt), database.Time(u.ExpiresAt))
	return err
}

// updateReceived counts bytes of an upload of unknown length; a request that was overtaken takes nothing back.
func updateReceived(ctx context.Context, q database.Querier, digest string, n int64) error {
	_, err := q.Exec(ctx, `UPDATE generate_uploads SET received = $1 WHERE digest = $2 AND received < $1`, n, digest)
	return err
}

// lowerReceived takes back what was counted and has not come.
func lowerReceived(ctx context.Context, q database.Querier, digest string, counted, n int64) error {
	_, err := q.Exec(ctx, `UPDATE generate_uploads SET received = $1 WHERE digest = $2 AND received = $3`, n, digest, counted)
	return err
}

// keysOfUploads are the credentials that began uploads which are not over.
func keysOfUploads(ctx context.Context, q database.Querier, now time.Time) ([]int64, error) {
	return database.All(ctx, q, func(s database.Scanner) (id int64, err error) {
		err = s.Scan(&id)
		return id, err
	}, `SELECT DISTINCT key_id FROM generate_uploads WHERE state = 'active' AND key_id > 0 AND expires_at > $1`,
		database.Time(now))
}

// uploadsOfKey are the uploads of a credential that are not over.
func uploadsOfKey(ctx context.Context, q database.Querier, keyID int64, now time.Time) ([]Upload, error) {
	return database.All(ctx, q, scanUpload, `SELECT `+uploadColumns+` FROM generate_uploads
		WHERE state = 'active' AND key_id = $1 AND expires_at > $2`, keyID, database.Time(now))
}

// endUpload leaves the active state; false means that another request did.
func endUpload(
	ctx context.Context, q database.Querier, digest string, state UploadState, expires time.Time,
) (bool, error) {
	r, err := q.Exec(ctx, `UPDATE generate_uploads SET state = $1, expires_at = $2
		WHERE digest = $3 AND state = 'active'`, string(state), database.Time(expires), digest)
	return r.RowsAffected == 1, err
}

// dropCancelled deletes the oldest cancelled uploads of a user beyond so many: they only tell a client that asks again,
// and count for nothing, so that a client which begins and cancels could make any number of them.
func dropCancelled(ctx context.Context, q database.Querier, userID int64, keep int) error {
	_, err := q.Exec(ctx, `DELETE FROM generate_uploads WHERE user_id = $1 AND state = 'cancelled' AND digest NOT IN (
		SELECT digest FROM generate_uploads WHERE user_id = $1 AND state = 'cancelled'
		ORDER BY created_at DESC, digest LIMIT $2)`, userID, keep)
	return err
}

// deleteEnded frees a name whose file or session is over but not swept yet, and
// gives the files whose bytes must go too.
func deleteEnded(ctx context.Context, tx *database.Tx, userID int64, fileID string, now time.Time) ([]File, error) {
	gone, err := database.All(ctx, tx, scanFile, `DELETE FROM generate_files
		WHERE id = $1 AND user_id = $2 AND expires_at <= $3 RETURNING `+fileColumns, fileID, userID, database.Time(now))
	if err != nil {
		return nil, err
	}
	_, err = tx.Exec(ctx, `DELETE FROM generate_uploads
		WHERE file_id = $1 AND user_id = $2 AND (state = 'cancelled' OR expires_at <= $3)`,
		fileID, userID, database.Time(now))
	return gone, err
}
