package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/blob/format"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
)

// tempDir is the folder of objects that are being written.
const tempDir = "tmp"

// objectMark ends the file name of an object. It is no byte of a key, so that the object "a" and the folder of
// "a/b" never want the same name.
const objectMark = "%"

// Store is the blob.Store on a folder. One process owns the folder.
type Store struct {
	root  *os.Root
	clock clock.Clock
	ids   *ids.Source
	locks locks
	flush func(*os.File) error // to the disk
}

// New opens a store below dir, which it makes. Leftovers of a process that ended in the middle of a Put go.
func New(dir string, c clock.Clock, source *ids.Source) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	s := &Store{root: root, clock: c, ids: source, flush: (*os.File).Sync}
	if err := s.prepare(); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return s, nil
}

func (s *Store) prepare() error {
	made := false
	for _, dir := range []string{format.ObjectsDir, format.UploadsDir, format.DueDir, tempDir} {
		switch err := s.root.Mkdir(dir, 0o700); {
		case err == nil:
			made = true
		case !errors.Is(err, fs.ErrExist):
			return fmt.Errorf("blob: %w", err)
		}
	}
	left, err := s.names(tempDir) // by a process that was killed
	for _, name := range left {
		err = errors.Join(err, ignoreMissing(s.root.RemoveAll(path.Join(tempDir, name))))
	}
	if made && err == nil {
		err = s.syncDir(".")
	}
	if err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	return nil
}

// Close lets go of the folder. Open readers stay usable.
func (s *Store) Close() error { return s.root.Close() }

// Put implements Objects.
func (s *Store) Put(ctx context.Context, key string, r io.Reader, o blob.PutOptions) (blob.Info, error) {
	if err := format.CheckOptions(key, o); err != nil {
		return blob.Info{}, err
	}
	name := path.Join(tempDir, s.ids.Hex(format.IDLength))
	info, err := s.fill(ctx, name, key, r, o)
	if err == nil {
		err = s.publish(name, info)
	}
	if err != nil {
		return blob.Info{}, errors.Join(format.UnwrapSource(err), ignoreMissing(s.root.Remove(name)))
	}
	return info, nil
}

// fill writes a whole object file under a temporary name.
func (s *Store) fill(
	ctx context.Context, name, key string, r io.Reader, o blob.PutOptions,
) (info blob.Info, err error) {
	f, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return blob.Info{}, fmt.Errorf("blob: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sum := format.NewDigest()
	n, err := format.CopyLimited(ctx, io.MultiWriter(f, sum), r, o.MaxSize)
	if err != nil {
		return blob.Info{}, err
	}
	if err := format.CheckSum(sum.Result(), o.SHA256); err != nil {
		return blob.Info{}, err
	}
	info = format.NewInfo(key, o, n, sum.Result(), s.clock.Now())
	return info, s.finish(f, info)
}

// finish ends an object file with its footer and makes it durable.
func (s *Store) finish(f *os.File, info blob.Info) error {
	footer, err := encodeFooter(info)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(footer, info.Size); err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	if err := s.flush(f); err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	return nil
}

// publish renames a finished file to the place of its key and makes that durable.
func (s *Store) publish(name string, info blob.Info) error {
	if err := s.noteDue(info); err != nil {
		return err
	}
	if err := s.rename(name, info); err != nil {
		return err
	}
	return s.syncAbove(objectPath(info.Key))
}

// rename holds the key's lock, under which Sweep drops notes of what is not there.
func (s *Store) rename(name string, info blob.Info) error {
	defer s.locks.stripe(info.Key)()
	if err := s.notedDue(info); err != nil { // it was, but may have been due before the object is there
		return err
	}
	place := objectPath(info.Key)
	// A Delete of the folder's last object may take the folder between making it and using it.
	for range 10 {
		if err := s.root.MkdirAll(path.Dir(place), 0o700); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("blob: %w", err)
		}
		err := s.root.Rename(name, place)
		if err == nil {
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("blob: %w", err)
		}
	}
	return fmt.Errorf("blob: the folder of %s keeps vanishing", info.Key)
}

// Open implements Objects.
func (s *Store) Open(ctx context.Context, key string) (blob.Reader, blob.Info, error) {
	f, info, err := s.open(ctx, key)
	if err != nil {
		return nil, blob.Info{}, err
	}
	return &reader{io.NewSectionReader(f, 0, info.Size), f}, info, nil
}

