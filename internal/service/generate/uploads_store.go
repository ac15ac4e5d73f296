package generate

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

const uploadColumns = `digest, user_id, file_id, display_name, mime_type, length, blob, state, created_at, expires_at`

func scanUpload(s database.Scanner) (u Upload, err error) {
	err = s.Scan(&u.Digest, &u.UserID, &u.FileID, &u.DisplayName, &u.MimeType, &u.Length, &u.Blob, (*string)(&u.State),
		database.ScanTime(&u.CreatedAt), database.ScanTime(&u.ExpiresAt))
	return u, err
}

func (store) upload(ctx context.Context, q database.Querier, digest string, now time.Time) (Upload, error) {
	return database.One(ctx, q, scanUpload, `SELECT `+uploadColumns+` FROM generate_uploads WHERE digest = $1 AND expires_at > $2`,
		digest, database.Time(now))
}

func (store) insertUpload(ctx context.Context, q database.Querier, u Upload) error {
	_, err := q.Exec(ctx, `INSERT INTO generate_uploads (`+uploadColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		u.Digest, u.UserID, u.FileID, u.DisplayName, u.MimeType, u.Length, u.Blob, string(u.State),
		database.Time(u.CreatedAt), database.Time(u.ExpiresAt))
	return err
}

// endUpload leaves the active state; false means that somebody else did.
func (store) endUpload(ctx context.Context, q database.Querier, digest string, state UploadState) (bool, error) {
	r, err := q.Exec(ctx, `UPDATE generate_uploads SET state = $1 WHERE digest = $2 AND state = 'active'`, string(state), digest)
	return r.RowsAffected == 1, err
}
