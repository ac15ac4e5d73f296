package format

import (
	"context"
	"errors"
	"fmt"
	"io"

	"stoa.dev/stoa/internal/platform/blob"
)

// contextReader ends a copy when its context ends: a client that went away must not hold a file.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// SourceError marks a failure of the bytes' source, which keeps what came before, against a failure of the store.
type SourceError struct{ err error }

// Error is that of the source.
func (e *SourceError) Error() string { return e.err.Error() }

// Unwrap is the source's own error.
func (e *SourceError) Unwrap() error { return e.err }

// UnwrapSource gives a source's own error back to the caller who knows it.
func UnwrapSource(err error) error {
	var source *SourceError
	if errors.As(err, &source) {
		return source.err
	}
	return err
}

// taggedReader turns every failure of r into a SourceError.
type taggedReader struct{ r io.Reader }

func (t taggedReader) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &SourceError{err}
	}
	return n, err
}

// CopyLimited copies r to w and reads one byte beyond max to know that there is more. A max of 0 is no limit.
func CopyLimited(ctx context.Context, w io.Writer, r io.Reader, max int64) (int64, error) {
	var in io.Reader = taggedReader{contextReader{ctx, r}}
	if max > 0 {
		in = io.LimitReader(in, max+1)
	}
	n, err := io.Copy(w, in)
	if err == nil && max > 0 && n > max {
		return n, fmt.Errorf("%w: more than %d bytes", blob.ErrTooLarge, max)
	}
	return n, err
}
