package inputfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"stoa.dev/stoa/internal/platform/module"
)

// Open opens a file that exists. next is the step that gives the command another.
func Open(name, next string) (*os.File, error) {
	file, err := os.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, module.Fail(module.NotFound, next, "there is no file %s", name)
	case errors.Is(err, fs.ErrPermission):
		return nil, module.Fail(module.Failed, "see that you may read it", "%w", err)
	case err != nil:
		return nil, module.Fail(module.Failed, next, "%w", err)
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = module.Fail(module.Usage, next, "%s is a folder, not a file", name)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// Read reads all of a file that Open opens.
func Read(name, next string) (text []byte, err error) {
	file, err := Open(name, next)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return io.ReadAll(file)
}
