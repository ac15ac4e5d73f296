package blob

import (
	"errors"
	"fmt"
	"time"
)

// check refuses options that could not be stored beside the bytes.
func (o PutOptions) check(key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if len(o.ContentType) > maxContent {
		return fmt.Errorf("blob: content type of %d bytes, want at most %d", len(o.ContentType), maxContent)
	}
	for i := range len(o.ContentType) {
		if c := o.ContentType[i]; c < ' ' || c > '~' {
			return fmt.Errorf("blob: content type holds byte %#x", c)
		}
	}
	if o.MaxSize < 0 {
		return errors.New("blob: a negative size limit")
	}
	return nil
}

// info describes the object that these options and bytes make. Times are kept to the microsecond, as everywhere.
func (o PutOptions) info(key string, size int64, sum [32]byte, now time.Time) Info {
	return Info{
		Key: key, Size: size, SHA256: sum, ContentType: o.ContentType,
		Modified: now.UTC().Truncate(time.Microsecond), Expires: o.Expires.UTC().Truncate(time.Microsecond),
	}
}

// abandonAt is when an upload that starts now is given up.
func (o UploadOptions) abandonAt(now time.Time) time.Time {
	if o.Abandon.IsZero() {
		return now.Add(AbandonAfter).UTC()
	}
	return o.Abandon.UTC()
}

// unwrapSource gives a source's own error back to the caller who knows it.
func unwrapSource(err error) error {
	var source *sourceError
	if errors.As(err, &source) {
		return source.err
	}
	return err
}
