package transfer

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"stoa.dev/stoa/internal/app/tarstream"
	"stoa.dev/stoa/internal/platform/module"
)

// FolderName is the folder of the copies in a data folder.
const FolderName = "transfer"

// Copies are the server's files of one command.
type Copies struct {
	dir   string
	files []namedFile
	// Values are those of the command, with the server's files in the place of the operator's.
	Values map[string][]string
}

// RemoveAll removes what a process left that ended at once.
func RemoveAll(data string) error { return os.RemoveAll(filepath.Join(data, FolderName)) }

// TempDir makes a folder in the data folder that no backup contains and that the next start
// removes if its maker does not.
func TempDir(data, pattern string) (string, error) {
	if err := os.MkdirAll(filepath.Join(data, FolderName), 0o700); err != nil {
		return "", err
	}
	return os.MkdirTemp(filepath.Join(data, FolderName), pattern)
}

// Receive puts what SendInputs wrote below a new folder in the data folder.
func Receive(data string, c module.Command, values map[string][]string, in io.Reader) (copies *Copies, err error) {
	dir, err := TempDir(data, "")
	if err != nil {
		return nil, err
	}
	s := &Copies{dir: dir, files: namedFiles(c, values, anyUse), Values: map[string][]string{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Remove())
		}
	}()
	for name, list := range values {
		s.Values[name] = append([]string(nil), list...)
	}
	counts := map[string]int{}
	for _, f := range s.files {
		if err := os.MkdirAll(filepath.Dir(s.at(f)), 0o700); err != nil {
			return nil, err
		}
		s.Values[f.arg.Name][counts[f.arg.Name]] = s.at(f)
		counts[f.arg.Name]++
	}
	return s, unpack(in, dir, func(name string) (string, error) { return path.Clean(name), nil })
}

// Remove removes the files.
func (s *Copies) Remove() error { return os.RemoveAll(s.dir) }

func (s *Copies) at(f namedFile) string { return filepath.Join(s.dir, filepath.FromSlash(f.entry)) }

// SendOutputs writes what the command wrote, and removes each file that was sent.
func (s *Copies) SendOutputs(w io.Writer) error {
	out := tar.NewWriter(w)
	for _, f := range s.files {
		if !f.arg.File.Writes() {
			continue
		}
		if err := sendAndRemove(out, s.at(f), f.entry); err != nil {
			return err
		}
	}
	return out.Close()
}

func sendAndRemove(out *tar.Writer, root, entry string) error {
	return filepath.WalkDir(root, func(at string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, err := filepath.Rel(root, at)
		if err != nil {
			return err
		}
		to := path.Join(entry, filepath.ToSlash(rest))
		if e.IsDir() {
			return out.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: to + "/", Mode: 0o700})
		}
		if err := sendFile(out, at, to); err != nil {
			return err
		}
		return os.Remove(at)
	})
}

// AsNamed is a text with the names that the operator used.
func (s *Copies) AsNamed(text string) string {
	for _, f := range s.files {
		text = strings.ReplaceAll(text, s.at(f), f.path)
	}
	return text
}

// AsNamedJSON is AsNamed for a text in JSON.
func (s *Copies) AsNamedJSON(text []byte) ([]byte, error) {
	for _, f := range s.files {
		from, errFrom := json.Marshal(s.at(f))
		to, errTo := json.Marshal(f.path)
		if err := errors.Join(errFrom, errTo); err != nil {
			return nil, err
		}
		text = []byte(strings.ReplaceAll(string(text), strings.Trim(string(from), `"`), strings.Trim(string(to), `"`)))
	}
	return text, nil
}

// unpack writes the folders and files of a stream below a folder; place names where.
func unpack(in io.Reader, dir string, place func(name string) (string, error)) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return tarstream.Unpack(root, tar.NewReader(in), tarstream.Options{
		Sync: true,
		Place: func(h *tar.Header) (string, fs.FileMode, error) {
			name, err := place(h.Name)
			if h.Typeflag == tar.TypeDir {
				return name, 0o700, err
			}
			return name, h.FileInfo().Mode().Perm() | 0o600, err
		},
	})
}
