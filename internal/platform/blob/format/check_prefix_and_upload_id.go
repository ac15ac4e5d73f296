package format

import (
	"fmt"
	"strings"

	"stoa.dev/stoa/internal/platform/blob"
)

// CheckPrefix admits every beginning of a key, the empty one included.
func CheckPrefix(prefix string) error {
	if prefix == "" {
		return nil
	}
	if err := blob.CheckKey(strings.TrimSuffix(prefix, "/")); err != nil {
		return fmt.Errorf("prefix: %w", err)
	}
	return nil
}

// CheckID admits upload ids, which the stores make.
func CheckID(id string) error {
	if len(id) != IDLength || strings.Trim(id, "0123456789abcdef") != "" {
		return fmt.Errorf("%w: upload %q", blob.ErrNotFound, id)
	}
	return nil
}

// IDLength is the number of characters of an upload's id.
const IDLength = 32
