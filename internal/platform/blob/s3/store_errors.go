package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"time"

	"github.com/minio/minio-go/v7"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/clock"
)

// The statuses of a store that cannot now.
const (
	tooManyRequests     = 429
	serverError         = 500
	insufficientStorage = 507
)

// translate turns the store's answers into errors of this package.
func translate(err error, what string) error {
	if err == nil {
		return nil
	}
	var answer minio.ErrorResponse
	if errors.As(err, &answer) && (answer.Code == minio.NoSuchKey || answer.Code == "NotFound") {
		return fmt.Errorf("%w: %s", blob.ErrNotFound, what)
	}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
	case answer.StatusCode == insufficientStorage:
		return fmt.Errorf("%w: %s: %w", blob.ErrFull, what, err)
	case away(err, answer):
		return fmt.Errorf("%w: %s: %w", blob.ErrUnavailable, what, err)
	}
	return fmt.Errorf("blob: %s: %w", what, err)
}

// away reports whether the store did not answer, or said that it cannot now.
func away(err error, answer minio.ErrorResponse) bool {
	if answer.StatusCode != 0 {
		return answer.StatusCode >= serverError || answer.StatusCode == tooManyRequests
	}
	var network net.Error
	var request *url.Error
	return errors.As(err, &network) || errors.As(err, &request) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF)
}

// maxPause is the longest pause between two tries of a store that is away.
const maxPause = 2 * time.Second

// Patient is the same store, whose operations wait up to d for a bucket that is away.
func (s *Store) Patient(d time.Duration) blob.Store {
	patient := *s
	patient.patience = d
	return &patient
}

// whenAway calls do, and again while the store is away and patience lasts. The waiting is by the machine's clock, as
// the store is a machine's.
func (s *Store) whenAway(ctx context.Context, do func() error) error {
	real := clock.Real()
	until := real.Now().Add(s.patience)
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, maxPause) {
		err := do()
		if !errors.Is(err, blob.ErrUnavailable) || !real.Now().Add(pause).Before(until) {
			return err
		}
		if sleepErr := clock.Sleep(ctx, real, pause); sleepErr != nil {
			return errors.Join(err, sleepErr)
		}
	}
}
