package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/tokens"
)

const (
	// maxMedia is how much of a file a backend is handed.
	maxMedia = 20 << 20
	// mediaWeight is what a byte of a file stands for in memory: the byte, what is
	// encoded of it, and what is sent on.
	mediaWeight = 4
)

var fileID = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)

// parseURI reads the forms a file is referred to by: its address, its name, its id.
func parseURI(uri string) (string, error) {
	id := strings.TrimPrefix(uri, Prefix)
	if _, after, found := strings.Cut(uri, "/v1beta/files/"); found {
		id = after
	}
	if !fileID.MatchString(id) {
		return "", api.ErrInvalidField("fileData.fileUri",
			"%q is not the uri of an uploaded file; this server fetches nothing from elsewhere", uri)
	}
	return id, nil
}

// usable finds the file behind a part and checks that it is ACTIVE.
func (s *Service) usable(ctx context.Context, userID int64, d *api.FileData) (File, error) {
	id, err := parseURI(d.FileURI)
	if err != nil {
		return File{}, err
	}
	f, err := s.Get(ctx, userID, id)
	if err != nil {
		return f, err
	}
	if f, err = s.await(ctx, f); err != nil {
		return f, err
	}
	if f.State != Active {
		return f, api.ErrPrecondition(
			"the file %s is not in an ACTIVE state and usage is not allowed (it is %s)", f.ID, f.State)
	}
	if d.MimeType != "" && tokens.MediaType(d.MimeType) != tokens.MediaType(f.MimeType) {
		return f, api.ErrInvalidField("fileData.mimeType",
			"%q is not the type the file %s was uploaded with, %s", d.MimeType, f.ID, f.MimeType)
	}
	return f, nil
}

// How long a request waits for a file that is still being read, and how often it
// looks. It is real time: jobs take that.
const (
	maxAwait   = 15 * time.Second
	awaitPause = 100 * time.Millisecond
)

// await waits, for a bounded time, until a file is no longer PROCESSING.
func (s *Service) await(ctx context.Context, f File) (File, error) {
	for range int(maxAwait / awaitPause) {
		if f.State != Processing {
			return f, nil
		}
		timer := clock.Real().NewTimer(awaitPause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return f, context.Cause(ctx)
		case <-timer.C:
		}
		var err error
		if f, err = s.Get(ctx, f.UserID, f.ID); err != nil {
			return f, err
		}
	}
	return f, nil
}

// Tokens is what the file behind a part weighs.
func (s *Service) Tokens(ctx context.Context, userID int64, d *api.FileData) (tokens.Counts, error) {
	f, err := s.usable(ctx, userID, d)
	return tokens.OfModality(tokens.Modality(f.MimeType), f.Tokens), err
}

// Media reads a file's bytes for a backend; grow takes their memory.
func (s *Service) Media(
	ctx context.Context, userID int64, d *api.FileData, grow func(int64) error,
) (mimeType string, data []byte, err error) {
	f, err := s.usable(ctx, userID, d)
	if err != nil {
		return "", nil, err
	}
	if f.Size > maxMedia {
		return "", nil, api.ErrInvalidField("fileData.fileUri",
			"the file has %d bytes, this model takes %d", f.Size, maxMedia)
	}
	if err := grow(mediaWeight * f.Size); err != nil {
		return "", nil, err
	}
	data, err = s.readHead(ctx, f, maxMedia)
	return f.MimeType, data, err
}

// readHead reads the start of a stored file.
func (s *Service) readHead(ctx context.Context, f File, limit int64) ([]byte, error) {
	r, _, err := s.world.Blobs.Open(ctx, f.Blob)
	if err != nil {
		return nil, fmt.Errorf("read file %s: %w", f.ID, err)
	}
	data, err := io.ReadAll(io.LimitReader(r, limit))
	return data, errors.Join(err, r.Close())
}
