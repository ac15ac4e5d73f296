package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/generate/api"
)

// Input finds a file of requests and waits until it is ACTIVE.
func (s *Service) Input(ctx context.Context, userID int64, name string) (File, error) {
	f, err := s.Get(ctx, userID, strings.TrimPrefix(name, Prefix))
	if err != nil {
		return f, err
	}
	if f, err = s.await(ctx, f); err == nil && f.State != Active {
		err = api.ErrPrecondition(
			"the file %s is not in an ACTIVE state and usage is not allowed (it is %s)", f.ID, f.State)
	}
	return f, err
}

// Open reads the bytes of a file.
func (s *Service) Open(ctx context.Context, f File) (io.ReadSeekCloser, error) {
	r, _, err := s.world.Blobs.Open(ctx, f.Blob)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, errNotFound(f.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("read file %s: %w", f.ID, err)
	}
	return r, nil
}

// Generate stores a file of JSON lines that the service has made, in the place of so many bytes of its user that go
// when it is there. Making it again under the same id gives the one that is there.
func (s *Service) Generate(
	ctx context.Context, userID int64, id string, replaced int64, content io.Reader,
) (File, error) {
	now := s.now()
	switch there, err := s.Get(ctx, userID, id); {
	case err == nil && there.Generated:
		return there, nil
	case err == nil:
		return there, api.ErrPrecondition("you have a file %s, which the results would have to be", id)
	case !errors.As(err, new(*api.Error)):
		return there, err
	}
	f := File{
		ID: id, UserID: userID, MimeType: "application/jsonl", State: Active, Generated: true,
		Blob: "generate/" + id + "/generated", CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(s.config.Lifetime),
	}
	info, err := s.world.Blobs.Put(ctx, f.Blob, content, blob.PutOptions{
		ContentType: f.MimeType, Expires: f.ExpiresAt.Add(24 * time.Hour), // the row decides
	})
	if err != nil {
		return f, fmt.Errorf("store file %s: %w", id, err)
	}
	f.Size, f.SHA256 = info.Size, fmt.Sprintf("%x", info.SHA256)
	// What it is made of was counted when it came: here it is too late to refuse the one for the storage of the other.
	err = s.WriteGrowing(ctx, userID, f.Size-replaced, func(ctx context.Context, tx *database.Tx, full *api.Error) error {
		if full != nil {
			return full
		}
		return insertFile(ctx, tx, f)
	})
	switch {
	case errors.Is(err, database.ErrUnique):
		return f, nil
	case err != nil:
		return f, errors.Join(err, s.deleteUnnamed(ctx, f))
	}
	return f, nil
}

// deleteUnnamed deletes bytes for which there is no row. Where one may be there, because another run of the same job
// has written it or a commit was not answered, they stay: those without a row expire by themselves.
func (s *Service) deleteUnnamed(ctx context.Context, f File) error {
	_, err := s.Get(context.WithoutCancel(ctx), f.UserID, f.ID)
	if !errors.As(err, new(*api.Error)) {
		return err
	}
	return s.DeleteBytes(ctx, []File{f})
}
