package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is one file of a package.
type file struct {
	name string
	mode int64
	text []byte
}

// fixed is the time of every file, so that the same sources give the same bytes.
func fixed() time.Time { return time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC) }

// contents are the files that a system's packages hold. The manual page and the
// completions are made by make packages-files.
func (r release) contents(t target, binary string) ([]file, error) {
	rows := []struct {
		name, from string
		mode       int64
	}{
		{t.binary(), binary, 0o755},
		{"LICENSE", filepath.Join(r.root, "LICENSE"), 0o644},
		{"README.md", filepath.Join(r.root, "README.md"), 0o644},
		{"share/stoa.1", filepath.Join(r.root, "bin/package/stoa.1"), 0o644},
		{"share/stoa.bash", filepath.Join(r.root, "bin/package/stoa.bash"), 0o644},
		{"share/_stoa", filepath.Join(r.root, "bin/package/_stoa"), 0o644},
		{"share/stoa.fish", filepath.Join(r.root, "bin/package/stoa.fish"), 0o644},
		{"share/stoa.service", filepath.Join(r.root, "packaging/stoa.service"), 0o644},
		{"share/stoa.yaml", filepath.Join(r.root, "packaging/stoa.yaml"), 0o600},
		{"share/ca-certificates.crt", filepath.Join(r.root, "bin/package/ca-certificates.crt"), 0o644},
	}
	var files []file
	for _, row := range rows {
		text, err := os.ReadFile(row.from)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s is not there: run make packages-files first", row.from)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, file{row.name, row.mode, text})
	}
	return files, nil
}

// find is the file of that name; contents has put it there.
func find(files []file, name string) file {
	return files[slices.IndexFunc(files, func(f file) bool { return f.name == name })]
}

// writeArchive writes the archive that is unpacked by hand.
func (r release) writeArchive(t target, files []file) error {
	base := fmt.Sprintf("stoa_%s_%s_%s", r.version, t.os, t.arch)
	if t.os == "windows" {
		text, err := zipped(base, files)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(r.out, base+".zip"), text, 0o644) //nolint:gosec // it is published
	}
	inFolder := make([]file, len(files))
	for i, f := range files {
		inFolder[i] = file{base + "/" + f.name, f.mode, f.text}
	}
	text, err := tarred(inFolder, 0)
	if err != nil {
		return err
	}
	if text, err = compressed(text); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, base+".tar.gz"), text, 0o644) //nolint:gosec // it is published
}

func zipped(folder string, files []file) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: fixed()}
		h.SetMode(fs.FileMode(f.mode)) //nolint:gosec // one of the constants of contents
		w, err := z.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return out.Bytes(), err
}

// tarred is an archive with the folders that its files need, all owned by one id.
func tarred(files []file, owner int) ([]byte, error) {
	var out bytes.Buffer
	t := tar.NewWriter(&out)
	for _, f := range withFolders(files) {
		h := &tar.Header{
			Name: f.name, Mode: f.mode, Size: int64(len(f.text)), ModTime: fixed(), Uid: owner, Gid: owner,
			Format: tar.FormatPAX, Typeflag: tar.TypeReg,
		}
		if f.text == nil {
			h.Typeflag, h.Name = tar.TypeDir, f.name+"/"
		}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(f.text); err != nil {
			return nil, err
		}
	}
	err := t.Close()
	return out.Bytes(), err
}

// withFolders adds the folders above the files and sorts by name. A file without text
// is a folder.
func withFolders(files []file) []file {
	all := slices.Clone(files)
	seen := map[string]bool{".": true, "": true}
	for _, f := range files {
		if f.text == nil {
			seen[f.name] = true
		}
	}
	for _, f := range files {
		for dir := above(f.name); !seen[dir]; dir = above(dir) {
			seen[dir] = true
			all = append(all, file{name: dir, mode: 0o755})
		}
	}
	slices.SortFunc(all, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	return all
}

// above is the folder of a name, written as the name is: with or without a leading dot.
func above(name string) string { return name[:max(strings.LastIndexByte(name, '/'), 0)] }

func compressed(text []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(z, bytes.NewReader(text)); err != nil {
		return nil, err
	}
	err = z.Close()
	return out.Bytes(), err
}
