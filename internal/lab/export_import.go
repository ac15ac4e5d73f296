package lab

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/tarstream"
	"stoa.dev/stoa/internal/lab/worldfiles"
	"stoa.dev/stoa/internal/lab/worldsettings"
	"stoa.dev/stoa/internal/platform/database/compact"
)

// archiveVersion is refused where it is not known.
const archiveVersion = 1

// archiveManifest is the first file of an archive.
type archiveManifest struct {
	Version int             `json:"version"`
	Program string          `json:"program"`
	Name    string          `json:"name"`
	Seed    uint64          `json:"seed"`
	Dialect string          `json:"dialect"`
	Config  json.RawMessage `json:"config,omitempty"`
	State   state           `json:"state"`
}

// Bounds of an imported archive.
const (
	maxArchiveFiles = 1_000_000
	maxArchiveBytes = 16 << 30
	maxManifest     = 1 << 20
)

// Export is the world as one file. The same world gives the same file.
func (w *World) Export(ctx context.Context) (io.ReadCloser, error) {
	o, err := w.copyBase(ctx)
	if err != nil {
		return nil, err
	}
	if err := compact.Folder(ctx, w.lab.bases.data(o.base)); err != nil {
		return nil, errors.Join(err, w.lab.bases.release(o.base))
	}
	file, err := os.CreateTemp(w.lab.unfinished(), "export")
	if err == nil {
		// The name goes at once; the file with its last reader.
		err = errors.Join(os.Remove(file.Name()), w.writeArchive(file, o))
	}
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	err = errors.Join(err, w.lab.bases.release(o.base))
	if err != nil {
		if file != nil {
			err = errors.Join(err, file.Close())
		}
		return nil, err
	}
	return file, nil
}

func (w *World) writeArchive(to io.Writer, o origin) error {
	// Since is the machine's time, which is not part of the world.
	o.state.Since = time.Time{}
	text, err := json.Marshal(archiveManifest{
		Version: archiveVersion, Program: w.lab.options.Version, Name: w.Name(), Seed: o.seed, Dialect: o.dialect,
		Config: o.config, State: o.state,
	})
	if err != nil {
		return err
	}
	zipped := gzip.NewWriter(to)
	out := tar.NewWriter(zipped)
	header := tar.Header{Name: manifestFile, Mode: 0o600, Size: int64(len(text)), Format: tar.FormatPAX}
	if err := out.WriteHeader(&header); err != nil {
		return err
	}
	if _, err := out.Write(text); err != nil {
		return err
	}
	data := w.lab.bases.data(o.base)
	err = filepath.WalkDir(data, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return addToArchive(out, data, p, d)
	})
	return errors.Join(err, out.Close(), zipped.Close())
}

// addToArchive writes one file or folder without what differs between machines:
// owner and times.
func addToArchive(out *tar.Writer, root, p string, d fs.DirEntry) (err error) {
	name, err := filepath.Rel(root, p)
	if err != nil {
		return err
	}
	name = filepath.ToSlash(filepath.Join(dataFolder, name))
	info, err := d.Info()
	if err != nil {
		return err
	}
	header := tar.Header{Name: name, Mode: int64(info.Mode().Perm()), Format: tar.FormatPAX}
	switch {
	case d.IsDir():
		header.Typeflag, header.Name = tar.TypeDir, name+"/"
		return out.WriteHeader(&header)
	case !d.Type().IsRegular():
		return nil
	}
	header.Typeflag, header.Size = tar.TypeReg, info.Size()
	if err := out.WriteHeader(&header); err != nil {
		return err
	}
	in, err := os.Open(p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	_, err = io.Copy(out, in)
	return err
}

// Import makes a world of an exported file, with what n says laid over it; an
// empty name is the exported one's, or another where that is taken.
func (l *Lab) Import(ctx context.Context, n NewWorld, from io.Reader) (*World, error) {
	if err := n.check(l.options.Config); err != nil {
		return nil, err
	}
	var m archiveManifest
	base, err := l.bases.add(func(data string) (err error) {
		m, err = readArchive(from, data, l.options.Config)
		return err
	})
	if err != nil {
		return nil, err
	}
	if CheckName(m.Name) == nil {
		n.wished = m.Name
	}
	n.From = "import"
	o, err := l.addSeedFile(ctx, n, n.apply(l, origin{
		base: base, state: m.State, seed: m.Seed, dialect: m.Dialect, config: m.Config,
	}))
	if err != nil {
		return nil, err
	}
	return l.createFrom(ctx, n, o)
}

// Unpack writes the data folder of an exported file to a new folder. What a folder does not hold is returned: the
// dialect that the world speaks, and its settings.
func Unpack(from io.Reader, dir string) (dialect string, config json.RawMessage, err error) {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return "", nil, errConflict("name one that does not exist yet", "there is something in %s already", dir)
	}
	m, err := readArchive(from, dir, app.DefaultConfig())
	return m.Dialect, m.Config, err
}

