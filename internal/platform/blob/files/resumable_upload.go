package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"time"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/blob/format"
)

// checkpoint is how many bytes of one Append may be lost when the process dies in the middle of it.
const checkpoint = 16 << 20

type upload struct {
	store  *Store
	id     string
	key    string
	offset int64
	done   *blob.Info
}

func statePath(id string) string { return path.Join(format.UploadsDir, id+".json") }
func partPath(id string) string  { return path.Join(format.UploadsDir, id+".part") }

// Create implements Uploads.
func (s *Store) Create(ctx context.Context, key string, o blob.UploadOptions) (blob.Upload, error) {
	if err := errors.Join(format.CheckOptions(key, o.PutOptions), ctx.Err()); err != nil {
		return nil, err
	}
	id := s.ids.Hex(format.IDLength)
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
	if err := errors.Join(s.flush(f), f.Close()); err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	if err := s.saveState(id, format.NewUploadState(key, o, s.clock.Now())); err != nil {
		return nil, err
	}
	return &upload{store: s, id: id, key: key}, nil
}

// Resume implements Uploads.
func (s *Store) Resume(ctx context.Context, id string) (blob.Upload, error) {
	if err := errors.Join(format.CheckID(id), ctx.Err()); err != nil {
		return nil, err
	}
	state, err := s.loadState(id)
	if err != nil {
		return nil, err
	}
	if !state.Abandon.After(s.clock.Now()) {
		return nil, fmt.Errorf("%w: upload %s was given up at %s", blob.ErrNotFound, id, state.Abandon.Format(time.RFC3339))
	}
	u := &upload{store: s, id: id, key: state.Key, offset: state.Offset}
	if _, err := s.root.Lstat(partPath(id)); errors.Is(err, fs.ErrNotExist) {
		u.done, err = s.committed(ctx, state)
		return u, err
	}
	return u, nil
}

// committed finds the object of an upload whose commit was cut off after the rename.
func (s *Store) committed(ctx context.Context, state format.UploadState) (*blob.Info, error) {
	info, err := s.Stat(ctx, state.Key)
	if err != nil {
		return nil, err
	}
	sum, err := state.Sum()
	if err != nil {
		return nil, err
	}
	if info.SHA256 != sum {
		return nil, fmt.Errorf("%w: %s was replaced after the upload", blob.ErrNotFound, state.Key)
	}
	return &info, nil
}

func (s *Store) loadState(id string) (format.UploadState, error) {
	text, err := s.root.ReadFile(statePath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return format.UploadState{}, fmt.Errorf("%w: upload %s", blob.ErrNotFound, id)
	}
	if err != nil {
		return format.UploadState{}, fmt.Errorf("blob: %w", err)
	}
	var state format.UploadState
	if err := json.Unmarshal(text, &state); err != nil {
		return format.UploadState{}, fmt.Errorf("%w: upload %s: %w", blob.ErrDamaged, id, err)
	}
	return state, nil
}

func (s *Store) saveState(id string, state format.UploadState) error {
	text, err := json.Marshal(state)
	if err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	return s.replace(statePath(id), text)
}

func (u *upload) ID() string    { return u.id }
func (u *upload) Key() string   { return u.key }
func (u *upload) Offset() int64 { return u.offset }

// Append implements Upload.
func (u *upload) Append(ctx context.Context, offset int64, r io.Reader) (int64, error) {
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
		return u.offset, &blob.OffsetError{Have: state.Offset, Given: offset}
	}
	f, err := u.store.root.OpenFile(partPath(u.id), os.O_RDWR, 0)
	if err != nil {
		return u.offset, fmt.Errorf("blob: %w", err)
	}
	err = u.write(ctx, f, state, r)
	return u.offset, format.UnwrapSource(errors.Join(err, f.Close()))
}

// write takes r in steps and makes each durable before the next, so that u.offset is always the truth on the disk.
func (u *upload) write(ctx context.Context, f *os.File, state format.UploadState, r io.Reader) error {
	if err := f.Truncate(state.Offset); err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	d, err := format.ResumeDigest(state.Hash)
	if err != nil {
		return err
	}
	for {
		out := io.MultiWriter(io.NewOffsetWriter(f, state.Offset), d)
		n, err := format.CopyLimited(ctx, out, io.LimitReader(r, checkpoint), 0)
		var source *format.SourceError
		if err != nil && !errors.As(err, &source) {
			return err
		}
		if state.MaxSize > 0 && state.Offset+n > state.MaxSize {
			return errors.Join(fmt.Errorf("%w: more than %d bytes", blob.ErrTooLarge, state.MaxSize), f.Truncate(state.Offset))
		}
		if saved := u.save(f, &state, n, d); saved != nil {
			return saved
		}
		if err != nil || n < checkpoint {
			return err
		}
	}
}

func (u *upload) save(f *os.File, state *format.UploadState, n int64, d format.Digest) (err error) {
	if n == 0 {
		return nil
	}
	if err := u.store.flush(f); err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	state.Offset += n
	if state.Hash, err = d.State(); err != nil {
		return err
	}
	if err := u.store.saveState(u.id, *state); err != nil {
		return err
	}
	u.offset = state.Offset
	return nil
}

// Commit implements Upload.
func (u *upload) Commit(ctx context.Context) (blob.Info, error) {
	release, err := u.store.locks.hold(ctx, u.id)
	if err != nil {
		return blob.Info{}, err
	}
	defer release()
	if u.done == nil {
		info, err := u.commit()
		if err != nil {
			return blob.Info{}, err
		}
		u.done = &info
	}
	return *u.done, ignoreMissing(u.store.root.Remove(statePath(u.id)))
}

func (u *upload) commit() (info blob.Info, err error) {
	state, err := u.store.loadState(u.id)
	if err != nil {
		return blob.Info{}, err
	}
	sum, err := state.Sum()
	if err != nil {
		return blob.Info{}, err
	}
	if err := format.CheckSum(sum, state.SHA256); err != nil {
		return blob.Info{}, err
	}
	info = format.NewInfo(state.Key, state.Options(), state.Offset, sum, u.store.clock.Now())
	f, err := u.store.root.OpenFile(partPath(u.id), os.O_RDWR, 0)
	if err != nil {
		return blob.Info{}, fmt.Errorf("blob: %w", err)
	}
	err = f.Truncate(state.Offset)
	if err == nil {
		err = u.store.finish(f, info)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return blob.Info{}, err
	}
	return info, u.store.publish(partPath(u.id), info)
}

// Abort implements Upload.
func (u *upload) Abort(ctx context.Context) error {
	release, err := u.store.locks.hold(ctx, u.id)
	if err != nil {
		return err
	}
	defer release()
	return u.store.dropUpload(u.id)
}

// dropUpload takes the state first: a part without a state is garbage that Sweep finds.
func (s *Store) dropUpload(id string) error {
	err := ignoreMissing(s.root.Remove(statePath(id)))
	if err = errors.Join(err, ignoreMissing(s.root.Remove(partPath(id)))); err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	return s.syncDir(format.UploadsDir)
}
