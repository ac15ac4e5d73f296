package blob

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
)

// checkpoint is how many bytes of one Append may be lost when the process dies in the middle of it.
const checkpoint = 16 << 20

// uploadState is what an upload is, beside its bytes: the file ID.json, replaced whole after every step. Only Offset
// bytes of ID.part count; what a dead process wrote beyond them is cut off.
type uploadState struct {
	Key         string    `json:"key"`
	ContentType string    `json:"content_type,omitempty"`
	Expires     time.Time `json:"expires,omitzero"`
	MaxSize     int64     `json:"max_size,omitempty"`
	SHA256      *[32]byte `json:"sha256,omitempty"`
	Abandon     time.Time `json:"abandon"`
	Offset      int64     `json:"offset"`
	Hash        []byte    `json:"hash,omitempty"`
}

func newUploadState(key string, o UploadOptions, now time.Time) uploadState {
	return uploadState{
		Key: key, ContentType: o.ContentType, Expires: o.Expires, MaxSize: o.MaxSize, SHA256: o.SHA256,
		Abandon: o.abandonAt(now),
	}
}

func (u uploadState) options() PutOptions {
	return PutOptions{ContentType: u.ContentType, Expires: u.Expires, MaxSize: u.MaxSize, SHA256: u.SHA256}
}

// sum is the hash of all bytes so far.
func (u uploadState) sum() ([32]byte, error) {
	d, err := resumeDigest(u.Hash)
	if err != nil {
		return [32]byte{}, err
	}
	return d.sum(), nil
}

type fileUpload struct {
	store  *FileStore
	id     string
	key    string
	offset int64
	done   *Info
}

func statePath(id string) string { return path.Join(uploadsDir, id+".json") }
func partPath(id string) string  { return path.Join(uploadsDir, id+".part") }

