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
	"unicode/utf8"

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
func (s *Service) StartUpload(ctx context.Context, userID int64, n NewFile) (string, Upload, error) {
	if err := s.checkNewFile(&n); err != nil {
		return "", Upload{}, err
	}
	now := s.now()
	id := s.world.IDs.Token()
	u := Upload{
		Digest: digest(id), UserID: userID, FileID: n.Name, DisplayName: n.DisplayName, MimeType: n.MimeType,
		Length: n.Length, State: UploadActive, CreatedAt: now, ExpiresAt: now.Add(uploadLife),
	}
	up, err := s.world.Blobs.Create(ctx, u.key(), blob.UploadOptions{
		PutOptions: blob.PutOptions{
			MaxSize: s.config.MaxFileBytes,
			// The bytes outlive the row by a day; the row decides.
			Expires: now.Add(uploadLife + s.config.FileLifetime + 24*time.Hour),
		},
		Abandon: u.ExpiresAt,
	})
	if err != nil {
		return "", u, fmt.Errorf("start upload: %w", err)
	}
	u.Blob = up.ID()
	if err := s.admit(ctx, u); err != nil {
		return "", u, errors.Join(err, up.Abort(context.WithoutCancel(ctx)))
	}
	return id, u, nil
}

// admit notes a session if its owner has room for it and no file of the name.
func (s *Service) admit(ctx context.Context, u Upload) error {
	var gone []File
	err := s.world.DB.WriteKeyed(ctx, storageKey(u.UserID), func(ctx context.Context, tx *database.Tx) error {
		err := s.checkStorage(ctx, tx, u.UserID, max(0, u.Length))
		if err != nil {
			return err
		}
		if gone, err = s.store.freeName(ctx, tx, u.UserID, u.FileID, u.CreatedAt); err != nil {
			return err
		}
		return s.store.insertUpload(ctx, tx, u)
	})
	if errors.Is(err, database.ErrUnique) {
		return errInvalid("file.name", "you already have a file or an upload with this name")
	}
	if err != nil {
		return err
	}
	return s.forgetBytes(ctx, gone)
}

func (s *Service) checkNewFile(n *NewFile) error {
	if n.MimeType == "" {
		n.MimeType = "application/octet-stream"
	}
	if t, _, err := mime.ParseMediaType(n.MimeType); err != nil || !strings.Contains(t, "/") || !utf8.ValidString(n.MimeType) {
		return errInvalid("file.mimeType", "%q is not a media type", n.MimeType)
	}
	// Headers may hold any bytes.
	if len([]rune(n.DisplayName)) > maxDisplayName || !utf8.ValidString(n.DisplayName) {
		return errInvalid("file.displayName", "must be UTF-8 text of at most %d characters", maxDisplayName)
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

// key is where the bytes of an upload are kept. It belongs to the session, not
// to the name: a name can be used again.
func (u Upload) key() string { return "generate/" + u.FileID + "/" + u.Digest[:32] }

// FindUpload finds a session by its secret id.
func (s *Service) FindUpload(ctx context.Context, id string) (Upload, error) {
	return s.uploadOf(ctx, digest(id))
}

func (s *Service) uploadOf(ctx context.Context, digest string) (Upload, error) {
	u, err := s.store.upload(ctx, s.world.DB, digest, s.now())
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

// Append adds bytes at an offset. What arrived before a connection broke is
// kept, and the client asks where to go on.
func (s *Service) Append(ctx context.Context, u Upload, offset int64, body io.Reader) error {
	if u.State != UploadActive {
		return ended(u)
	}
	most, err := s.room(ctx, u)
	if err != nil {
		return err
	}
	var reached int64
	err = s.bytes(ctx, u, func(up blob.Upload) (err error) {
		reached, err = up.Append(ctx, offset, io.LimitReader(body, most-offset+1))
		return err
	})
	var wrong *blob.OffsetError
	switch {
	case errors.As(err, &wrong):
		return &sessionError{status: statusOffset, state: UploadActive, message: fmt.Sprintf("the upload has %d bytes; the offset %d does not go on from there", wrong.Have, wrong.Given)}
	case errors.Is(err, blob.ErrTooLarge):
		return s.tooLong(ctx, u, s.config.MaxFileBytes)
	case err == nil && reached > most:
		return s.tooLong(ctx, u, most)
	case u.Length < 0 && reached > u.Received:
		return errors.Join(err, s.noteReceived(ctx, u, reached))
	}
	return err
}

// room is how long an upload may become: as announced, else what is left of
// its owner's storage.
func (s *Service) room(ctx context.Context, u Upload) (int64, error) {
	if u.Length >= 0 {
		return u.Length, nil
	}
	used, _, err := s.store.used(ctx, s.world.DB, u.UserID, s.now())
	return max(0, s.config.MaxStorageBytes-used+u.Received), err
}

// noteReceived counts the bytes of an upload of unknown length to its owner's
// storage, also when the connection broke.
func (s *Service) noteReceived(ctx context.Context, u Upload, n int64) error {
	ctx = context.WithoutCancel(ctx)
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return s.store.setReceived(ctx, tx, u.Digest, n) })
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
	var info blob.Info
	err := s.bytes(ctx, u, func(up blob.Upload) (err error) {
		if u.Length >= 0 && up.Offset() != u.Length {
			return &sessionError{status: statusBadRequest, state: UploadActive, message: fmt.Sprintf("the upload has %d of the %d bytes announced; send the rest before finalizing", up.Offset(), u.Length)}
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
		SHA256: hex.EncodeToString(info.SHA256[:]), State: FileProcessing, Blob: info.Key,
		CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(s.config.FileLifetime),
	}
	first, err := s.insertFile(ctx, u, f)
	if err != nil || first {
		return f, err
	}
	if u, err = s.uploadOf(ctx, u.Digest); err != nil {
		return File{}, err
	}
	if u.State == UploadCancelled {
		return File{}, errors.Join(ended(u), s.world.Blobs.Delete(ctx, info.Key))
	}
	return s.GetFile(ctx, u.UserID, u.FileID)
}

// insertFile ends the session with its file and the job that reads it; false
// means that the session was over.
func (s *Service) insertFile(ctx context.Context, u Upload, f File) (first bool, err error) {
	err = s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if first, err = s.store.endUpload(ctx, tx, u.Digest, UploadFinal, f.ExpiresAt); err != nil || !first {
			return err
		}
		if err := s.store.insertFile(ctx, tx, f); err != nil {
			return err
		}
		_, err := s.world.Jobs.Enqueue(ctx, tx, jobs.Enqueue{Kind: processKind, Payload: process{User: f.UserID, File: f.ID}, Owner: storageKey(f.UserID)})
		return err
	})
	return first, err
}

// CancelUpload forgets the bytes of an unfinished upload.
func (s *Service) CancelUpload(ctx context.Context, u Upload) error {
	if u.State != UploadActive {
		return ended(u)
	}
	first := false
	err := s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
		first, err = s.store.endUpload(ctx, tx, u.Digest, UploadCancelled, u.ExpiresAt)
		return err
	})
	if err != nil {
		return err
	}
	if !first {
		if u, err = s.uploadOf(ctx, u.Digest); err != nil {
			return err
		}
		return ended(u)
	}
	err = s.bytes(ctx, u, func(up blob.Upload) error { return up.Abort(ctx) })
	var given *sessionError
	if errors.As(err, &given) {
		return nil // there were none any more
	}
	return err
}
