package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/blob/format"
)

// noteDue leaves the note by which Sweep finds an expiring object. It comes before the object: a note too many costs
// one look, a note too few would keep bytes for ever.
func (s *Store) noteDue(info blob.Info) error {
	if info.Expires.IsZero() {
		return nil
	}
	sum := sha256.Sum256([]byte(info.Key))
	name := format.DueTime(info.Expires) + "-" + hex.EncodeToString(sum[:16])
	return s.replace(path.Join(format.DueDir, name), []byte(info.Key))
}

// replace writes a small file whole and durable, or not at all.
func (s *Store) replace(name string, text []byte) error {
	temporary := path.Join(tempDir, s.ids.Hex(format.IDLength))
	f, err := s.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = s.root.Rename(temporary, name)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("blob: %w", err), ignoreMissing(s.root.Remove(temporary)))
	}
	return s.syncDir(path.Dir(name))
}

// Sweep implements Objects.
func (s *Store) Sweep(ctx context.Context, now time.Time) (int, error) {
	notes, err := s.names(format.DueDir)
	if err != nil {
		return 0, err
	}
	swept := 0
	var failed error // One damaged object must not keep all others.
	for _, note := range notes {
		if err := ctx.Err(); err != nil {
			return swept, errors.Join(failed, err)
		}
		seconds, _, _ := strings.Cut(note, "-")
		if due, ok := format.ParseDue(seconds); ok && due.After(now) {
			break // Sorted by time: the rest is later.
		}
		gone, err := s.sweepNote(path.Join(format.DueDir, note), now)
		failed = errors.Join(failed, err)
		if gone {
			swept++
		}
	}
	uploads, err := s.sweepUploads(ctx, now)
	return swept + uploads, errors.Join(failed, err)
}

// sweepNote removes the object that a note is about if it has expired, then the note. An object with a fraction of a
// second left keeps its note for the next time.
func (s *Store) sweepNote(note string, now time.Time) (gone bool, err error) {
	key, err := s.root.ReadFile(note)
	if err != nil {
		return false, ignoreMissing(err)
	}
	defer s.locks.stripe(string(key))()
	f, info, err := s.read(string(key))
	switch {
	case errors.Is(err, blob.ErrNotFound):
	case err != nil:
		return false, err
	default:
		if err := f.Close(); err != nil {
			return false, fmt.Errorf("blob: %w", err)
		}
		gone = info.Expired(now)
		if !gone && info.Expires.Unix() == now.Unix() {
			return false, nil
		}
	}
	if gone {
		if err := s.remove(string(key)); err != nil {
			return false, err
		}
	}
	return gone, ignoreMissing(s.root.Remove(note))
}

// names lists one of the store's flat folders, sorted.
func (s *Store) names(dir string) ([]string, error) {
	entries, err := fs.ReadDir(s.root.FS(), dir)
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	return names, nil
}
