package blob

import (
	"errors"
	"fmt"
	"time"
)

// Info describes one object.
type Info struct {
	Key         string
	Size        int64
	SHA256      [32]byte
	ContentType string
	Modified    time.Time
	Expires     time.Time // zero: never
}

// Expired reports whether an object is gone at now.
func (i Info) Expired(now time.Time) bool { return !i.Expires.IsZero() && !i.Expires.After(now) }

// PutOptions say what is stored beside the bytes and what is refused.
type PutOptions struct {
	ContentType string
	// Expires is when the object stops existing; zero is never.
	Expires time.Time
	// MaxSize refuses longer input with ErrTooLarge; zero is no limit.
	MaxSize int64
	// SHA256 refuses other bytes with ErrHash when it is not nil.
	SHA256 *[32]byte
}

// UploadOptions are PutOptions plus the time after which an unfinished upload is given up.
type UploadOptions struct {
	PutOptions
	// Abandon is when Sweep may drop the unfinished upload; zero is a week after Create.
	Abandon time.Time
}

// AbandonAfter is how long an unfinished upload is kept when its options do not say.
const AbandonAfter = 7 * 24 * time.Hour

// Errors of every Store, for errors.Is.
var (
	ErrNotFound = errors.New("blob: not found")
	ErrKey      = errors.New("blob: malformed key")
	ErrTooLarge = errors.New("blob: larger than allowed")
	ErrHash     = errors.New("blob: the bytes do not have the expected hash")
	ErrDamaged  = errors.New("blob: the stored object is damaged")
	// ErrUnavailable says that the store does not answer, or cannot write: try again later.
	ErrUnavailable = errors.New("blob: the store is not available")
	// ErrFull says that the store has no space left.
	ErrFull = errors.New("blob: the store is full")
)

// OffsetError refuses an Append that does not start where the upload ends.
type OffsetError struct{ Have, Given int64 }

func (e *OffsetError) Error() string {
	return fmt.Sprintf("blob: append at offset %d, but the upload is at %d", e.Given, e.Have)
}
