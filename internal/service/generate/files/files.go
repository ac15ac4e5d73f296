package files

import (
	"context"
	"errors"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/generate/tokens"
)

const (
	// Prefix is what the names of files begin with.
	Prefix = "files/"
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
	world    *world.World
	identity *identity.Identity
	config   Config
	tokens   *tokens.Tokenizer
	// uploading are places for requests whose bytes come, which may take as long as they flow.
	uploading *budget.Pool
}

// How many requests with bytes of uploads there may be at once, and of one user, and how long one waits for a place.
const (
	maxUploading     = 1024
	maxUserUploading = 64
	uploadingWait    = 2 * time.Second
)

// New makes a Service. It touches no store.
func New(w *world.World, i *identity.Identity, c Config, t *tokens.Tokenizer) *Service {
	return &Service{world: w, identity: i, config: c, tokens: t, uploading: budget.New(budget.Options{
		Name: "generate.uploads", Total: maxUploading, PerOwner: maxUserUploading, Wait: uploadingWait,
	})}
}

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
