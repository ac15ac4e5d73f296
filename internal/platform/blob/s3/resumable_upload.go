package s3

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/blob/format"
)

const (
	// stateName is the object that says what an upload is. It never changes; digits sort before it.
	stateName = "state"
	// hashHeader carries the running hash, all bytes of the part included.
	hashHeader = "Stoa-Hash"
	// partSize bounds the bytes that one part holds, and so what a dead process loses.
	partSize = 64 << 20
)

// An upload in a bucket is its state and parts named by their offsets. A part is put only if no other has its name:
// of two processes that append at one offset, one wins and the other learns the new offset.
type upload struct {
	store  *Store
	id     string
	state  format.UploadState
	offset int64
	hash   []byte
	done   *blob.Info
}

// Create implements Uploads.
func (s *Store) Create(ctx context.Context, key string, o blob.UploadOptions) (blob.Upload, error) {
	if err := format.CheckOptions(key, o.PutOptions); err != nil {
		return nil, err
	}
	u := &upload{store: s, id: s.ids.Hex(format.IDLength), state: format.NewUploadState(key, o, s.clock.Now())}
	if err := s.note(ctx, format.DueTime(u.state.Abandon)+"/"+format.UploadsDir+"/"+u.id); err != nil {
		return nil, err
	}
	text, err := json.Marshal(u.state)
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	name := s.name(format.UploadsDir, u.id+"/"+stateName)
	return u, s.retryUnavailable(ctx, func() error {
		_, err := s.client.PutObject(ctx, s.config.Bucket, name, bytes.NewReader(text), int64(len(text)),
			s.putOptions("application/json", 1))
		return translate(err, name)
	})
}

// Resume implements Uploads.
func (s *Store) Resume(ctx context.Context, id string) (blob.Upload, error) {
	if err := format.CheckID(id); err != nil {
		return nil, err
	}
	state, err := s.loadUpload(ctx, id)
	if err != nil {
		return nil, err
	}
	if !state.Abandon.After(s.clock.Now()) {
		return nil, fmt.Errorf("%w: upload %s was given up at %s", blob.ErrNotFound, id, state.Abandon.Format(time.RFC3339))
	}
	u := &upload{store: s, id: id, state: state}
	return u, u.refresh(ctx)
}

func (s *Store) loadUpload(ctx context.Context, id string) (format.UploadState, error) {
	if err := format.CheckID(id); err != nil {
		return format.UploadState{}, err
	}
	name := s.name(format.UploadsDir, id+"/"+stateName)
	var text []byte
	err := s.retryUnavailable(ctx, func() error {
		object, err := s.client.GetObject(ctx, s.config.Bucket, name, minio.GetObjectOptions{})
		if err != nil {
			return translate(err, name)
		}
		text, err = io.ReadAll(object)
		return translate(errors.Join(err, object.Close()), name)
	})
	if err != nil {
		return format.UploadState{}, err
	}
	var state format.UploadState
	if err := json.Unmarshal(text, &state); err != nil {
		return format.UploadState{}, fmt.Errorf("%w: upload %s: %w", blob.ErrDamaged, id, err)
	}
	return state, nil
}

// part is one stored piece of an upload.
type part struct {
	name   string
	offset int64
}

func (u *upload) parts(ctx context.Context) ([]part, error) {
	var parts []part
	for name, err := range u.store.keys(ctx, format.UploadsDir, u.id+"/", "", 1000) {
		if err != nil {
			return nil, err
		}
		last := name[strings.LastIndexByte(name, '/')+1:]
		if last == stateName {
			continue
		}
		offset, err := strconv.ParseInt(last, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%w: upload %s has a part %q", blob.ErrDamaged, u.id, last)
		}
		parts = append(parts, part{u.store.name(format.UploadsDir, name), offset})
	}
	return parts, nil
}

// refresh learns the durable offset and hash from the last part.
func (u *upload) refresh(ctx context.Context) error {
	parts, err := u.parts(ctx)
	if err != nil {
		return err
	}
	if u.offset, u.hash = 0, nil; len(parts) == 0 {
		return nil
	}
	last := parts[len(parts)-1]
	var o minio.ObjectInfo
	err = u.store.retryUnavailable(ctx, func() (err error) {
		o, err = u.store.client.StatObject(ctx, u.store.config.Bucket, last.name, minio.StatObjectOptions{})
		return translate(err, last.name)
	})
	if err != nil {
		return err
	}
	if u.hash, err = base64.StdEncoding.DecodeString(o.UserMetadata[hashHeader]); err != nil {
		return fmt.Errorf("%w: %s: %w", blob.ErrDamaged, last.name, err)
	}
	u.offset = last.offset + o.Size
	return nil
}

func (u *upload) ID() string    { return u.id }
func (u *upload) Key() string   { return u.state.Key }
func (u *upload) Offset() int64 { return u.offset }

// Append implements Upload.
func (u *upload) Append(ctx context.Context, offset int64, r io.Reader) (int64, error) {
	if _, err := u.store.loadUpload(ctx, u.id); err != nil {
		return u.offset, err // Committed or aborted by another.
	}
	if err := u.refresh(ctx); err != nil {
		return u.offset, err
	}
	if offset != u.offset {
		return u.offset, &blob.OffsetError{Have: u.offset, Given: offset}
	}
	for {
		n, err := u.appendPart(ctx, r)
		if err != nil || n < partSize {
			return u.offset, err
		}
	}
}

