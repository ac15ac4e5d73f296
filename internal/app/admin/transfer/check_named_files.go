package transfer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"stoa.dev/stoa/internal/platform/module"
)

// CheckInputs refuses what the operator's process cannot read, before anything is sent.
func CheckInputs(c module.Command, values map[string][]string) error {
	for _, f := range namedFiles(c, values, module.FileUse.Reads) {
		info, err := os.Stat(f.path)
		switch folder := f.arg.File == module.ReadsFolder; {
		case errors.Is(err, fs.ErrNotExist):
			return module.Fail(module.NotFound, "name one that exists", "there is no %s", f.path)
		case err != nil:
			return module.Fail(module.Failed, "see that you may read it", "%w", err)
		case folder && !info.IsDir():
			return module.Fail(module.Usage, "name a folder", "%s is not a folder", f.path)
		case !folder && !info.Mode().IsRegular():
			// It is sent with its length, and one without an end would be read for ever.
			return module.Fail(module.Usage, "write it to a file first", "%s is not an ordinary file", f.path)
		}
	}
	return nil
}

// CheckOutputs refuses places where the operator's process cannot write, before the
// command runs.
func CheckOutputs(c module.Command, values map[string][]string) error {
	for _, f := range namedFiles(c, values, module.FileUse.Writes) {
		if err := checkOutput(f); err != nil {
			return err
		}
	}
	return nil
}

func checkOutput(f namedFile) error {
	folder := filepath.Dir(f.path)
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return module.Fail(module.NotFound, "make it first, or name another place", "there is no folder %s", folder)
	case err != nil:
		return module.Fail(module.Failed, "see that you may write there", "%w", err)
	case !info.IsDir():
		return module.Fail(module.Usage, "name another place", "%s is not a folder", folder)
	}
	info, err = os.Lstat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return module.Fail(module.Failed, "see that you may write there", "%w", err)
	case f.arg.File == module.ReplacesFile && info.Mode().IsRegular():
		return nil
	}
	return module.Fail(module.Conflict, "name a new one", "%s exists", f.path)
}
