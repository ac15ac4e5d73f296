package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/service/generate/api"
)

// ChunkGranularity is what chunks other than the last are multiples of.
const ChunkGranularity = 256 << 10

// maxDisplayName is in characters.
const maxDisplayName = 512

// uploadLifetime is how long an unfinished upload can go on.
const uploadLifetime = 7 * 24 * time.Hour

// maxCancelled is how many cancelled uploads of a user are remembered.
const maxCancelled = 100

// Start opens a session and gives its secret id, which stands for the
// right to send the bytes.
func (s *Service) Start(ctx context.Context, caller *identity.Caller, n NewFile) (string, Upload, error) {
	if err := s.checkNewFile(&n); err != nil {
		return "", Upload{}, err
	}
	now := s.now()
	id := s.world.IDs.Token()
	u := Upload{
		Digest: digest(id), UserID: caller.UserID, KeyID: caller.TokenID, FileID: n.Name, DisplayName: n.DisplayName,
		MimeType: n.MimeType, Length: n.Length, State: UploadActive, CreatedAt: now, ExpiresAt: now.Add(uploadLifetime),
	}
	up, err := s.world.Blobs.Create(ctx, u.key(), blob.UploadOptions{
		PutOptions: blob.PutOptions{
			MaxSize: s.config.MaxFileBytes,
			// The bytes outlive the row by a day; the row decides.
			Expires: now.Add(uploadLifetime + s.config.Lifetime + 24*time.Hour),
		},
		Abandon: u.ExpiresAt,
	})
	if err != nil {
		return "", u, fmt.Errorf("start upload: %w", err)
	}
	u.Blob = up.ID()
	if err := s.insertUpload(ctx, u); err != nil {
		return "", u, errors.Join(err, up.Abort(context.WithoutCancel(ctx)))
	}
	return id, u, nil
}

// insertUpload stores a session if its owner has storage for it and no file of
// the name.
func (s *Service) insertUpload(ctx context.Context, u Upload) error {
	var gone []File
	insert := func(ctx context.Context, tx *database.Tx) (err error) {
		if gone, err = deleteEnded(ctx, tx, u.UserID, u.FileID, u.CreatedAt); err != nil {
			return err
		}
		return insertUpload(ctx, tx, u)
	}
	err := s.WriteCounted(ctx, u.UserID, max(0, u.Length), insert)
	if errors.Is(err, database.ErrUnique) {
		return api.ErrInvalidField("file.name", "you already have a file or an upload with this name")
	}
	if err != nil {
		return err
	}
	return s.DeleteBytes(ctx, gone)
}

func (s *Service) checkNewFile(n *NewFile) error {
	if n.MimeType == "" {
		n.MimeType = "application/octet-stream"
	}
	t, _, err := mime.ParseMediaType(n.MimeType)
	if err != nil || !strings.Contains(t, "/") || !utf8.ValidString(n.MimeType) {
		return api.ErrInvalidField("file.mimeType", "%q is not a media type", n.MimeType)
	}
	// Headers may hold any bytes.
	if utf8.RuneCountInString(n.DisplayName) > maxDisplayName || !utf8.ValidString(n.DisplayName) {
		return api.ErrInvalidField("file.displayName", "must be UTF-8 text of at most %d characters", maxDisplayName)
	}
	if n.Length > s.config.MaxFileBytes {
		return api.ErrInvalidField("file", "has %d bytes, at most %d are allowed", n.Length, s.config.MaxFileBytes)
	}
	n.Name = strings.TrimPrefix(n.Name, Prefix)
	if n.Name == "" {
		n.Name = s.world.IDs.Text("abcdefghijklmnopqrstuvwxyz0123456789", 12)
	}
	if !fileID.MatchString(n.Name) {
		return api.ErrInvalidField("file.name",
			"must have at most 40 lower-case letters, digits and dashes, without a dash at either end")
	}
	return nil
}

// digest is what is stored of an upload id.
func digest(id string) string {
	sum := sha256.Sum256([]byte("generate upload " + id))
	return hex.EncodeToString(sum[:])
}

// key is where the bytes of an upload are kept. It belongs to the session, not
// to the name: a name can be used again.
func (u Upload) key() string { return "generate/" + u.FileID + "/" + u.Digest[:32] }

// Upload finds a session by its secret id that may go on still.
func (s *Service) Upload(ctx context.Context, id string) (Upload, error) {
	u, err := s.Refresh(ctx, Upload{Digest: digest(id)})
	if err != nil {
		return u, err
	}
	return u, s.checkCredential(ctx, u)
}

// Refresh reads a session again.
func (s *Service) Refresh(ctx context.Context, u Upload) (Upload, error) {
	u, err := uploadByDigest(ctx, s.world.DB, u.Digest, s.now())
	if errors.Is(err, database.ErrNotFound) {
		return u, ErrNoSession("there is no such upload session, or it has expired; start a new one")
	}
	return u, err
}

// Received is how many bytes of an upload are durable.
func (s *Service) Received(ctx context.Context, u Upload) (int64, error) {
	if u.State != UploadActive {
		f, err := s.Get(ctx, u.UserID, u.FileID)
		return f.Size, err
	}
	up, err := s.resume(ctx, u)
	if err != nil {
		return 0, err
	}
	return up.Offset(), nil
}

