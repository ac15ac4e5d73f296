package generate

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

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
)

// Statuses of the upload protocol.
const (
	statusBadRequest = 400
	statusNoSession  = 404
	statusOffset     = 409
	statusGone       = 410
)

// granularity is what chunks other than the last are multiples of.
const granularity = 256 << 10

// uploadLife is how long an unfinished upload can go on.
const uploadLife = 7 * 24 * time.Hour

// NewFile is what a client says about a file before its bytes come.
type NewFile struct {
	Name, DisplayName, MimeType string
	Length                      int64 // -1: not announced
}

// StartUpload opens a session and gives its secret id, which stands for the
// right to send the bytes.
func (s *Service) StartUpload(ctx context.Context, userID int64, n NewFile) (string, error) {
	if err := s.checkNewFile(&n); err != nil {
		return "", err
	}
	now := s.now()
	id := s.world.IDs.Token()
	up, err := s.world.Blobs.Create(ctx, blobKey(n.Name), blob.UploadOptions{
		PutOptions: blob.PutOptions{
			ContentType: n.MimeType, MaxSize: s.config.MaxFileBytes,
			// The bytes outlive the row by a day; the row decides.
			Expires: now.Add(uploadLife + s.config.FileLifetime + 24*time.Hour),
		},
		Abandon: now.Add(uploadLife),
	})
	if err != nil {
		return "", fmt.Errorf("start upload: %w", err)
	}
	u := Upload{
		Digest: digest(id), UserID: userID, FileID: n.Name, DisplayName: n.DisplayName, MimeType: n.MimeType,
		Length: n.Length, Blob: up.ID(), State: UploadActive, CreatedAt: now,
		// The session outlives its file, so that a name is never taken twice.
		ExpiresAt: now.Add(uploadLife + s.config.FileLifetime),
	}
	err = s.world.DB.WriteKeyed(ctx, fmt.Sprintf("generate/%d", userID), func(tx *database.Tx) error {
		used, err := s.store.used(ctx, tx, userID, now)
		if err != nil {
			return err
		}
		if used+max(0, n.Length) > s.config.MaxStorageBytes {
			return &Error{Code: CodeExhausted, Message: fmt.Sprintf("your files would take more than %d bytes; delete some or wait until they expire", s.config.MaxStorageBytes)}
		}
		return s.store.insertUpload(ctx, tx, u)
	})
	if err != nil {
		err = errors.Join(err, up.Abort(ctx))
	}
	if errors.Is(err, database.ErrUnique) {
		return "", errInvalid("file.name", "there is already a file or an upload with this name")
	}
	return id, err
}

func (s *Service) checkNewFile(n *NewFile) error {
	if n.MimeType == "" {
		n.MimeType = "application/octet-stream"
	}
	if t, _, err := mime.ParseMediaType(n.MimeType); err != nil || !strings.Contains(t, "/") {
		return errInvalid("file.mimeType", "%q is not a media type", n.MimeType)
	}
	if len([]rune(n.DisplayName)) > maxDisplayName {
		return errInvalid("file.displayName", "must have at most %d characters", maxDisplayName)
	}
	if n.Length > s.config.MaxFileBytes {
		return errInvalid("file", "has %d bytes, at most %d are allowed", n.Length, s.config.MaxFileBytes)
	}
	n.Name = strings.TrimPrefix(n.Name, filePrefix)
	if n.Name == "" {
		n.Name = s.world.IDs.Text("abcdefghijklmnopqrstuvwxyz0123456789", 12)
	}
	if !fileName(n.Name) {
		return errInvalid("file.name", "must have at most 40 lower-case letters, digits and dashes, without a dash at either end")
	}
	return nil
}

// digest is what is stored of an upload id.
func digest(id string) string {
	sum := sha256.Sum256([]byte("generate upload " + id))
	return hex.EncodeToString(sum[:])
}

// FindUpload finds a session by its secret id.
func (s *Service) FindUpload(ctx context.Context, id string) (Upload, error) {
	u, err := s.store.upload(ctx, s.world.DB, digest(id), s.now())
	if errors.Is(err, database.ErrNotFound) {
		return u, &sessionError{status: statusNoSession, state: UploadCancelled, message: "there is no such upload session, or it has expired; start a new one"}
	}
	return u, err
}

// Received is how many bytes of an upload are durable.
func (s *Service) Received(ctx context.Context, u Upload) (int64, error) {
	if u.State != UploadActive {
		f, err := s.GetFile(ctx, u.UserID, u.FileID)
		return f.Size, err
	}
	up, err := s.resume(ctx, u)
	if err != nil {
		return 0, err
	}
	return up.Offset(), nil
}

