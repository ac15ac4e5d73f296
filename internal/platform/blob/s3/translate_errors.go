package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"

	"github.com/minio/minio-go/v7"

	"stoa.dev/stoa/internal/platform/blob"
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
	case unavailable(err, answer):
		return fmt.Errorf("%w: %s: %w", blob.ErrUnavailable, what, err)
	}
	return fmt.Errorf("blob: %s: %w", what, err)
}

// unavailable reports whether the store did not answer, or said that it cannot now.
func unavailable(err error, answer minio.ErrorResponse) bool {
	if answer.StatusCode != 0 {
		return answer.StatusCode >= serverError || answer.StatusCode == tooManyRequests
	}
	var network net.Error
	var request *url.Error
	return errors.As(err, &network) || errors.As(err, &request) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF)
}
