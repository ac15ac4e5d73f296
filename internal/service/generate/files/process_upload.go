package files

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/tokens"
)

const processKind = "generate.process"

// process is the payload of the job that makes an uploaded file usable.
type process struct {
	User int64  `json:"user"`
	File string `json:"file"`
}

// maxProcessing is how many files of one owner may wait to be read.
const maxProcessing = 1000

// Jobs are the kinds of background work.
func (s *Service) Jobs() []jobs.Registration {
	return []jobs.Registration{jobs.Define(jobs.Kind[process]{
		Name:        processKind,
		About:       "Makes an uploaded file ready for use.",
		MaxAttempts: 5, Timeout: 5 * time.Minute, Concurrency: 2,
		PerOwner: jobs.Share{Running: 1, Waiting: maxProcessing}, Run: s.runProcess,
	})}
}

// runProcess looks at the bytes, counts them and makes the file ACTIVE, or
// FAILED when they are not there or empty.
func (s *Service) runProcess(ctx context.Context, job jobs.Job, p process) error {
	f, err := fileByID(ctx, s.world.DB, p.User, p.File, s.now())
	var gone *api.Error
	if errors.As(err, &gone) || err == nil && f.State != Processing {
		return nil // it was deleted meanwhile, or this is a second run
	}
	if err != nil {
		return err
	}
	if f, err = s.read(ctx, f); err != nil {
		if job.Attempt < job.MaxAttempts {
			return err
		}
		f.State, f.Error = Failed, "the bytes of the file could not be read"
	}
	f.UpdatedAt = s.now()
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return updateProcessed(ctx, tx, f)
	})
}

// maxReadAtOnce is how large a file may be to be read before the upload is answered.
const maxReadAtOnce = 1 << 20

// read counts a file and says whether it is ACTIVE or FAILED. An error is none of
// the file's: the next try may do better.
func (s *Service) read(ctx context.Context, f File) (File, error) {
	n, err := s.count(ctx, f)
	switch {
	case errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrDamaged):
		f.State, f.Error = Failed, "the bytes of the file could not be read"
	case err != nil:
		return f, err
	case f.Size == 0:
		f.State, f.Error = Failed, "the file is empty"
	default:
		f.State, f.Tokens = Active, n
	}
	return f, nil
}

// count counts the tokens of a stored file. Of long texts the start is
// counted and the rest taken in proportion.
func (s *Service) count(ctx context.Context, f File) (int, error) {
	const limit = 1 << 20
	head, err := s.readHead(ctx, f, limit)
	if err != nil {
		return 0, fmt.Errorf("count the tokens of %s: %w", f.ID, err)
	}
	counts, err := tokens.RequestCounter{Text: s.tokens, Limit: math.MaxInt}.Media(ctx, f.MimeType, head, f.Size)
	if err != nil {
		return 0, err
	}
	if n := int64(len(head)); tokens.Modality(f.MimeType) == "TEXT" && n > 0 && f.Size > n {
		return int(float64(counts.Total()) * float64(f.Size) / float64(n)), nil
	}
	return counts.Total(), nil
}
