package instrumented

import (
	"context"
	"errors"
	"io"
	"time"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/clock"
)

// Store is a blob.Store that is watched.
type Store struct {
	next   blob.Store
	counts *Counts
}

// New watches next. It does not close it.
func New(next blob.Store) *Store { return &Store{next: next, counts: newCounts()} }

// Counts are what the store did, also by its copies that retry.
func (s *Store) Counts() *Counts { return s.counts }

// WithRetry is the same store, waiting for what it stands on.
func (s *Store) WithRetry(d time.Duration) blob.Store {
	return &Store{next: blob.WithRetry(s.next, d), counts: s.counts}
}

// call counts one operation and gives its error a kind.
func (s *Store) call(op Operation, do func() error) error {
	real := clock.Real()
	began := real.Now()
	err := classifyDisk(do())
	s.counts.add(op, outcomeOf(err), real.Now().Sub(began))
	return err
}

// Put implements blob.Objects.
func (s *Store) Put(ctx context.Context, key string, r io.Reader, o blob.PutOptions) (info blob.Info, err error) {
	err = s.call(Put, func() (err error) { info, err = s.next.Put(ctx, key, r, o); return err })
	return info, err
}

// Open implements blob.Objects.
func (s *Store) Open(ctx context.Context, key string) (r blob.Reader, info blob.Info, err error) {
	err = s.call(Open, func() (err error) { r, info, err = s.next.Open(ctx, key); return err })
	return r, info, err
}

// Stat implements blob.Objects.
func (s *Store) Stat(ctx context.Context, key string) (info blob.Info, err error) {
	err = s.call(Stat, func() (err error) { info, err = s.next.Stat(ctx, key); return err })
	return info, err
}

// Delete implements blob.Objects.
func (s *Store) Delete(ctx context.Context, key string) error {
	return s.call(Delete, func() error { return s.next.Delete(ctx, key) })
}

// List implements blob.Objects.
func (s *Store) List(ctx context.Context, prefix, after string, limit int) (found []blob.Info, err error) {
	err = s.call(List, func() (err error) { found, err = s.next.List(ctx, prefix, after, limit); return err })
	return found, err
}

// Sweep implements blob.Objects.
func (s *Store) Sweep(ctx context.Context, now time.Time) (n int, err error) {
	err = s.call(Sweep, func() (err error) { n, err = s.next.Sweep(ctx, now); return err })
	return n, err
}

// Create implements blob.Uploads.
func (s *Store) Create(ctx context.Context, key string, o blob.UploadOptions) (blob.Upload, error) {
	return s.upload(func() (blob.Upload, error) { return s.next.Create(ctx, key, o) })
}

// Resume implements blob.Uploads.
func (s *Store) Resume(ctx context.Context, id string) (blob.Upload, error) {
	return s.upload(func() (blob.Upload, error) { return s.next.Resume(ctx, id) })
}

func (s *Store) upload(open func() (blob.Upload, error)) (u blob.Upload, err error) {
	err = s.call(Upload, func() (err error) { u, err = open(); return err })
	if err != nil {
		return nil, err
	}
	return &upload{Upload: u, store: s}, nil
}

// upload watches the calls that move bytes.
type upload struct {
	blob.Upload
	store *Store
}

// Append implements blob.Upload.
func (u *upload) Append(ctx context.Context, offset int64, r io.Reader) (n int64, err error) {
	err = u.store.call(Upload, func() (err error) { n, err = u.Upload.Append(ctx, offset, r); return err })
	return n, err
}

// Commit implements blob.Upload.
func (u *upload) Commit(ctx context.Context) (info blob.Info, err error) {
	err = u.store.call(Upload, func() (err error) { info, err = u.Upload.Commit(ctx); return err })
	return info, err
}

// Abort implements blob.Upload.
func (u *upload) Abort(ctx context.Context) error {
	return u.store.call(Upload, func() error { return u.Upload.Abort(ctx) })
}

func outcomeOf(err error) Outcome {
	switch {
	case err == nil:
		return Done
	case errors.Is(err, blob.ErrNotFound):
		return Missing
	case errors.Is(err, blob.ErrUnavailable), errors.Is(err, blob.ErrFull):
		return Away
	}
	return Failed
}
