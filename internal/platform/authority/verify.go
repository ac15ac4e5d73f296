package authority

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/seal"
)

// Verify opens the authority of a folder, if it has one, without renewing anything.
func Verify(dir string, box *seal.Box) module.Verify {
	return func(_ context.Context, report func(module.Damage)) (int, error) {
		a := &Authority{o: Options{Dir: dir, Box: box}, file: certificateFile(dir)}
		err := a.load()
		if errors.Is(err, fs.ErrNotExist) {
			if _, err := os.Stat(a.keyFile()); errors.Is(err, fs.ErrNotExist) {
				return 0, nil // a server without HTTPS makes none
			}
		}
		if err == nil && !a.key.PublicKey.Equal(a.cert.PublicKey) {
			err = errors.New(a.keyFile() + " is not the key of " + a.file)
		}
		if err != nil {
			report(module.Damage{What: "local certificate authority", Detail: err.Error(), Advice: "copy ca.pem and ca.key " +
				"from a backup, or remove both: the next start makes a new authority, which clients have to trust"})
		}
		return 1, nil
	}
}
