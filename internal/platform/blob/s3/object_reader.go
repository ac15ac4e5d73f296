package s3

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/minio/minio-go/v7"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/blob/format"
)

// Open implements Objects. Nothing is fetched before the first Read.
func (s *Store) Open(ctx context.Context, key string) (blob.Reader, blob.Info, error) {
	info, etag, err := s.stat(ctx, key)
	if err == nil && info.Expired(s.clock.Now()) {
		err = fmt.Errorf("%w: %s", blob.ErrNotFound, key)
	}
	if err != nil {
		return nil, blob.Info{}, err
	}
	return &reader{ctx: ctx, store: s, name: s.name(format.ObjectsDir, key), etag: etag, size: info.Size}, info, nil
}

// reader fetches from its position to the end, and again from another position after a Seek. Every answer is
// compared with the object it was opened on: some stores ignore the condition in the request.
type reader struct {
	ctx   context.Context //nolint:containedctx // A reader belongs to the request that opened it.
	store *Store
	name  string
	etag  string
	size  int64
	at    int64
	body  io.ReadCloser // Positioned at at; nil when nothing is being fetched.
}

func (r *reader) Read(p []byte) (int, error) {
	if r.at >= r.size {
		return 0, io.EOF
	}
	if r.body == nil {
		if err := r.fetch(); err != nil {
			return 0, err
		}
	}
	n, err := r.body.Read(p)
	r.at += int64(n)
	switch {
	case errors.Is(err, io.EOF) && r.at < r.size:
		err = translate(io.ErrUnexpectedEOF, r.name)
	case err != nil && !errors.Is(err, io.EOF):
		err = translate(err, r.name)
	}
	return n, err
}

func (r *reader) fetch() error {
	var o minio.GetObjectOptions
	if err := errors.Join(o.SetMatchETag(r.etag), o.SetRange(r.at, r.size-1)); err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	core := minio.Core{Client: r.store.client}
	var body io.ReadCloser
	var answer minio.ObjectInfo
	err := r.store.retryUnavailable(r.ctx, func() (err error) {
		body, answer, _, err = core.GetObject(r.ctx, r.store.config.Bucket, r.name, o)
		return translate(err, r.name)
	})
	if err != nil {
		return err
	}
	if answer.ETag != r.etag {
		return errors.Join(fmt.Errorf("%w: %s was replaced while it was read", blob.ErrNotFound, r.name), body.Close())
	}
	r.body = body
	return nil
}

// Seek costs nothing; the next Read does.
func (r *reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.size
	default:
		return 0, fmt.Errorf("blob: seek from %d", whence)
	}
	if offset < 0 {
		return 0, errors.New("blob: seek before the start")
	}
	if offset == r.at {
		return r.at, nil
	}
	r.at = offset
	return r.at, r.Close()
}

func (r *reader) Close() error {
	if r.body == nil {
		return nil
	}
	err := r.body.Close()
	r.body = nil
	return err
}
