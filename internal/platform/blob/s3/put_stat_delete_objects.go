package s3

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/minio/minio-go/v7"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/blob/format"
)

// metaHeader carries an object's meta, as JSON in base64: the values of such headers survive in ASCII only.
const metaHeader = "Stoa-Meta"

// Put implements Objects.
func (s *Store) Put(ctx context.Context, key string, r io.Reader, o blob.PutOptions) (info blob.Info, err error) {
	if err := format.CheckOptions(key, o); err != nil {
		return blob.Info{}, err
	}
	held := &spool{dir: s.config.SpoolDir}
	defer func() { err = errors.Join(err, held.Close()) }()
	sum := format.NewDigest()
	n, err := format.CopyLimited(ctx, io.MultiWriter(held, sum), r, o.MaxSize)
	if err != nil {
		return blob.Info{}, format.UnwrapSource(err)
	}
	if err := format.CheckSum(sum.Result(), o.SHA256); err != nil {
		return blob.Info{}, err
	}
	info = format.NewInfo(key, o, n, sum.Result(), s.clock.Now())
	if err := s.publish(ctx, info, held.reader()); err != nil {
		return blob.Info{}, err
	}
	return info, nil
}

// publish leaves the note for Sweep, then sends the object; one PUT shows it whole.
func (s *Store) publish(ctx context.Context, info blob.Info, r io.ReadSeeker) error {
	if !info.Expires.IsZero() {
		if err := s.note(ctx, format.DueTime(info.Expires)+"/objects/"+info.Key); err != nil {
			return err
		}
	}
	text, err := json.Marshal(format.ToMeta(info))
	if err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	o := s.putOptions(info.ContentType, info.Size)
	o.UserMetadata = map[string]string{metaHeader: base64.StdEncoding.EncodeToString(text)}
	return s.retryUnavailable(ctx, func() error {
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("blob: %w", err)
		}
		_, err := s.client.PutObject(ctx, s.config.Bucket, s.name(format.ObjectsDir, info.Key), r, info.Size, o)
		return translate(err, info.Key)
	})
}

// note puts an empty object into the index that Sweep reads.
func (s *Store) note(ctx context.Context, rest string) error {
	name := s.name(format.DueDir, rest)
	return s.retryUnavailable(ctx, func() error {
		_, err := s.client.PutObject(ctx, s.config.Bucket, name, strings.NewReader(""), 0, s.putOptions("", 0))
		return translate(err, name)
	})
}

func (s *Store) putOptions(contentType string, size int64) minio.PutObjectOptions {
	return minio.PutObjectOptions{
		ContentType:    contentType,
		SendContentMd5: s.config.Checksum == blob.ChecksumMD5,
		// A signed stream of no bytes goes out without a length, which stores refuse.
		DisableContentSha256: size == 0,
	}
}

// Stat implements Objects.
func (s *Store) Stat(ctx context.Context, key string) (blob.Info, error) {
	info, _, err := s.stat(ctx, key)
	if err == nil && info.Expired(s.clock.Now()) {
		return blob.Info{}, fmt.Errorf("%w: %s", blob.ErrNotFound, key)
	}
	return info, err
}

// stat looks at an object whether it has expired or not.
func (s *Store) stat(ctx context.Context, key string) (info blob.Info, etag string, err error) {
	if err := blob.CheckKey(key); err != nil {
		return blob.Info{}, "", err
	}
	var o minio.ObjectInfo
	err = s.retryUnavailable(ctx, func() (err error) {
		o, err = s.client.StatObject(ctx, s.config.Bucket, s.name(format.ObjectsDir, key), minio.StatObjectOptions{})
		return translate(err, key)
	})
	if err != nil {
		return blob.Info{}, "", err
	}
	text, err := base64.StdEncoding.DecodeString(o.UserMetadata[metaHeader])
	if err != nil {
		return blob.Info{}, "", fmt.Errorf("%w: %s: %w", blob.ErrDamaged, key, err)
	}
	var m format.Meta
	if err := json.Unmarshal(text, &m); err != nil || m.Key != key || m.Size != o.Size {
		return blob.Info{}, "", fmt.Errorf("%w: what is kept beside %s does not fit it", blob.ErrDamaged, key)
	}
	info, err = m.Info()
	return info, o.ETag, err
}

// Delete implements Objects.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := blob.CheckKey(key); err != nil {
		return err
	}
	return s.remove(ctx, s.name(format.ObjectsDir, key))
}

func (s *Store) remove(ctx context.Context, name string) error {
	err := s.retryUnavailable(ctx, func() error {
		return translate(s.client.RemoveObject(ctx, s.config.Bucket, name, minio.RemoveObjectOptions{}), name)
	})
	if errors.Is(err, blob.ErrNotFound) {
		return nil
	}
	return err
}
