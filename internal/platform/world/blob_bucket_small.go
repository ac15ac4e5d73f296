//go:build small

package world

import (
	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/smallbuild"
)

// openBucket refuses: the small build keeps objects in the data folder.
func (*World) openBucket(blob.S3Config) error { return &smallbuild.Error{Part: smallbuild.Buckets} }
