package tarstream

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

// Options say what Unpack makes of a stream.
type Options struct {
	// Place is where below the root a folder or file is written, with slashes, and its
	// mode. An empty name leaves it out.
	Place func(*tar.Header) (name string, mode fs.FileMode, err error)
	// Sync has each file on the disk before the next is read.
	Sync bool
}

// ReadError is that of a stream that does not read.
type ReadError struct{ Err error }

// Error is what the reader says.
func (e *ReadError) Error() string { return e.Err.Error() }

// Unwrap is what the reader says.
func (e *ReadError) Unwrap() error { return e.Err }

// Unpack writes what is left of a stream below the root.
func Unpack(root *os.Root, in *tar.Reader, o Options) error {
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return &ReadError{err}
		}
		name, mode, err := o.Place(h)
		switch {
		case err != nil:
		case name == "":
			continue
		case h.Typeflag == tar.TypeDir:
			err = root.MkdirAll(path.Clean(name), mode)
		case h.Typeflag == tar.TypeReg:
			err = o.writeFile(root, path.Clean(name), mode, in)
		default:
			err = fmt.Errorf("%s is neither a file nor a folder", h.Name)
		}
		if err != nil {
			return err
		}
	}
}

func (o Options) writeFile(root *os.Root, name string, mode fs.FileMode, in io.Reader) error {
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	out, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil && o.Sync {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}
