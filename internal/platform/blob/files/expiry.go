package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
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
	return s.replace(notePath(info), []byte(info.Key))
}

// notedDue reports whether Sweep would find the object, and leaves the note again if it would not.
func (s *Store) notedDue(info blob.Info) error {
	if info.Expires.IsZero() {
		return nil
	}
	_, err := s.root.Lstat(notePath(info))
	if errors.Is(err, fs.ErrNotExist) {
		return s.noteDue(info)
	}
	return err
}

func notePath(info blob.Info) string {
	sum := sha256.Sum256([]byte(info.Key))
	return path.Join(format.DueDir, format.DueTime(info.Expires)+"-"+hex.EncodeToString(sum[:16]))
}

// notesAtOnce is how many names of notes Sweep holds: there may be one for every object.
const notesAtOnce = 1000

// Sweep implements Objects. Names of notes that a removal makes the folder skip are met the next time.
func (s *Store) Sweep(ctx context.Context, now time.Time) (swept int, err error) {
	folder, err := s.root.Open(format.DueDir)
	if err != nil {
		return 0, fmt.Errorf("blob: %w", err)
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	var failed error // One damaged object must not keep all others.
	for more := true; more; {
		notes, err := folder.Readdirnames(notesAtOnce)
		if more = err == nil; !more && !errors.Is(err, io.EOF) {
			return swept, errors.Join(failed, fmt.Errorf("blob: %w", err))
		}
		for _, note := range notes {
			if err := ctx.Err(); err != nil {
				return swept, errors.Join(failed, err)
			}
			seconds, _, _ := strings.Cut(note, "-")
			if due, ok := format.ParseDue(seconds); ok && due.After(now) {
				continue
			}
			gone, err := s.sweepNote(path.Join(format.DueDir, note), now)
			failed = errors.Join(failed, err)
			if gone {
				swept++
			}
		}
	}
	uploads, err := s.sweepUploads(ctx, now)
	return swept + uploads, errors.Join(failed, err)
}

// sweepNote removes the object that a note is about if it has expired, and then the note: as long as the object may
// come back after a crash, the note is there.
func (s *Store) sweepNote(note string, now time.Time) (gone bool, err error) {
	text, err := s.root.ReadFile(note)
	if err != nil {
		return false, ignoreMissing(err)
	}
	key := string(text)
	if gone, err = s.removeIf(key, func(info blob.Info) bool { return info.Expired(now) }); err != nil {
		return gone, err
	}
	defer s.locks.stripe(key)()
	switch info, err := s.stored(key); {
	case err == nil && (info.Expired(now) || info.Expires.Unix() == now.Unix()):
		return gone, nil // Put again meanwhile, or it has a fraction of a second left: the next time.
	case err != nil && !errors.Is(err, blob.ErrNotFound):
		return gone, err
	}
	return gone, ignoreMissing(s.root.Remove(note))
}

// sweepUploads drops the uploads that were given up before now, and parts that lost their state.
func (s *Store) sweepUploads(ctx context.Context, now time.Time) (int, error) {
	names, err := s.names(format.UploadsDir)
	if err != nil {
		return 0, err
	}
	swept := 0
	var failed error
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return swept, errors.Join(failed, err)
		}
		id, isPart := strings.CutSuffix(name, ".part")
		if !isPart {
			id = strings.TrimSuffix(name, ".json")
		}
		gone, err := s.sweepUpload(id, isPart, now)
		failed = errors.Join(failed, err)
		if gone {
			swept++
		}
	}
	return swept, failed
}

func (s *Store) sweepUpload(id string, isPart bool, now time.Time) (gone bool, err error) {
	release, free := s.locks.try(id)
	if !free {
		return false, nil // Bytes are arriving: not given up.
	}
	defer release()
	state, err := s.loadState(id)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		if _, err := s.root.Lstat(partPath(id)); !isPart || err != nil {
			return false, nil // Dropped or committed since the folder was read.
		}
	case err != nil:
		return false, err
	case state.Abandon.After(now):
		return false, nil
	}
	return true, s.dropUpload(id)
}
