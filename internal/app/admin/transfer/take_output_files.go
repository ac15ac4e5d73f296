package transfer

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"stoa.dev/stoa/internal/platform/durable"
	"stoa.dev/stoa/internal/platform/module"
)

// partSuffix ends the name of what is not whole yet.
const partSuffix = ".part"

// TakeOutputs reads what SendOutputs wrote and puts it where the operator said: whole, or
// not at all.
func TakeOutputs(in io.Reader, c module.Command, values map[string][]string) (err error) {
	files := namedFiles(c, values, module.FileUse.Writes)
	if len(files) != 1 {
		return fmt.Errorf("%s writes %d files, want one", c.Path, len(files))
	}
	f := files[0]
	part := f.path + partSuffix
	if _, err := os.Lstat(part); !errors.Is(err, fs.ErrNotExist) {
		return module.Fail(module.Conflict, "remove it if no other command is writing it", "%s exists", part)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(part))
		}
	}()
	err = unpack(in, filepath.Dir(f.path), func(name string) (string, error) {
		rest, ok := strings.CutPrefix(strings.TrimSuffix(name, "/")+"/", f.entry+"/")
		if !ok {
			return "", fmt.Errorf("the server sent %s, which was not asked for", name)
		}
		return filepath.Base(part) + "/" + rest, nil
	})
	if err != nil {
		return err
	}
	if _, err := os.Lstat(part); err != nil {
		return fmt.Errorf("the server sent nothing for %s", f.path)
	}
	if err := os.Rename(part, f.path); err != nil {
		return err
	}
	return durable.SyncFolder(filepath.Dir(f.path))
}
