package blob

import (
	"context"
	"io"
	"time"
)

// Store keeps stored bytes under keys. It is safe for concurrent use.
//
// A reader never sees the bytes of two objects mixed: when its key is replaced or deleted it goes on reading the
// object it opened, or fails.
type Store interface {
	Objects
	Uploads
}

// Objects is the finished part of a Store.
type Objects interface {
	// Put stores everything r gives under key, replacing what was there. It returns after the bytes are durable.
	Put(ctx context.Context, key string, r io.Reader, o PutOptions) (Info, error)
	// Open gives the bytes for reading, seeking included. The caller closes the Reader.
	Open(ctx context.Context, key string) (Reader, Info, error)
	// Stat gives what is known about key without its bytes.
	Stat(ctx context.Context, key string) (Info, error)
	// Delete removes key. Removing what is not there is no error.
	Delete(ctx context.Context, key string) error
	// List gives up to limit (at least 1) objects whose keys start with prefix and sort after the key after ("" from
	// the start), in the order of their bytes. Expired objects are left out. One whose description is damaged is listed
	// with its key alone.
	List(ctx context.Context, prefix, after string, limit int) ([]Info, error)
	// Sweep removes what had expired at now, abandoned uploads included, and says how many objects and uploads went.
	Sweep(ctx context.Context, now time.Time) (int, error)
}

// Uploads is the unfinished part of a Store: bytes that arrive in several calls and survive a restart between them.
type Uploads interface {
	// Create starts an upload that becomes key at its Commit.
	Create(ctx context.Context, key string, o UploadOptions) (Upload, error)
	// Resume gives the upload with an id that Create or a former process handed out.
	Resume(ctx context.Context, id string) (Upload, error)
}

// WithRetry is a store whose operations are tried again for up to d where what it stands on is unavailable: a request
// does not wait, its caller is told to come back, but a job would lose all its work.
func WithRetry(s Store, d time.Duration) Store {
	if p, ok := s.(interface{ WithRetry(time.Duration) Store }); ok {
		return p.WithRetry(d)
	}
	return s
}

// Upload is one unfinished object.
type Upload interface {
	// ID finds the upload again after a restart. It is not a secret and not an authorization.
	ID() string
	// Key is the key that Commit fills.
	Key() string
	// Offset is the number of bytes that are durable.
	Offset() int64
	// Append adds what r gives at offset, which must be Offset(), and returns the new offset. When r fails midway the
	// bytes before the failure are kept and the error of r is returned beside the offset reached.
	Append(ctx context.Context, offset int64, r io.Reader) (int64, error)
	// Commit makes the bytes the object. Committing twice gives the same Info.
	Commit(ctx context.Context) (Info, error)
	// Abort forgets the upload and its bytes.
	Abort(ctx context.Context) error
}

// Reader reads one object's bytes; Seek serves ranges.
type Reader = io.ReadSeekCloser