// readArchive unpacks a file that may come from anywhere: what could make a program run is left out, and settings
// are those that a world may have below the operator's.
func readArchive(from io.Reader, data string, operator app.Config) (m archiveManifest, err error) {
	const next = "give a file made by stoa world export"
	zipped, err := gzip.NewReader(from)
	if err != nil {
		return m, errInvalid(next, "the file is not an exported world: %v", err)
	}
	in := tar.NewReader(zipped)
	header, err := in.Next()
	if err != nil || header.Name != manifestFile || header.Size > maxManifest {
		return m, errInvalid(next, "the file is not an exported world")
	}
	if err := json.NewDecoder(in).Decode(&m); err != nil {
		return m, errInvalid(next, "the manifest does not read: %v", err)
	}
	if m.Version != archiveVersion {
		return m, errInvalid("use the program it was made with, "+m.Program, "archive version %d is not known", m.Version)
	}
	if m.Config, err = worldsettings.Check(m.Config, operator); err != nil {
		return m, errSettings(err)
	}
	if m.Dialect != "sdk" && m.Dialect != "neutral" {
		return m, errInvalid(next, "the dialect %q is not known", m.Dialect)
	}
	if err := m.State.check(); err != nil {
		return m, err
	}
	root, err := openNewRoot(data)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	left, files := int64(maxArchiveBytes), 0
	err = tarstream.Unpack(root, in, tarstream.Options{Place: func(h *tar.Header) (string, fs.FileMode, error) {
		files++
		if left -= h.Size; left < 0 || files >= maxArchiveFiles {
			return "", 0, errInvalid(next, "the file holds too much")
		}
		return placeInWorld(h)
	}})
	if unread := new(tarstream.ReadError); errors.As(err, &unread) {
		return m, errInvalid(next, "the file does not read: %v", err)
	}
	if err != nil {
		return m, err
	}
	return m, errors.Join(worldfiles.ConfigureRepositories(root), worldfiles.KeepVariables(root))
}

func openNewRoot(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

// placeInWorld is where in a data folder an entry belongs. One that could make a program run is left out.
func placeInWorld(h *tar.Header) (name string, mode fs.FileMode, err error) {
	const next = "give a file made by stoa world export"
	name, ok := strings.CutPrefix(h.Name, dataFolder+"/")
	if !ok {
		return "", 0, errInvalid(next, "%q is not part of a world", h.Name)
	}
	name = strings.TrimSuffix(name, "/")
	mode = fs.FileMode(h.Mode).Perm()
	switch {
	case name == "":
		return "", 0, nil
	case h.Typeflag != tar.TypeDir && h.Typeflag != tar.TypeReg:
		return "", 0, errInvalid(next, "%q is neither a file nor a folder", h.Name)
	case !fs.ValidPath(name):
		return "", 0, errInvalid(next, "%q is no plain path", h.Name)
	case !worldfiles.Taken(name):
		return "", 0, nil
	case worldfiles.Excess(name, h.Size) != "":
		return "", 0, errInvalid(next, "%s", worldfiles.Excess(name, h.Size))
	case h.Typeflag == tar.TypeDir:
		return name, mode | 0o700, nil
	}
	return name, mode &^ 0o111, nil
}
