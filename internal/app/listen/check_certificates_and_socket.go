package listen

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"stoa.dev/stoa/internal/platform/module"
)

// socketAdvice is the next step where the socket of key management cannot be opened.
func socketAdvice(socket, data string, err error) string {
	const another = "choose another with --kms-socket (listen.kms)"
	folder := filepath.Dir(socket)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "make the folder " + folder + " first, or " + another
	case folder == filepath.Clean(data) && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)):
		return "see that you may write in the data folder, or name another folder with --data"
	}
	return another
}

// Check returns what the files that the listeners are made of keep them from, nil when
// they can be opened: it is asked before the data folder is made.
func (c Config) Check(data string) error {
	if c.HTTPS != "" {
		if _, err := c.readCertificates(); err != nil {
			return module.Fail(module.Config, "name files that the server may read", "%w", err)
		}
	}
	if c.KMS == "" {
		return nil
	}
	if _, err := os.Stat(data); errors.Is(err, fs.ErrNotExist) && filepath.Dir(c.KMS) == filepath.Clean(data) {
		return nil // it is made with the folder
	}
	access, err := c.KMSAccess()
	if err != nil {
		return err
	}
	l, err := SocketFor(c.KMS, access)
	if err == nil {
		return l.Close()
	}
	return module.Fail(module.Failed, socketAdvice(c.KMS, data, err), "cannot listen on %s: %w", c.KMS, err)
}
