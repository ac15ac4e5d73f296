package generate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
)

// The kinds of background work.
const (
	processKind = Name + ".process"
	sweepKind   = Name + ".sweep"
)

// process is the payload of the job that makes an uploaded file usable.
type process struct {
	User int64  `json:"user"`
	File string `json:"file"`
}

// maxProcessing is how many files of one owner may wait to be read.
const maxProcessing = 1000

// sweep has no payload.
type sweep struct{}

func (s *Service) jobs() []jobs.Registration {
	return []jobs.Registration{
		jobs.Define(jobs.Kind[process]{Name: processKind, MaxAttempts: 5, Timeout: 5 * time.Minute, Concurrency: 2, PerOwner: jobs.Share{Running: 1, Waiting: maxProcessing}, Run: s.runProcess}),
		jobs.Define(jobs.Kind[sweep]{Name: sweepKind, Safe: true, Run: s.runSweep}),
	}
}

// runProcess looks at the bytes, weighs them and makes the file ACTIVE, or
// FAILED when they are not there or empty.
func (s *Service) runProcess(ctx context.Context, job jobs.Job, p process) error {
	f, err := s.store.file(ctx, s.world.DB, p.User, p.File, s.now())
	var gone *Error
	if errors.As(err, &gone) || err == nil && f.State != FileProcessing {
		return nil // it was deleted meanwhile, or this is a second run
	}
	if err != nil {
		return err
	}
	f.State = FileActive
	if f.Tokens, err = s.weigh(ctx, f); err != nil {
		if !errors.Is(err, blob.ErrNotFound) && !errors.Is(err, blob.ErrDamaged) && job.Attempt < job.MaxAttempts {
			return err
		}
		f.State, f.Error = FileFailed, "the bytes of the file could not be read"
	}
	if f.Size == 0 {
		f.State, f.Error = FileFailed, "the file is empty"
	}
	f.UpdatedAt = s.now()
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return s.store.settleFile(ctx, tx, f) })
}

// weigh counts the tokens of a stored file. Of long texts the start is
// counted and the rest taken in proportion.
func (s *Service) weigh(ctx context.Context, f File) (int, error) {
	const most = 1 << 20
	head, err := s.head(ctx, f, most)
	if err != nil {
		return 0, fmt.Errorf("weigh %s: %w", f.ID, err)
	}
	w, err := scale{tokens: s.tokens, most: math.MaxInt}.media(ctx, f.MimeType, head, f.Size)
	if err != nil {
		return 0, err
	}
	if n := int64(len(head)); modalityOf(f.MimeType) == "TEXT" && n > 0 && f.Size > n {
		return int(float64(w.total()) * float64(f.Size) / float64(n)), nil
	}
	return w.total(), nil
}

// runSweep removes what has expired: rows first, then bytes.
func (s *Service) runSweep(ctx context.Context, _ jobs.Job, _ sweep) error {
	var gone []File
	err := s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
		gone, err = s.store.sweep(ctx, tx, s.now())
		return err
	})
	if err != nil {
		return err
	}
	return s.forgetBytes(ctx, gone)
}
