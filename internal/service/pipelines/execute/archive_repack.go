package execute

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// errBound says that a job has passed a limit of archives.
var errBound = errors.New("execute: a limit was passed")

// maxEntries bounds the files of one archive, maxLayers those of all layers
// of a workspace together.
const (
	maxEntries = 500_000
	maxLayers  = 2_000_000
	// maxPath is the longest path that the kernel takes. Archives can hold far
	// longer ones.
	maxPath = 4 << 10
	// maxLinks bounds the names of links of one archive, which are remembered.
	maxLinks = 16 << 20
)

// bounds are how much an archive may hold. A file with holes counts as if it
// had none, which is what it becomes.
type bounds struct {
	bytes   int64
	entries int
}

// blockSize is tar's unit.
const blockSize = 512

// walkArchive reads archives that stand one after the other, as layers of a
// workspace do, and shows every entry. Programs of the job made them, so
// nothing in them is taken on trust.
func walkArchive(from io.Reader, limit int, visit func(*tar.Header, io.Reader) error) error {
	block := make([]byte, blockSize)
	zero := make([]byte, blockSize)
	for count := 0; ; {
		_, err := io.ReadFull(from, block)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading an archive: %w", err)
		}
		if bytes.Equal(block, zero) {
			continue
		}
		archive := tar.NewReader(io.MultiReader(bytes.NewReader(bytes.Clone(block)), from))
		for {
			h, err := archive.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return fmt.Errorf("reading an archive: %w", err)
			}
			if count++; count > limit {
				return fmt.Errorf("%w: more than %d files in an archive", errBound, limit)
			}
			if err := visit(h, archive); err != nil {
				return err
			}
		}
	}
}

// cleanName is a name within an archive, made plain: relative and without steps
// upward.
func cleanName(name string) (string, error) {
	if len(name) > maxPath {
		return "", fmt.Errorf("%w: a name of %d bytes in an archive, at most %d: %.100q…", errBound, len(name),
			maxPath, name)
	}
	clean := path.Clean(strings.TrimPrefix(name, "./"))
	if strings.ContainsRune(name, 0) || path.IsAbs(name) || clean == ".." || strings.HasPrefix(clean, "../") {
		return "", fmt.Errorf("%w: the name %q leads out of its archive", errBound, name)
	}
	return clean, nil
}

// repack writes one safe archive out of what from holds. Files, folders and
// links stay, under the name that rename gives them; devices, pipes and the
// rights to become another user do not. No file or folder lies behind a symbolic
// link of the archive; what a hard link leads to is not looked at, because archives
// are unpacked in the sandbox. It returns the size of what it wrote.
func repack(to io.Writer, from io.Reader, limit bounds, rename func(string) (string, error)) (int64, error) {
	out := tar.NewWriter(to)
	links, linkNames := map[string]bool{}, maxLinks
	left := limit.bytes
	err := walkArchive(from, limit.entries, func(h *tar.Header, content io.Reader) error {
		next, err := safeHeader(h, rename)
		if err != nil || next == nil {
			return err
		}
		for dir := path.Dir(next.Name); dir != "." && dir != "/"; dir = path.Dir(dir) {
			if links[dir] {
				return fmt.Errorf("%w: %q lies behind a link", errBound, h.Name)
			}
		}
		if next.Typeflag == tar.TypeSymlink {
			if linkNames -= len(next.Name); linkNames < 0 || len(next.Linkname) > maxPath {
				return fmt.Errorf("%w: too many links, or too long ones, in an archive", errBound)
			}
			links[path.Clean(next.Name)] = true
		}
		// The size is the program's word: it is compared before it is added to.
		if next.Size > left || entrySize(next) > left {
			return fmt.Errorf("%w: an archive of more than %d MiB", errBound, limit.bytes>>20)
		}
		left -= entrySize(next)
		if err := out.WriteHeader(next); err != nil {
			return err
		}
		_, err = io.Copy(out, content)
		return err
	})
	if err != nil {
		return limit.bytes - left, err
	}
	return limit.bytes - left, out.Close()
}

// entrySize is the most that an entry takes in an archive: its content in whole
// blocks, a header, and a header with names and times that do not fit into one.
func entrySize(h *tar.Header) int64 {
	return (h.Size+blockSize-1)/blockSize*blockSize + 4*blockSize + int64(len(h.Name)+len(h.Linkname))
}

// safeHeader is the header to keep, nil for what is left out.
func safeHeader(h *tar.Header, rename func(string) (string, error)) (*tar.Header, error) {
	name, err := cleanName(h.Name)
	if err != nil {
		return nil, err
	}
	if name, err = rename(name); err != nil || name == "" {
		return nil, err
	}
	out := &tar.Header{Typeflag: h.Typeflag, Name: name, Mode: h.Mode & 0o777, ModTime: h.ModTime,
		Format: tar.FormatPAX}
	switch h.Typeflag {
	case tar.TypeReg:
		out.Size = h.Size
	case tar.TypeDir:
		out.Name += "/"
	case tar.TypeSymlink:
		out.Linkname = h.Linkname
	case tar.TypeLink:
		to, err := cleanName(h.Linkname)
		if err != nil {
			return nil, err
		}
		if out.Linkname, err = rename(to); err != nil || out.Linkname == "" {
			return nil, err
		}
	default:
		return nil, nil
	}
	return out, nil
}
