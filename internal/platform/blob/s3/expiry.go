package s3

import (
	"context"
	"errors"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/blob/format"
)

// Sweep implements Objects. Notes sort by time, so the walk ends at the first that is not due.
//
// A bucket has no lock: an object that another process replaces between the look and the deletion would go too. The
// look comes directly before the deletion, and only keys whose object has expired are ever looked at.
func (s *Store) Sweep(ctx context.Context, now time.Time) (int, error) {
	swept := 0
	var failed error
	for note, err := range s.keys(ctx, format.DueDir, "", "", 1000) {
		if err != nil {
			return swept, errors.Join(failed, err)
		}
		seconds, rest, _ := strings.Cut(note, "/")
		if due, ok := format.ParseDue(seconds); ok && due.After(now) {
			break
		}
		folder, name, _ := strings.Cut(rest, "/")
		gone, keep, err := s.sweepNote(ctx, folder, name, now)
		if err == nil && !keep {
			err = s.remove(ctx, s.name(format.DueDir, note))
		}
		failed = errors.Join(failed, err)
		if gone {
			swept++
		}
	}
	return swept, failed
}

// sweepNote removes what a note is about. It keeps the note when a fraction of a second is left.
func (s *Store) sweepNote(ctx context.Context, folder, name string, now time.Time) (gone, keep bool, err error) {
	if folder == format.UploadsDir {
		return s.sweepUpload(ctx, name, now)
	}
	info, _, err := s.stat(ctx, name)
	if errors.Is(err, blob.ErrNotFound) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	if !info.Expired(now) {
		return false, info.Expires.Unix() == now.Unix(), nil
	}
	return true, false, s.remove(ctx, s.name(format.ObjectsDir, name))
}

func (s *Store) sweepUpload(ctx context.Context, id string, now time.Time) (gone, keep bool, err error) {
	state, err := s.loadUpload(ctx, id)
	if errors.Is(err, blob.ErrNotFound) {
		return false, false, s.dropUpload(ctx, id) // Parts that a process left when it died while dropping.
	}
	if err != nil {
		return false, false, err
	}
	if state.Abandon.After(now) {
		return false, state.Abandon.Unix() == now.Unix(), nil
	}
	return true, false, s.dropUpload(ctx, id)
}
