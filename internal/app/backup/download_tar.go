package backup

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"stoa.dev/stoa/internal/app/admin/transfer"
	"stoa.dev/stoa/internal/console"
)

// Download makes a backup for one answer: all is copied to a temporary folder as Make
// does, and read from there as one tar file. Close removes the folder, or the next start
// does. It is in the data folder, where no backup looks, because that holds
// files of this size and is writable in a container.
func (s Source) Download(ctx context.Context) (d console.Download, err error) {
	dir, err := transfer.TempDir(s.World.Dir, "backup-")
	if err != nil {
		return d, err
	}
	remove := func() error { return os.RemoveAll(dir) }
	defer func() {
		if err != nil {
			err = errors.Join(err, remove())
		}
	}()
	folder := filepath.Join(dir, "backup")
	if err := s.check(folder); err != nil {
		return d, err
	}
	if _, err := s.makeRecorded(ctx, folder, folder); err != nil {
		return d, err
	}
	count := &counter{}
	if err := writeTar(count, folder); err != nil {
		return d, err
	}
	in, out := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = out.CloseWithError(writeTar(out, folder)) // it returns no error
	}()
	return console.Download{Reader: in, Size: count.n, Close: func() error {
		err := in.Close() // ends the writer, wherever it is
		<-done
		return errors.Join(err, remove())
	}}, nil
}

// counter counts what is written.
type counter struct{ n int64 }

func (c *counter) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return len(b), nil
}

// ReadFrom makes copies of files cheap.
func (c *counter) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(io.Discard, r)
	c.n += n
	return n, err
}

// writeTar writes a folder, which does not change meanwhile.
func writeTar(w io.Writer, dir string) error {
	out := tar.NewWriter(w)
	return errors.Join(out.AddFS(os.DirFS(dir)), out.Close())
}
