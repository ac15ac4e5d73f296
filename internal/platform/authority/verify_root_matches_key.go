package authority

import (
	"errors"
	"io/fs"
	"os"

	"stoa.dev/stoa/internal/platform/seal"
)

// Verify opens the authority of a folder without renewing anything, and says whether there
// is one: a server without HTTPS makes none.
func Verify(dir string, box *seal.Box) (exists bool, err error) {
	a := &Authority{o: Options{Dir: dir, Box: box}, file: certificateFile(dir)}
	err = a.load()
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(a.keyFile()); errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
	}
	if err == nil && !a.key.PublicKey.Equal(a.cert.PublicKey) {
		err = errors.New(a.keyFile() + " is not the key of " + a.file)
	}
	return true, err
}
