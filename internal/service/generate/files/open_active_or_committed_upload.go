package files

import (
	"context"
	"errors"
	"io"

	"stoa.dev/stoa/internal/platform/blob"
)

// resume finds the bytes of an active upload, also when they are committed
// already: the row follows the bytes, so a process that died in between, or
// another request that is there now, leaves a whole file without a row.
func (s *Service) resume(ctx context.Context, u Upload) (blob.Upload, error) {
	up, err := s.world.Blobs.Resume(ctx, u.Blob)
	if !errors.Is(err, blob.ErrNotFound) {
		return up, err
	}
	info, err := s.world.Blobs.Stat(ctx, u.key())
	if errors.Is(err, blob.ErrNotFound) {
		return nil, &SessionError{
			StatusGone, UploadCancelled, "the bytes of this upload were given up; start a new one",
		}
	}
	return committed{u.Blob, s.world.Blobs, info}, err
}

// withBytes runs fn on the bytes of an upload, and once more if another request
// has committed them meanwhile.
func (s *Service) withBytes(ctx context.Context, u Upload, fn func(blob.Upload) error) error {
	up, err := s.resume(ctx, u)
	if err != nil {
		return err
	}
	if err = fn(up); !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	if up, err = s.resume(ctx, u); err != nil {
		return err
	}
	return fn(up)
}

// committed is an upload whose bytes are whole.
type committed struct {
	id    string
	store blob.Store
	info  blob.Info
}

func (c committed) ID() string    { return c.id }
func (c committed) Key() string   { return c.info.Key }
func (c committed) Offset() int64 { return c.info.Size }

// Append comes too late.
func (c committed) Append(_ context.Context, offset int64, _ io.Reader) (int64, error) {
	return c.info.Size, &blob.OffsetError{Have: c.info.Size, Given: offset}
}

// Commit gives what the first one gave.
func (c committed) Commit(context.Context) (blob.Info, error) { return c.info, nil }

// Abort deletes the bytes.
func (c committed) Abort(ctx context.Context) error { return c.store.Delete(ctx, c.info.Key) }
