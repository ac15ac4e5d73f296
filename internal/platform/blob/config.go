package blob

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/platform/smallbuild"
)

// Kinds of stores.
const (
	KindFiles = "files"
	KindS3    = "s3"
)

// Config chooses where objects are kept.
type Config struct {
	// Store is "files" (the data folder) or "s3". Several processes on one database need "s3".
	Store string `yaml:"store"`
	// S3 says which bucket, when Store is "s3".
	S3 S3Config `yaml:"s3"`
}

// S3Config is a bucket of an S3-compatible store.
type S3Config struct {
	// Endpoint is the store's address, as in "https://s3.example.net:9000".
	Endpoint string `yaml:"endpoint"`
	// Bucket must exist.
	Bucket string `yaml:"bucket"`
	// Prefix is put before every name, so that several worlds can share a bucket.
	Prefix string `yaml:"prefix"`
	// Region is sent with every signature; most private stores take any.
	Region string `yaml:"region"`
	// AccessKey and SecretKey sign the requests.
	AccessKey string `yaml:"access_key"`
	SecretKey string `yaml:"secret_key" secret:"true"` // SecretKey is the secret half of AccessKey.
	// PathStyle puts the bucket into the path instead of the host name.
	PathStyle bool `yaml:"path_style"`
	// Checksum is "crc32c" or, for stores that refuse its header, "md5".
	Checksum string `yaml:"checksum"`
	// SpoolDir takes objects that do not fit into memory on their way; empty is the system's temporary folder.
	SpoolDir string `yaml:"spool_dir"`
}

// Checksums of S3Config.
const (
	ChecksumCRC32C = "crc32c"
	ChecksumMD5    = "md5"
)

// DefaultConfig keeps objects in the data folder.
func DefaultConfig() Config {
	return Config{Store: KindFiles, S3: S3Config{Region: "us-east-1", PathStyle: true, Checksum: ChecksumCRC32C}}
}

// Validate names every mistake at once.
func (c Config) Validate() error {
	switch c.Store {
	case KindFiles:
		return c.S3.validateChecksum()
	case KindS3:
		return errors.Join(smallbuild.Refuse("blob.store", true, smallbuild.Buckets), c.S3.Validate())
	default:
		return fmt.Errorf("blob.store: %q is neither %q nor %q", c.Store, KindFiles, KindS3)
	}
}

// Validate names every mistake at once.
func (c S3Config) Validate() error {
	var errs []error
	u, err := url.Parse(c.Endpoint)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || strings.Trim(u.Path, "/") != "" ||
		u.User != nil {
		errs = append(errs, fmt.Errorf("blob.s3.endpoint: %q is not an address such as https://s3.example.net", c.Endpoint))
	}
	if c.Bucket == "" {
		errs = append(errs, errors.New("blob.s3.bucket: is missing"))
	}
	if c.Prefix != "" {
		if err := CheckKey(strings.TrimSuffix(c.Prefix, "/")); err != nil {
			errs = append(errs, fmt.Errorf("blob.s3.prefix: %w", err))
		}
	}
	if c.AccessKey == "" || c.SecretKey == "" {
		errs = append(errs, errors.New("blob.s3.access_key and blob.s3.secret_key: both are needed"))
	}
	return errors.Join(append(errs, c.validateChecksum())...)
}

// validateChecksum is asked also where blobs are in files: a wrong word does not wait for the day
// on which the bucket is used.
func (c S3Config) validateChecksum() error {
	if c.Checksum != ChecksumCRC32C && c.Checksum != ChecksumMD5 {
		return fmt.Errorf("blob.s3.checksum: %q is neither %q nor %q", c.Checksum, ChecksumCRC32C, ChecksumMD5)
	}
	return nil
}