// Create implements Uploads.
func (s *FileStore) Create(ctx context.Context, key string, o UploadOptions) (Upload, error) {
	if err := errors.Join(o.check(key), ctx.Err()); err != nil {
		return nil, err
	}
	id := s.ids.Hex(idLength)
	release, err := s.locks.hold(ctx, id) // So that Sweep does not find the part before its state.
	if err != nil {
		return nil, err
	}
	defer release()
	// The part comes first: a state without its part means a finished commit.
	f, err := s.root.OpenFile(partPath(id), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	if err := s.saveState(id, newUploadState(key, o, s.clock.Now())); err != nil {
		return nil, err
	}
	return &fileUpload{store: s, id: id, key: key}, nil
}

// Resume implements Uploads.
func (s *FileStore) Resume(ctx context.Context, id string) (Upload, error) {
	if err := errors.Join(checkID(id), ctx.Err()); err != nil {
		return nil, err
	}
	state, err := s.loadState(id)
	if err != nil {
		return nil, err
	}
	if !state.Abandon.After(s.clock.Now()) {
		return nil, fmt.Errorf("%w: upload %s was given up at %s", ErrNotFound, id, state.Abandon.Format(time.RFC3339))
	}
	u := &fileUpload{store: s, id: id, key: state.Key, offset: state.Offset}
	if _, err := s.root.Lstat(partPath(id)); errors.Is(err, fs.ErrNotExist) {
		u.done, err = s.committed(ctx, state)
		return u, err
	}
	return u, nil
}

// committed finds the object of an upload whose commit was cut off after the rename.
func (s *FileStore) committed(ctx context.Context, state uploadState) (*Info, error) {
	info, err := s.Stat(ctx, state.Key)
	if err != nil {
		return nil, err
	}
	sum, err := state.sum()
	if err != nil {
		return nil, err
	}
	if info.SHA256 != sum {
		return nil, fmt.Errorf("%w: %s was replaced after the upload", ErrNotFound, state.Key)
	}
	return &info, nil
}

func (s *FileStore) loadState(id string) (uploadState, error) {
	text, err := s.root.ReadFile(statePath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return uploadState{}, fmt.Errorf("%w: upload %s", ErrNotFound, id)
	}
	if err != nil {
		return uploadState{}, fmt.Errorf("blob: %w", err)
	}
	var state uploadState
	if err := json.Unmarshal(text, &state); err != nil {
		return uploadState{}, fmt.Errorf("%w: upload %s: %w", ErrDamaged, id, err)
	}
	return state, nil
}

func (s *FileStore) saveState(id string, state uploadState) error {
	text, err := json.Marshal(state)
	if err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	return s.replace(statePath(id), text)
}

func (u *fileUpload) ID() string    { return u.id }
func (u *fileUpload) Key() string   { return u.key }
func (u *fileUpload) Offset() int64 { return u.offset }

// Append implements Upload.
func (u *fileUpload) Append(ctx context.Context, offset int64, r io.Reader) (int64, error) {
	release, err := u.store.locks.hold(ctx, u.id)
	if err != nil {
		return u.offset, err
	}
	defer release()
	state, err := u.store.loadState(u.id)
	if err != nil {
		return u.offset, err
	}
	if u.offset = state.Offset; offset != state.Offset {
		return u.offset, &OffsetError{Have: state.Offset, Given: offset}
	}
	f, err := u.store.root.OpenFile(partPath(u.id), os.O_RDWR, 0)
	if err != nil {
		return u.offset, fmt.Errorf("blob: %w", err)
	}
	err = u.write(ctx, f, state, r)
	return u.offset, unwrapSource(errors.Join(err, f.Close()))
}

// write takes r in steps and makes each durable before the next, so that u.offset is always the truth on the disk.
func (u *fileUpload) write(ctx context.Context, f *os.File, state uploadState, r io.Reader) error {
	if err := f.Truncate(state.Offset); err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	d, err := resumeDigest(state.Hash)
	if err != nil {
		return err
	}
	for {
		out := io.MultiWriter(io.NewOffsetWriter(f, state.Offset), d)
		n, err := copyLimited(ctx, out, io.LimitReader(r, checkpoint), 0)
		var source *sourceError
		if err != nil && !errors.As(err, &source) {
			return err
		}
		if state.MaxSize > 0 && state.Offset+n > state.MaxSize {
			return errors.Join(fmt.Errorf("%w: more than %d bytes", ErrTooLarge, state.MaxSize), f.Truncate(state.Offset))
		}
		if saved := u.save(f, &state, n, d); saved != nil {
			return saved
		}
		if err != nil || n < checkpoint {
			return err
		}
	}
}

func (u *fileUpload) save(f *os.File, state *uploadState, n int64, d digest) (err error) {
	if n == 0 {
		return nil
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	state.Offset += n
	if state.Hash, err = d.state(); err != nil {
		return err
	}
	if err := u.store.saveState(u.id, *state); err != nil {
		return err
	}
	u.offset = state.Offset
	return nil
}

// Commit implements Upload.
func (u *fileUpload) Commit(ctx context.Context) (Info, error) {
	release, err := u.store.locks.hold(ctx, u.id)
	if err != nil {
		return Info{}, err
	}
	defer release()
	if u.done == nil {
		info, err := u.commit()
		if err != nil {
			return Info{}, err
		}
		u.done = &info
	}
	return *u.done, ignoreMissing(u.store.root.Remove(statePath(u.id)))
}

func (u *fileUpload) commit() (info Info, err error) {
	state, err := u.store.loadState(u.id)
	if err != nil {
		return Info{}, err
	}
	sum, err := state.sum()
	if err != nil {
		return Info{}, err
	}
	if err := checkSum(sum, state.SHA256); err != nil {
		return Info{}, err
	}
	info = state.options().info(state.Key, state.Offset, sum, u.store.clock.Now())
	f, err := u.store.root.OpenFile(partPath(u.id), os.O_RDWR, 0)
	if err != nil {
		return Info{}, fmt.Errorf("blob: %w", err)
	}
	err = f.Truncate(state.Offset)
	if err == nil {
		err = finish(f, info)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return Info{}, err
	}
	return info, u.store.publish(partPath(u.id), info)
}

// Abort implements Upload.
func (u *fileUpload) Abort(ctx context.Context) error {
	release, err := u.store.locks.hold(ctx, u.id)
	if err != nil {
		return err
	}
	defer release()
	return u.store.dropUpload(u.id)
}

// dropUpload takes the state first: a part without a state is garbage that Sweep finds.
func (s *FileStore) dropUpload(id string) error {
	err := ignoreMissing(s.root.Remove(statePath(id)))
	if err = errors.Join(err, ignoreMissing(s.root.Remove(partPath(id)))); err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	return s.syncDir(uploadsDir)
}

// sweepUploads drops the uploads that were given up before now, and parts that lost their state.
func (s *FileStore) sweepUploads(ctx context.Context, now time.Time) (int, error) {
	names, err := s.names(uploadsDir)
	if err != nil {
		return 0, err
	}
	swept := 0
	var failed error
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return swept, errors.Join(failed, err)
		}
		id, isPart := strings.CutSuffix(name, ".part")
		if !isPart {
			id = strings.TrimSuffix(name, ".json")
		}
		gone, err := s.sweepUpload(id, isPart, now)
		failed = errors.Join(failed, err)
		if gone {
			swept++
		}
	}
	return swept, failed
}

func (s *FileStore) sweepUpload(id string, isPart bool, now time.Time) (gone bool, err error) {
	release, free := s.locks.try(id)
	if !free {
		return false, nil // Bytes are arriving: not given up.
	}
	defer release()
	state, err := s.loadState(id)
	switch {
	case errors.Is(err, ErrNotFound):
		if _, err := s.root.Lstat(partPath(id)); !isPart || err != nil {
			return false, nil // Dropped or committed since the folder was read.
		}
	case err != nil:
		return false, err
	case state.Abandon.After(now):
		return false, nil
	}
	return true, s.dropUpload(id)
}
