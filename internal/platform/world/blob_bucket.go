//go:build !small

package world

import (
	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/blob/s3"
)

// openBucket keeps objects in a bucket.
func (w *World) openBucket(c blob.S3Config) error {
	store, err := s3.New(c, w.Clock, w.IDs)
	if err != nil {
		return err
	}
	w.watchBlobs(store)
	w.onClose(store.Close)
	return nil
}
