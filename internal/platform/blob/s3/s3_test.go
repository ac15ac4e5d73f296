package s3_test

import (
	"net/http/httptest"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/blob/blobtest"
	"stoa.dev/stoa/internal/platform/blob/s3"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	blobtest.Suite(t, func(t *testing.T, c clock.Clock) func() blob.Store {
		config := bucket(t)
		return func() blob.Store {
			s, err := s3.New(config, c, ids.Random())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		}
	})
}

// bucket starts an S3-compatible server in this process.
func bucket(t *testing.T) blob.S3Config {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("stoa"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	c := blob.DefaultConfig().S3
	c.Endpoint, c.Bucket, c.Prefix, c.AccessKey, c.SecretKey = server.URL, "stoa", "worlds/main", "key", "secret"
	c.SpoolDir = t.TempDir()
	return c
}