// appendPart stores one part of at most partSize bytes. When r fails midway its bytes are kept.
func (u *upload) appendPart(ctx context.Context, r io.Reader) (n int64, err error) {
	held := &spool{dir: u.store.config.SpoolDir}
	defer func() { err = errors.Join(err, held.Close()) }()
	d, err := format.ResumeDigest(u.hash)
	if err != nil {
		return 0, err
	}
	n, err = format.CopyLimited(ctx, io.MultiWriter(held, d), io.LimitReader(r, partSize), 0)
	var source *format.SourceError
	if err != nil && !errors.As(err, &source) {
		return 0, err
	}
	if u.state.MaxSize > 0 && u.offset+n > u.state.MaxSize {
		return 0, fmt.Errorf("%w: more than %d bytes", blob.ErrTooLarge, u.state.MaxSize)
	}
	if n > 0 {
		// The source's context may be what failed; the bytes that came are worth keeping all the same.
		if err := u.putPart(context.WithoutCancel(ctx), held, d); err != nil {
			return 0, err
		}
	}
	return n, format.UnwrapSource(err)
}

func (u *upload) putPart(ctx context.Context, held *spool, d format.Digest) error {
	state, err := d.State()
	if err != nil {
		return err
	}
	o := u.store.putOptions("", held.size)
	o.UserMetadata = map[string]string{hashHeader: base64.StdEncoding.EncodeToString(state)}
	o.SetMatchETagExcept("*")
	name := u.store.name(format.UploadsDir, fmt.Sprintf("%s/%020d", u.id, u.offset))
	err = u.store.retryUnavailable(ctx, func() error {
		_, err := u.store.client.PutObject(ctx, u.store.config.Bucket, name, held.reader(), held.size, o)
		return translate(err, name)
	})
	var answer minio.ErrorResponse
	if errors.As(err, &answer) && answer.Code == minio.PreconditionFailed {
		given := u.offset
		err := u.refresh(ctx)
		if err == nil && u.offset == given+held.size && bytes.Equal(u.hash, state) {
			return nil // this very part, which was sent twice because the first answer got lost
		}
		return errors.Join(err, &blob.OffsetError{Have: u.offset, Given: given})
	}
	if err != nil {
		return err
	}
	u.offset, u.hash = u.offset+held.size, state
	return nil
}

// Commit implements Upload. The parts are sent once more as one object, because only a whole PUT shows it at once.
func (u *upload) Commit(ctx context.Context) (blob.Info, error) {
	if u.done != nil {
		return *u.done, nil
	}
	if _, err := u.store.loadUpload(ctx, u.id); err != nil {
		return blob.Info{}, err
	}
	if err := u.refresh(ctx); err != nil {
		return blob.Info{}, err
	}
	u.state.Offset, u.state.Hash = u.offset, u.hash
	sum, err := u.state.Sum()
	if err != nil {
		return blob.Info{}, err
	}
	if err := format.CheckSum(sum, u.state.SHA256); err != nil {
		return blob.Info{}, err
	}
	info := format.NewInfo(u.state.Key, u.state.Options(), u.offset, sum, u.store.clock.Now())
	if err := u.join(ctx, info); err != nil {
		return blob.Info{}, err
	}
	u.done = &info
	return info, u.store.dropUpload(ctx, u.id)
}

func (u *upload) join(ctx context.Context, info blob.Info) (err error) {
	parts, err := u.parts(ctx)
	if err != nil {
		return err
	}
	joined := &joiner{ctx: ctx, store: u.store, all: parts, parts: parts}
	defer func() { err = errors.Join(err, joined.Close()) }()
	return u.store.publish(ctx, info, joined)
}

// Abort implements Upload.
func (u *upload) Abort(ctx context.Context) error { return u.store.dropUpload(ctx, u.id) }

// dropUpload removes the state first, so that no upload resumes what is half gone. If the process dies here, the
// upload's note leads Sweep to the rest.
func (s *Store) dropUpload(ctx context.Context, id string) error {
	var names []string
	for name, err := range s.keys(ctx, format.UploadsDir, id+"/", "", 1000) {
		if err != nil {
			return err
		}
		names = append(names, name)
	}
	for i := len(names) - 1; i >= 0; i-- { // The state sorts last.
		if err := s.remove(ctx, s.name(format.UploadsDir, names[i])); err != nil {
			return err
		}
	}
	return nil
}

// joiner reads parts one after the other and holds one connection at a time. It can be read again from the start, so
// that a failed sending is repeated.
type joiner struct {
	ctx   context.Context //nolint:containedctx // Lives for one call of Commit.
	store *Store
	all   []part
	parts []part // what is left of them
	open  *minio.Object
}

func (j *joiner) Read(p []byte) (int, error) {
	for {
		if j.open == nil {
			if len(j.parts) == 0 {
				return 0, io.EOF
			}
			object, err := j.store.client.GetObject(j.ctx, j.store.config.Bucket, j.parts[0].name, minio.GetObjectOptions{})
			if err != nil {
				return 0, translate(err, j.parts[0].name)
			}
			j.open, j.parts = object, j.parts[1:]
		}
		n, err := j.open.Read(p)
		if !errors.Is(err, io.EOF) {
			return n, err
		}
		if err := j.Close(); err != nil || n > 0 {
			return n, err
		}
	}
}

// Seek goes to the start, and nowhere else.
func (j *joiner) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekStart {
		return 0, fmt.Errorf("blob: seek to %d from %d in the parts of an upload", offset, whence)
	}
	j.parts = j.all
	return 0, j.Close()
}

func (j *joiner) Close() error {
	if j.open == nil {
		return nil
	}
	err := j.open.Close()
	j.open = nil
	return err
}
