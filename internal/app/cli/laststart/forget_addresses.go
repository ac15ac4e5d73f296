package laststart

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ForgetAddresses removes from a copy of a data folder where the server of the original listens. How
// it is served stays: its dialect, whether it is a demo world and whether it is offline.
func ForgetAddresses(data string) error {
	for _, a := range []Address{HTTP, HTTPS} {
		if err := os.Remove(filepath.Join(data, string(a))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	flags, err := RecallFlags(data)
	if err != nil || flags == nil {
		return err
	}
	delete(flags, "https")
	delete(flags, "kms-socket")
	return flags.Remember(data)
}