// Stat implements Objects.
func (s *Store) Stat(ctx context.Context, key string) (blob.Info, error) {
	f, info, err := s.open(ctx, key)
	if err != nil {
		return blob.Info{}, err
	}
	return info, f.Close()
}

func (s *Store) open(ctx context.Context, key string) (*os.File, blob.Info, error) {
	if err := errors.Join(blob.CheckKey(key), ctx.Err()); err != nil {
		return nil, blob.Info{}, err
	}
	f, info, err := s.read(key)
	if err == nil && info.Expired(s.clock.Now()) {
		err = errors.Join(fmt.Errorf("%w: %s", blob.ErrNotFound, key), f.Close())
	}
	if err != nil {
		return nil, blob.Info{}, err
	}
	return f, info, nil
}

// read opens an object whether it has expired or not.
func (s *Store) read(key string) (*os.File, blob.Info, error) {
	f, err := s.root.Open(objectPath(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, blob.Info{}, fmt.Errorf("%w: %s", blob.ErrNotFound, key)
	}
	if err != nil {
		return nil, blob.Info{}, fmt.Errorf("blob: %w", err)
	}
	stat, err := f.Stat()
	if err != nil {
		return nil, blob.Info{}, errors.Join(fmt.Errorf("blob: %w", err), f.Close())
	}
	info, err := decodeFooter(f, stat.Size(), key)
	if err != nil {
		return nil, blob.Info{}, errors.Join(err, f.Close())
	}
	return f, info, nil
}

type reader struct {
	*io.SectionReader
	f *os.File
}

func (r *reader) Close() error { return r.f.Close() }

// Delete implements Objects.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := errors.Join(blob.CheckKey(key), ctx.Err()); err != nil {
		return err
	}
	_, err := s.removeIf(key, nil)
	return err
}

// removeIf removes an object, or one of which something is true, and makes that durable. The lock is held only for the
// change of names.
func (s *Store) removeIf(key string, is func(blob.Info) bool) (gone bool, err error) {
	dir, err := s.removeName(key, is)
	if dir == "" || err != nil {
		return false, err
	}
	for ; ; dir = path.Dir(dir) { // up, when another caller has removed it meanwhile
		if err := s.syncDir(dir); dir == format.ObjectsDir || !errors.Is(err, fs.ErrNotExist) {
			return true, err
		}
	}
}

// removeName takes the object's file, then every folder that this left empty. It returns the folder that has changed,
// or nothing when there is no such object.
func (s *Store) removeName(key string, is func(blob.Info) bool) (dir string, err error) {
	defer s.locks.stripe(key)()
	if is != nil {
		switch info, err := s.stored(key); {
		case errors.Is(err, blob.ErrNotFound):
			return "", nil
		case err != nil:
			return "", err
		case !is(info):
			return "", nil
		}
	}
	place := objectPath(key)
	err = s.root.Remove(place)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("blob: %w", err)
	}
	for dir = path.Dir(place); dir != format.ObjectsDir; dir = path.Dir(dir) {
		if err := s.root.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			break // Not empty.
		}
	}
	return dir, nil
}

// stored is what is known about an object whether it has expired or not.
func (s *Store) stored(key string) (blob.Info, error) {
	f, info, err := s.read(key)
	if err != nil {
		return info, err
	}
	return info, f.Close()
}

func objectPath(key string) string { return format.ObjectsDir + "/" + key + objectMark }

// syncAbove makes the entry of place durable, and the entries of the folders it may have been the first in. A folder
// is gone when the object was deleted meanwhile.
func (s *Store) syncAbove(place string) error {
	for dir := path.Dir(place); ; dir = path.Dir(dir) {
		if err := ignoreMissing(s.syncDir(dir)); err != nil {
			return err
		}
		if !strings.Contains(dir, "/") {
			return nil
		}
	}
}

func (s *Store) syncDir(dir string) error {
	d, err := s.root.Open(dir)
	if err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	if err := errors.Join(s.flush(d), d.Close()); err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	return nil
}

// replace writes a small file whole and durable, or not at all.
func (s *Store) replace(name string, text []byte) error {
	temporary := path.Join(tempDir, s.ids.Hex(format.IDLength))
	f, err := s.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, s.flush(f), f.Close()); err == nil {
		err = s.root.Rename(temporary, name)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("blob: %w", err), ignoreMissing(s.root.Remove(temporary)))
	}
	return s.syncDir(path.Dir(name))
}

// names lists one of the store's flat folders, sorted.
func (s *Store) names(dir string) ([]string, error) {
	entries, err := fs.ReadDir(s.root.FS(), dir)
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	return names, nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