func (s *Service) resume(ctx context.Context, u Upload) (blob.Upload, error) {
	up, err := s.world.Blobs.Resume(ctx, u.Blob)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, &sessionError{status: statusGone, state: UploadCancelled, message: "the bytes of this upload were given up; start a new one"}
	}
	return up, err
}

// Append adds bytes at an offset. What arrived before a connection broke is
// kept, and the client asks where to go on.
func (s *Service) Append(ctx context.Context, u Upload, offset int64, body io.Reader) error {
	if u.State != UploadActive {
		return ended(u)
	}
	up, err := s.resume(ctx, u)
	if err != nil {
		return err
	}
	if u.Length >= 0 {
		body = io.LimitReader(body, u.Length-offset+1)
	}
	reached, err := up.Append(ctx, offset, body)
	var wrong *blob.OffsetError
	switch {
	case errors.As(err, &wrong):
		return &sessionError{status: statusOffset, state: UploadActive, message: fmt.Sprintf("the upload has %d bytes; the offset %d does not go on from there", wrong.Have, wrong.Given)}
	case errors.Is(err, blob.ErrTooLarge):
		return s.tooLong(ctx, u, s.config.MaxFileBytes)
	case err != nil:
		return err
	case u.Length >= 0 && reached > u.Length:
		return s.tooLong(ctx, u, u.Length)
	}
	return nil
}

// tooLong ends an upload that can no longer become what was announced.
func (s *Service) tooLong(ctx context.Context, u Upload, most int64) error {
	if err := s.CancelUpload(ctx, u); err != nil {
		return err
	}
	return &sessionError{status: statusBadRequest, state: UploadCancelled, message: fmt.Sprintf("more than the %d bytes that this upload may have; it is cancelled", most)}
}

func ended(u Upload) error {
	if u.State == UploadCancelled {
		return &sessionError{status: statusGone, state: UploadCancelled, message: "the upload was cancelled"}
	}
	return &sessionError{status: statusBadRequest, state: UploadFinal, message: "the upload is already final"}
}

// Finalize makes the bytes a file. It can be repeated: a client that lost the
// answer asks again and gets the same file.
func (s *Service) Finalize(ctx context.Context, u Upload) (File, error) {
	switch u.State {
	case UploadFinal:
		return s.GetFile(ctx, u.UserID, u.FileID)
	case UploadCancelled:
		return File{}, ended(u)
	case UploadActive:
	}
	up, err := s.resume(ctx, u)
	if err != nil {
		return File{}, err
	}
	if u.Length >= 0 && up.Offset() != u.Length {
		return File{}, &sessionError{status: statusBadRequest, state: UploadActive, message: fmt.Sprintf("the upload has %d of the %d bytes announced; send the rest before finalizing", up.Offset(), u.Length)}
	}
	info, err := up.Commit(ctx)
	if err != nil {
		return File{}, fmt.Errorf("finalize upload: %w", err)
	}
	now := s.now()
	f := File{
		ID: u.FileID, UserID: u.UserID, DisplayName: u.DisplayName, MimeType: u.MimeType, Size: info.Size,
		SHA256: hex.EncodeToString(info.SHA256[:]), State: FileProcessing, Blob: info.Key,
		CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(s.config.FileLifetime),
	}
	first := false
	err = s.world.DB.Write(ctx, func(tx *database.Tx) error {
		if first, err = s.store.endUpload(ctx, tx, u.Digest, UploadFinal); err != nil || !first {
			return err
		}
		if err := s.store.insertFile(ctx, tx, f); err != nil {
			return err
		}
		_, err := s.world.Jobs.Enqueue(ctx, tx, jobs.Enqueue{Kind: processKind, Payload: process{File: f.ID}})
		return err
	})
	if err == nil && !first {
		return s.GetFile(ctx, u.UserID, u.FileID)
	}
	return f, err
}

// CancelUpload forgets the bytes of an unfinished upload.
func (s *Service) CancelUpload(ctx context.Context, u Upload) error {
	if u.State != UploadActive {
		return ended(u)
	}
	done := false
	err := s.world.DB.Write(ctx, func(tx *database.Tx) (err error) {
		done, err = s.store.endUpload(ctx, tx, u.Digest, UploadCancelled)
		return err
	})
	if err != nil || !done {
		return err
	}
	up, err := s.resume(ctx, u)
	if err != nil {
		return err
	}
	return up.Abort(ctx)
}
