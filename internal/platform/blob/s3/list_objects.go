package s3

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/minio/minio-go/v7"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/blob/format"
)

// List implements Objects.
func (s *Store) List(ctx context.Context, prefix, after string, limit int) ([]blob.Info, error) {
	if err := format.CheckPrefix(prefix); err != nil {
		return nil, err
	}
	var found []blob.Info
	for key, err := range s.keys(ctx, format.ObjectsDir, prefix, after, limit) {
		if err != nil {
			return nil, err
		}
		info, err := s.Stat(ctx, key)
		if errors.Is(err, blob.ErrNotFound) {
			continue // Expired, or deleted since the page was listed.
		}
		if errors.Is(err, blob.ErrDamaged) {
			info, err = blob.Info{Key: key}, nil
		}
		if err != nil {
			return nil, err
		}
		if found = append(found, info); len(found) >= limit {
			break
		}
	}
	return found, nil
}

// keys walks one of the store's folders in the order of names; page is how many names one request fetches. After a
// failure that passes it goes on behind the last name.
func (s *Store) keys(ctx context.Context, folder, prefix, after string, page int) iter.Seq2[string, error] {
	o := minio.ListObjectsOptions{Prefix: s.name(folder, prefix), Recursive: true, MaxKeys: min(max(page, 1), 1000)}
	if after != "" {
		o.StartAfter = s.name(folder, after)
	}
	return func(yield func(string, error) bool) {
		o := o
		err := s.retryUnavailable(ctx, func() error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel() // Ends the client's own listing when the walk stops early.
			for object := range s.client.ListObjectsIter(ctx, s.config.Bucket, o) {
				if object.Err != nil {
					return translate(object.Err, o.Prefix)
				}
				if o.StartAfter = object.Key; !yield(strings.TrimPrefix(object.Key, s.name(folder, "")), nil) {
					return nil
				}
			}
			return nil
		})
		if err != nil {
			yield("", err)
		}
	}
}
