package s3

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
)

// Store is the blob.Store on a bucket. Several processes may share the bucket.
type Store struct {
	client *minio.Client
	config blob.S3Config
	clock  clock.Clock
	ids    *ids.Source
	idle   func()
	// retryFor is how long an operation is tried again on a bucket that is unavailable.
	retryFor time.Duration
}

// New opens a store on a bucket. It does not connect; the first operation does.
func New(c blob.S3Config, clk clock.Clock, source *ids.Source) (*Store, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	u, err := url.Parse(c.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	lookup := minio.BucketLookupDNS
	if c.PathStyle {
		lookup = minio.BucketLookupPath
	}
	transport, err := minio.DefaultTransport(u.Scheme == "https")
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	client, err := minio.New(u.Host, &minio.Options{
		Transport: transport,
		Creds:     credentials.NewStaticV4(c.AccessKey, c.SecretKey, ""),
		Secure:    u.Scheme == "https", Region: c.Region, BucketLookup: lookup,
		// A request is answered or refused within seconds; the caller's own retry comes after that.
		MaxRetries: 3,
	})
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	if c.Prefix != "" {
		c.Prefix = strings.TrimSuffix(c.Prefix, "/") + "/"
	}
	return &Store{client: client, config: c, clock: clk, ids: source, idle: transport.CloseIdleConnections}, nil
}

// Close ends the connections that wait for a next request.
func (s *Store) Close() error {
	s.idle()
	return nil
}

// name is the bucket's name of something in one of the store's folders.
func (s *Store) name(folder, rest string) string { return s.config.Prefix + folder + "/" + rest }
