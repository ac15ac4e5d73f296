package format

import (
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/blob"
)

// maxContent is the longest content type.
const maxContent = 255

// CheckOptions refuses options that could not be stored beside the bytes.
func CheckOptions(key string, o blob.PutOptions) error {
	if err := blob.CheckKey(key); err != nil {
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

// NewInfo describes the object that these options and bytes make. Times are kept to the microsecond, as everywhere.
func NewInfo(key string, o blob.PutOptions, size int64, sum [32]byte, now time.Time) blob.Info {
	return blob.Info{
		Key: key, Size: size, SHA256: sum, ContentType: o.ContentType,
		Modified: now.UTC().Truncate(time.Microsecond), Expires: o.Expires.UTC().Truncate(time.Microsecond),
	}
}