// Append adds bytes at an offset. What arrived before a connection broke is
// kept, and the client asks where to go on.
func (s *Service) Append(ctx context.Context, u Upload, offset int64, body io.Reader) error {
	if u.State != UploadActive {
		return ErrEnded(u)
	}
	place, err := s.uploading.Take(ctx, budget.Caller(storageKey(u.UserID)), 1)
	if err != nil {
		return err
	}
	defer place.Release()
	if u.Length < 0 {
		return s.appendReserved(ctx, u, offset, body)
	}
	reached, err := s.append(ctx, u, offset, io.LimitReader(body, u.Length-offset+1))
	if err == nil && reached > u.Length {
		err = s.tooLong(ctx, u, u.Length)
	}
	return err
}

// append adds what a reader gives, and tells how far the upload is.
func (s *Service) append(ctx context.Context, u Upload, offset int64, body io.Reader) (reached int64, err error) {
	err = s.withBytes(ctx, u, func(up blob.Upload) (err error) {
		reached, err = up.Append(ctx, offset, body)
		return err
	})
	var wrong *blob.OffsetError
	switch {
	case errors.As(err, &wrong):
		err = errOffset(wrong)
	case errors.Is(err, blob.ErrTooLarge):
		err = s.tooLong(ctx, u, s.config.MaxFileBytes)
	}
	return reached, err
}

// tooLong ends an upload that can no longer become what was announced.
func (s *Service) tooLong(ctx context.Context, u Upload, limit int64) error {
	if err := s.Cancel(ctx, u); err != nil {
		return err
	}
	return &SessionError{StatusInvalid, UploadCancelled, fmt.Sprintf(
		"more than the %d bytes that this upload may have; it is cancelled", limit)}
}

// Finalize makes the bytes a file. It can be repeated: a client that lost the
// answer asks again and gets the same file.
func (s *Service) Finalize(ctx context.Context, u Upload) (File, error) {
	switch u.State {
	case UploadFinal:
		return s.Get(ctx, u.UserID, u.FileID)
	case UploadCancelled:
		return File{}, ErrEnded(u)
	case UploadActive:
	}
	// The bytes may have taken hours.
	if err := s.checkCredential(ctx, u); err != nil {
		return File{}, err
	}
	var info blob.Info
	err := s.withBytes(ctx, u, func(up blob.Upload) (err error) {
		if u.Length >= 0 && up.Offset() != u.Length {
			return &SessionError{StatusInvalid, UploadActive, fmt.Sprintf(
				"the upload has %d of the %d bytes announced; send the rest before finalizing", up.Offset(), u.Length)}
		}
		info, err = up.Commit(ctx)
		return err
	})
	if err != nil {
		return File{}, err
	}
	now := s.now()
	f := File{
		ID: u.FileID, UserID: u.UserID, DisplayName: u.DisplayName, MimeType: u.MimeType, Size: info.Size,
		SHA256: hex.EncodeToString(info.SHA256[:]), State: Processing, Blob: info.Key,
		CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(s.config.Lifetime),
	}
	if f.Size <= maxReadAtOnce {
		// What fails here for another reason than the file is left to the job.
		if read, err := s.read(ctx, f); err == nil {
			f = read
		}
	}
	first, err := s.insertFile(ctx, u, f)
	if err != nil || first {
		return f, err
	}
	if u, err = s.Refresh(ctx, u); err != nil {
		return File{}, err
	}
	if u.State == UploadCancelled {
		return File{}, errors.Join(ErrEnded(u), s.world.Blobs.Delete(ctx, info.Key))
	}
	return s.Get(ctx, u.UserID, u.FileID)
}

// insertFile ends the session with its file and, unless it is read already, the
// job that reads it; false means that the session was over.
func (s *Service) insertFile(ctx context.Context, u Upload, f File) (first bool, err error) {
	err = s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if first, err = endUpload(ctx, tx, u.Digest, UploadFinal, f.ExpiresAt); err != nil || !first {
			return err
		}
		if err := insertFile(ctx, tx, f); err != nil || f.State != Processing {
			return err
		}
		_, err := s.world.Jobs.Enqueue(ctx, tx, jobs.Enqueue{
			Kind: processKind, Payload: process{User: f.UserID, File: f.ID}, Owner: storageKey(f.UserID),
		})
		return err
	})
	return first, err
}

// Cancel deletes the bytes of an unfinished upload.
func (s *Service) Cancel(ctx context.Context, u Upload) error {
	if u.State != UploadActive {
		return ErrEnded(u)
	}
	first := false
	err := s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
		if first, err = endUpload(ctx, tx, u.Digest, UploadCancelled, u.ExpiresAt); err != nil || !first {
			return err
		}
		return dropCancelled(ctx, tx, u.UserID, maxCancelled)
	})
	if err != nil {
		return err
	}
	if !first {
		if u, err = s.Refresh(ctx, u); err != nil {
			return err
		}
		return ErrEnded(u)
	}
	err = s.withBytes(ctx, u, func(up blob.Upload) error { return up.Abort(ctx) })
	var gone *SessionError
	if errors.As(err, &gone) {
		return nil // there were none any more
	}
	return err
}
