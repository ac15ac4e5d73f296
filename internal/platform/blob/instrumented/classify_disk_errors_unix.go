//go:build unix

package instrumented

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"stoa.dev/stoa/internal/platform/blob"
)

// classifyDisk gives an error of a file system its kind.
func classifyDisk(err error) error {
	switch {
	case err == nil, errors.Is(err, blob.ErrFull), errors.Is(err, blob.ErrUnavailable):
		return err
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		return fmt.Errorf("%w: %w", blob.ErrFull, err)
	case errors.Is(err, unix.EROFS), errors.Is(err, unix.EIO), errors.Is(err, unix.ESTALE),
		errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE):
		return fmt.Errorf("%w: %w", blob.ErrUnavailable, err)
	}
	return err
}
