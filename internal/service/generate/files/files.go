package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/tokens"
)

const (
	// Prefix is what the names of files begin with.
	Prefix = "files/"
	// maxMedia is how much of a file a backend is handed.
	maxMedia = 20 << 20
	// mediaWeight is what a byte of a file stands for in memory: the byte, what is
	// encoded of it, and what is sent on.
	mediaWeight = 4
)

// Config bounds files and uploads.
type Config struct {
	// MaxFileBytes and MaxStorageBytes bound one upload and all files of one user.
	MaxFileBytes, MaxStorageBytes int64
	// MaxFiles is how many files, open uploads and caches one user may have.
	MaxFiles int64
	// Lifetime is how long a file exists after its upload.
	Lifetime time.Duration
}

// Service keeps the files of all users.
type Service struct {
	world  *world.World
	config Config
	tokens *tokens.Tokenizer
}

// New makes a Service. It touches no store.
func New(w *world.World, c Config, t *tokens.Tokenizer) *Service { return &Service{w, c, t} }

func (s *Service) now() time.Time { return s.world.Clock.Now().UTC().Truncate(time.Microsecond) }

// Get finds a file by id, or by its name files/ID.
func (s *Service) Get(ctx context.Context, userID int64, name string) (File, error) {
	return fileByID(ctx, s.world.DB, userID, strings.TrimPrefix(name, Prefix), s.now())
}

// List gives files of a user, the newest first.
func (s *Service) List(ctx context.Context, userID int64, after Cursor, limit int) ([]File, error) {
	return listFiles(ctx, s.world.DB, userID, after, s.now(), limit)
}

// Delete deletes a file.
func (s *Service) Delete(ctx context.Context, userID int64, name string) error {
	f, err := s.Get(ctx, userID, name)
	if err != nil {
		return err
	}
	err = s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return deleteFile(ctx, tx, f) })
	if err != nil {
		return err
	}
	return s.DeleteBytes(ctx, []File{f})
}

// DeleteBytes deletes the bytes of files whose rows are gone. Those of a
// process that dies before it expire by themselves.
func (s *Service) DeleteBytes(ctx context.Context, files []File) error {
	ctx = context.WithoutCancel(ctx)
	var failed error
	for _, f := range files {
		failed = errors.Join(failed, s.world.Blobs.Delete(ctx, f.Blob))
	}
	return failed
}

// storageKey is whose storage a transaction counts.
func storageKey(userID int64) string { return "generate/" + strconv.FormatInt(userID, 10) }

// WriteCounted runs a transaction that stores more bytes of a user, files or
// cached contents, unless they are too many.
func (s *Service) WriteCounted(
	ctx context.Context, userID, more int64, fn func(ctx context.Context, tx *database.Tx) error,
) error {
	return s.world.DB.WriteKeyed(ctx, storageKey(userID), func(ctx context.Context, tx *database.Tx) error {
		used, count, err := usage(ctx, tx, userID, s.now())
		switch {
		case err != nil:
			return err
		case count >= s.config.MaxFiles:
			return api.ErrQuota("you have %d files, uploads and cached contents, "+
				"which is all that one caller may have; delete some or wait until they expire", count)
		case used+more > s.config.MaxStorageBytes:
			return api.ErrQuota("your files and cached contents would take more than %d bytes; "+
				"delete some or wait until they expire", s.config.MaxStorageBytes)
		}
		return fn(ctx, tx)
	})
}

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
