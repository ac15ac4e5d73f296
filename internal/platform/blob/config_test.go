package blob_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/blob"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	s3 := func(change func(*blob.S3Config)) blob.Config {
		c := blob.DefaultConfig()
		c.Store = blob.KindS3
		c.S3.Endpoint, c.S3.Bucket, c.S3.AccessKey, c.S3.SecretKey = "https://s3.example.net", "b", "a", "s"
		change(&c.S3)
		return c
	}
	rows := []struct {
		name, want string
		config     blob.Config
	}{
		{"default", "", blob.DefaultConfig()},
		{"s3", "", s3(func(*blob.S3Config) {})},
		{"unknown store", "blob.store", blob.Config{Store: "tape"}},
		{"no scheme", "blob.s3.endpoint", s3(func(c *blob.S3Config) { c.Endpoint = "s3.example.net" })},
		{"user in the endpoint", "blob.s3.endpoint",
			s3(func(c *blob.S3Config) { c.Endpoint = "https://u:p@s3.example.net" })},
		{"no bucket", "blob.s3.bucket", s3(func(c *blob.S3Config) { c.Bucket = "" })},
		{"bad prefix", "blob.s3.prefix", s3(func(c *blob.S3Config) { c.Prefix = "../x" })},
		{"no keys", "blob.s3.secret_key", s3(func(c *blob.S3Config) { c.SecretKey = "" })},
		{"checksum", "blob.s3.checksum", s3(func(c *blob.S3Config) { c.Checksum = "sha0" })},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			err := row.config.Validate()
			if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
				t.Fatalf("Validate = %v, want an error about %q", err, row.want)
			}
		})
	}
}
